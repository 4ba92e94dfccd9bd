import type { Runtime } from "../runtime/runtime.ts";
import { Broadcast } from "./broadcast.ts";
import { type EventStream, eventText } from "./event-stream.ts";

/** What servers share of their metadata, and what those who watch call it. */
const kinds: Readonly<Record<string, string>> = {
  "workflow-definitions": "workflowDef",
  "task-definitions": "taskDef",
  schedule: "schedule",
  "event-handler": "eventHandler",
  secret: "secret",
  skill: "skill",
};

/** Tells whoever watches that definitions and the like were changed, here or at another server. */
export class MetadataStream {
  readonly #watchers = new Broadcast(() => undefined);

  constructor({ peers, clock }: Pick<Runtime, "peers" | "clock">) {
    peers.onTopic((topic, name) => {
      const kind = kinds[topic];
      if (kind !== undefined) this.#watchers.send(eventText("metadata", clock(), JSON.stringify({ kind, name })));
    });
  }

  watch(stream: EventStream): void {
    this.#watchers.add(stream);
    stream.begin();
  }
}
