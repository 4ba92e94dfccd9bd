import { randomUUID } from "node:crypto";
import { isExecutionId, isJsonObject } from "@downbeat/engine";
import type { Runtime } from "../../runtime/runtime.ts";
import { type Api, plainText } from "../api.ts";
import { jsonBody, kindOf } from "../body.ts";
import { assertAccepted, invalidInput, notFound } from "../errors.ts";
import { freeObject } from "../models.ts";
import { sendText } from "../reply.ts";

/** Messages for running executions. There is no such route unless they are switched on. */
export function workflowMessageRoutes(api: Api, runtime: Runtime): void {
  if (!runtime.config["service.workflow-message-queue.enabled"]) return;

  api.post(
    "/workflow/:id/messages",
    {
      summary: "Push a message into a running execution",
      description:
        "The message waits in the execution's queue until a PULL_WORKFLOW_MESSAGES task takes it; one that waits already takes it at once. 409 when the execution does not run, 429 when its queue is full.",
      body: jsonBody(freeObject, "Any JSON object"),
      answers: { 200: plainText("Id of the message, which is on disk") },
    },
    async ({ params: { id: workflowId }, body }, reply) => {
      if (!isJsonObject(body)) throw invalidInput(`Expected a JSON object as message, got ${kindOf(body)}`);
      const id = randomUUID();
      const message = { id, workflowId, payload: body, receivedAt: new Date(runtime.clock()).toISOString() };
      const refusal = isExecutionId(workflowId)
        ? await runtime.dispatch(workflowId, { kind: "message", text: JSON.stringify(message) })
        : noExecution;
      if (refusal?.code === "no-execution") throw notFound(`Workflow not found: ${workflowId}`);
      assertAccepted(refusal);
      return sendText(reply, id);
    },
  );
}

const noExecution = { code: "no-execution", message: "" } as const;
