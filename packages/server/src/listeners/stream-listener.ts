import type { Config } from "../config.ts";
import type { Sinks } from "../events/sinks/sinks.ts";
import type { Listener, Told } from "./listener.ts";
import type { Notice } from "./notice.ts";

/** What happened, in lower case: `completed`, `failed_with_terminal_error`. */
const eventTypeOf = (notice: Notice): string =>
  notice.kind === "workflow" ? notice.event : notice.task.status.toLowerCase();

/** `{workflowName, eventType, payload}`, the form of messages about executions. */
export const envelope = ({ notice, summaryWithObjects }: Told): string =>
  `{"workflowName":${JSON.stringify(notice.head.workflowName)},"eventType":${JSON.stringify(eventTypeOf(notice))},"payload":${summaryWithObjects}}`;

/** Publishes to Kafka: to the topic of the event, or to the one for all. */
export function kafkaListener(kind: "workflow" | "task", config: Config, sinks: Sinks): Listener {
  const everything =
    kind === "workflow"
      ? config["service.workflow-status-listener.kafka.default-topic"]
      : config["service.task-status-listener.kafka.default-topic"];
  const own = new Map(
    config["service.workflow-status-listener.kafka.event-topics"].map((pair): [string, string] => {
      const [event = "", topic = ""] = pair.split("=", 2);
      return [event.trim().toLowerCase(), topic.trim()];
    }),
  );
  return {
    name: kind === "workflow" ? "kafka" : "task_kafka",
    wants: (notice, isEnabled) => notice.kind === kind && isEnabled,
    async tell(told) {
      const topic = (kind === "workflow" ? own.get(eventTypeOf(told.notice)) : undefined) ?? everything;
      await sinks.publish(`kafka:${topic}`, { id: told.id, text: envelope(told), key: told.notice.head.id });
    },
  };
}
