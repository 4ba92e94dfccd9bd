import { type Event, isExecutionId, isJsonObject, type JsonObject } from "@downbeat/engine";
import { readWorkflow } from "../../runtime/read-execution.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { type Api, json, nothing } from "../api.ts";
import { mapBody, optionsBody } from "../body.ts";
import { assertAccepted, invalidInput, noSuchWorkflow, notFound } from "../errors.ts";
import { freeObject, signalResponseModel, workflowModel } from "../models.ts";
import { apply } from "../operations.ts";
import { text } from "../parameters.ts";
import { sendJson } from "../reply.ts";
import { answerAtStandstill, toWait, waitParameters } from "../sync-answer.ts";
import { readTaskResult, taskResultModel } from "../task-update.ts";

const stateUpdate = {
  type: "object",
  properties: {
    taskReferenceName: { type: "string", description: "Which open task the result is for" },
    taskResult: taskResultModel,
    variables: freeObject,
  },
};

const upgradeRequest = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", description: "Name of the execution's definition" },
    version: { type: "integer", description: "The latest when left out" },
    workflowInput: { ...freeObject, description: "Laid over the input" },
    taskOutput: {
      ...freeObject,
      description: "Outputs of tasks that the new version has and the execution is past, by reference name",
    },
  },
};

/** Changing a running execution from outside: its variables, where it stands, what it runs. */
export function workflowStateRoutes(api: Api, runtime: Runtime): void {
  api.post(
    "/workflow/:id/variables",
    {
      summary: "Set variables of a running execution",
      body: mapBody("Laid over the variables there are"),
      answers: { 200: json(workflowModel, "The execution after it") },
    },
    async ({ params: { id }, body: variables }, reply) => {
      await apply(runtime, id, { kind: "set-variables", variables });
      const workflow = await readWorkflow(runtime, id, { includeTasks: true });
      if (workflow === undefined) throw noSuchWorkflow(id);
      return sendJson(reply, workflow);
    },
  );

  api.post(
    "/workflow/:id/state",
    {
      summary: "Set variables and report on a task, then wait for what comes of it",
      query: waitParameters,
      body: optionsBody(stateUpdate, "What to set"),
      answers: { 200: json(signalResponseModel, "How the execution stands") },
    },
    async ({ params: { id }, query, body }, reply) => {
      await updateState(runtime, id, body);
      return await answerAtStandstill(runtime, id, { responseType: "TARGET_WORKFLOW", ...toWait(query) }, reply);
    },
  );

  api.post(
    "/workflow/:id/jump/:ref",
    {
      summary: "Go on from another task",
      description:
        "The task must be in the definition's outermost sequence. What is open is skipped, what is passed over is not run.",
      query: { taskReferenceName: text("Instead of the one in the path, for clients that cannot put it there") },
      body: mapBody("Laid over the task's input"),
      answers: { 200: nothing() },
    },
    async ({ params, query: { taskReferenceName }, body }, reply) => {
      const taskInput = Object.keys(body).length === 0 ? {} : { taskInput: body };
      await apply(runtime, params.id, { kind: "jump", ref: taskReferenceName ?? params.ref, ...taskInput });
      return reply.send();
    },
  );

  api.post(
    "/workflow/:id/upgrade",
    {
      summary: "Go on with another version of the definition",
      body: optionsBody(upgradeRequest, "Which version, and what it needs"),
      answers: { 200: nothing() },
    },
    async ({ params: { id }, body }, reply) => {
      await upgrade(runtime, id, body);
      return reply.send();
    },
  );
}

/** The variables first: the task's successors see them. */
async function updateState(runtime: Runtime, id: string, body: JsonObject): Promise<void> {
  if (!isExecutionId(id) || (await runtime.loadHead(id)) === undefined) throw noSuchWorkflow(id);
  const { taskReferenceName: ref, taskResult, variables } = body;
  const events: Event[] = isJsonObject(variables) ? [{ kind: "set-variables", variables }] : [];
  if (isJsonObject(taskResult)) {
    if (typeof ref !== "string" || ref === "") throw invalidInput("Expected taskReferenceName beside taskResult");
    const task = await runtime.findOpenTask(id, ref);
    if (task === undefined) throw notFound(`Found no running task ${ref} of workflow ${id} to update`);
    const { event } = readTaskResult({ ...taskResult, workflowInstanceId: id, taskId: id });
    events.push({ ...event, no: task.no });
  }
  const refusals = await Promise.all(events.map((event) => runtime.dispatch(id, event)));
  for (const refusal of refusals) assertAccepted(refusal);
}

async function upgrade(runtime: Runtime, id: string, body: JsonObject): Promise<void> {
  const head = isExecutionId(id) ? await runtime.loadHead(id) : undefined;
  if (head === undefined) throw noSuchWorkflow(id);
  const { name, version, workflowInput, taskOutput } = body;
  if (name !== undefined && name !== null && name !== head.workflowName) {
    throw invalidInput(`Expected name to be ${head.workflowName}, the execution's definition, got ${String(name)}`);
  }
  if (version !== undefined && version !== null && !Number.isInteger(version))
    throw invalidInput(`Expected version to be a whole number, got ${JSON.stringify(version)}`);
  const pinned = runtime.definitions.pinRegistered(
    head.workflowName,
    typeof version === "number" ? version : undefined,
  );
  if (pinned === undefined) {
    throw notFound(`No such workflow found by name: ${head.workflowName}, version: ${String(version ?? null)}`);
  }
  await apply(runtime, id, {
    kind: "upgrade",
    defHash: pinned.hash,
    workflowVersion: pinned.version,
    workflowInput: isJsonObject(workflowInput) ? workflowInput : {},
    taskOutput: isJsonObject(taskOutput) ? taskOutput : {},
  });
}
