import type { JsonObject } from "@downbeat/engine";
import type { StatusQueues } from "../../events/status-queues.ts";
import { reasonOf } from "../../outbound/reason-of.ts";
import { type Api, json, nothing } from "../api.ts";
import { mapBody } from "../body.ts";
import { HttpError, invalidInput } from "../errors.ts";
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
export function queueRoutes(api: Api, queues: StatusQueues): void {
  api.get(
    "/queue/",
    {
      summary: "Queues by the status they set",
      answers: { 200: json(mapOf({ type: "string" }), "None where no broker is chosen") },
    },
    (_call, reply) => sendValue(reply, Object.fromEntries(queues.events)),
  );

  api.get(
    "/queue/size",
    { summary: "Messages in each queue", answers: { 200: json(counts, "Where the broker counts them") } },
    async (_call, reply) => sendValue(reply, await reached(queues.sizes())),
  );

  const body = mapBody("Output of the task");
  const answers = { 200: nothing("Sent") };
  const send = async (status: string, target: Parameters<StatusQueues["send"]>[1], output: JsonObject) => {
    if (!statuses.has(status))
      throw invalidInput(`Expected status to be one of ${[...statuses].join(", ")}, got ${status}`);
    if (!(await reached(queues.send(status, target, output))))
      throw invalidInput(`There is no queue for handling ${status} status`);
  };

  api.post(
    "/queue/update/:workflowId/:ref/:status",
    { summary: "Send a message for a task, by its reference name", body, answers },
    async ({ params: { workflowId, ref, status }, body: output }, reply) => {
      await send(status, { workflowId, taskRefName: ref }, output);
      return reply.send();
    },
  );

  api.post(
    "/queue/update/:workflowId/task/:taskId/:status",
    { summary: "Send a message for a task, by its id", body, answers },
    async ({ params: { workflowId, taskId, status }, body: output }, reply) => {
      await send(status, { workflowId, taskId }, output);
      return reply.send();
    },
  );
}

/** A broker that does not answer is not the caller's mistake, and may answer later. */
const reached = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw new HttpError(503, `The broker could not be reached: ${reasonOf(error)}`, { retryable: true });
  });
