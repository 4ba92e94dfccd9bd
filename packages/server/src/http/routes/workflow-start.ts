import { normalizeStartRequest, startRequestModel } from "@downbeat/engine";
import type { Runtime } from "../../runtime/runtime.ts";
import { type Api, json, plainText } from "../api.ts";
import { jsonBody, mapBody } from "../body.ts";
import { assertValid, invalidInput, notFound } from "../errors.ts";
import { signalResponseModel } from "../models.ts";
import { integer, oneOf, optionalInteger, text } from "../parameters.ts";
import { sendText } from "../reply.ts";
import { startFromRequest } from "../start.ts";
import { answerAtStandstill, toWait, waitParameters } from "../sync-answer.ts";
import { returnStrategies } from "../wire/run.ts";

/** Starting executions, and waiting for what comes of it. */
export function workflowStartRoutes(api: Api, runtime: Runtime): void {
  const started = { 200: plainText("Id of the execution, which is on disk") };

  api.post(
    "/workflow",
    {
      summary: "Start an execution",
      body: jsonBody(startRequestModel, "Which definition, with what"),
      answers: started,
    },
    async ({ body }, reply) => sendText(reply, await startFromRequest(runtime, normalizeStartRequest(body))),
  );

  api.post(
    "/workflow/:name",
    {
      summary: "Start an execution of a registered definition",
      query: {
        version: optionalInteger("The latest when left out"),
        correlationId: text("Kept with the execution, to find it by"),
        priority: integer(0, "0 to 99; higher is served first"),
      },
      body: mapBody("Input of the execution"),
      answers: started,
    },
    async ({ params: { name }, query: { version, correlationId, priority }, body: input }, reply) => {
      const path = "startWorkflow.arg3";
      const invalidValue = String(priority);
      if (priority < 0) assertValid([{ path, message: "0 is the minimum priority value", invalidValue }]);
      if (priority > 99) assertValid([{ path, message: "99 is the maximum priority value", invalidValue }]);
      if (runtime.definitions.findWorkflowDef(name, version) === undefined) {
        throw notFound(`No such workflow found by name: ${name}, version: ${version ?? "null"}`);
      }
      const id = await startFromRequest(runtime, {
        name,
        priority,
        input,
        ...(version === undefined ? {} : { version }),
        ...(correlationId === undefined ? {} : { correlationId }),
      });
      return sendText(reply, id);
    },
  );

  api.post(
    "/workflow/execute/:name/:version",
    {
      summary: "Start an execution and wait for it",
      description:
        "Answers when the execution has ended, when it waits for a signal or a person, when a task of `waitUntilTaskRef` has ended, or when the time is up (`signalTimeout` is then true and the execution goes on).",
      query: {
        ...waitParameters,
        consistency: text("Accepted for old clients; every answer is durable"),
        returnStrategy: oneOf(returnStrategies, "TARGET_WORKFLOW", "What the answer shows"),
      },
      body: jsonBody(startRequestModel, "As for a start; name and version are those of the path, 0 is the latest"),
      answers: { 200: json(signalResponseModel, "How the execution stands") },
    },
    async ({ params: { name, version }, query, body }, reply) => {
      if (!/^-?\d{1,9}$/.test(version))
        throw invalidInput(`Expected the version in the path to be a whole number, got "${version}"`);
      const { version: _replaced, ...request } = normalizeStartRequest(body);
      const isDynamic = (request.workflowDef?.tasks.length ?? 0) > 0;
      const id = await startFromRequest(runtime, {
        ...request,
        name,
        ...(Number(version) === 0 ? {} : { version: Number(version) }),
        ...(isDynamic ? { input: { ...request.input, _systemMetadata: { dynamic: true } } } : {}),
      });
      return await answerAtStandstill(runtime, id, { responseType: query.returnStrategy, ...toWait(query) }, reply);
    },
  );
}
