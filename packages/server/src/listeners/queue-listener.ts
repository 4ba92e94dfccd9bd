import { type Json, taskId } from "@downbeat/engine";
import type { Config } from "../config.ts";
import type { EventBus } from "../events/event-bus.ts";
import type { Listener } from "./listener.ts";
import type { Notice } from "./notice.ts";

/** Publishes to internal queues, which event handlers listen to: `service:_callbackSuccessQueue`. */
export function queueListener(kind: "workflow" | "task", config: Config, bus: EventBus): Listener {
  const queueOf = (notice: Notice): string | undefined => {
    if (notice.kind === "task") return config["service.task-status-listener.queue-publisher.queue"];
    switch (notice.event) {
      case "completed":
        return config["service.workflow-status-listener.queue-publisher.successQueue"];
      case "terminated":
        return config["service.workflow-status-listener.queue-publisher.failureQueue"];
      case "finalized":
        return config["service.workflow-status-listener.queue-publisher.finalizeQueue"];
      default:
        return undefined;
    }
  };
  return {
    name: kind === "workflow" ? "queue_publisher" : "task_queue_publisher",
    wants: (notice, isEnabled) => notice.kind === kind && isEnabled && queueOf(notice) !== undefined,
    async tell({ id, notice, summary }) {
      const messageId = notice.kind === "workflow" ? notice.head.id : taskId(notice.head.id, notice.task.no);
      // Told again after a crash it is the same message.
      await bus.receive({
        event: `service:${queueOf(notice)}`,
        messageId,
        payload: JSON.parse(summary) as Json,
        guard: id,
      });
    },
  };
}
