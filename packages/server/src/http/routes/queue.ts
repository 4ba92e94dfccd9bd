import { type Api, json, nothing } from "../api.ts";
import { mapBody } from "../body.ts";
import { invalidInput } from "../errors.ts";
import { counts, mapOf } from "../models.ts";
import { sendValue } from "../reply.ts";

const statuses = new Set([
  "IN_PROGRESS",
  "CANCELED",
  "FAILED",
  "FAILED_WITH_TERMINAL_ERROR",
  "COMPLETED",
  "COMPLETED_WITH_ERRORS",
  "SCHEDULED",
  "TIMED_OUT",
  "SKIPPED",
]);

/** Broker queues whose messages end WAIT tasks. A server without a broker has none. */
export function queueRoutes(api: Api): void {
  api.get(
    "/queue/",
    { summary: "Queues by the status they set", answers: { 200: json(mapOf({ type: "string" }), "None") } },
    (_call, reply) => sendValue(reply, {}),
  );

  api.get(
    "/queue/size",
    { summary: "Messages in each queue", answers: { 200: json(counts, "None") } },
    (_call, reply) => sendValue(reply, {}),
  );

  const body = mapBody("Output of the task");
  const answers = { 200: nothing("Sent") };
  const refuse = (status: string): never => {
    if (!statuses.has(status))
      throw invalidInput(`Expected status to be one of ${[...statuses].join(", ")}, got ${status}`);
    throw invalidInput(`There is no queue for handling ${status} status`);
  };

  api.post(
    "/queue/update/:workflowId/:ref/:status",
    { summary: "Send a message for a task, by its reference name", body, answers },
    ({ params: { status } }) => refuse(status),
  );

  api.post(
    "/queue/update/:workflowId/task/:taskId/:status",
    { summary: "Send a message for a task, by its id", body, answers },
    ({ params: { status } }) => refuse(status),
  );
}
