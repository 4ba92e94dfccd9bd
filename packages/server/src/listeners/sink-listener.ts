import type { Json } from "@downbeat/engine";
import type { EventBus } from "../events/event-bus.ts";
import type { Sinks } from "../events/sinks/sinks.ts";
import type { Listener } from "./listener.ts";
import { envelope } from "./stream-listener.ts";

/** Publishes to the sink that a definition names itself, in workflowStatusListenerSink. */
export const sinkListener = (
  sinkOf: (defHash: string) => string | undefined,
  sinks: Sinks,
  bus: EventBus,
): Listener => ({
  name: "sink",
  wants: (notice, isEnabled) => notice.kind === "workflow" && isEnabled && sinkOf(notice.head.defHash) !== undefined,
  async tell(told) {
    const { head } = told.notice;
    const sink = sinkOf(head.defHash);
    if (sink === undefined) return;
    const text = envelope(told);
    if (sinks.isExternal(sink)) await sinks.publish(sink, { id: told.id, text, key: head.id });
    else await bus.receive({ event: sink, messageId: told.id, payload: JSON.parse(text) as Json, guard: told.id });
  },
});
