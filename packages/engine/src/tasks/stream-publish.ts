import type { InputCall, TaskType } from "../registry.ts";

const mapInput = ({ entry, resolved }: InputCall) =>
  entry.task.asyncComplete ? { asyncComplete: true, ...resolved } : resolved;

/** STREAM_PUBLISH: one record to a Kafka topic that the task itself names the brokers of. */
export const streamPublish: TaskType = {
  type: "STREAM_PUBLISH",
  mode: "outside",
  initialStatus: "SCHEDULED",
  mapInput,
};

/** The same under its older name. */
export const kafkaPublish: TaskType = { ...streamPublish, type: "KAFKA_PUBLISH" };
