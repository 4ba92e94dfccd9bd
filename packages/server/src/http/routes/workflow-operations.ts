import {
  isExecutionId,
  isJsonObject,
  isWorkflowTerminal,
  type JsonObject,
  parseTaskId,
  RawJson,
} from "@downbeat/engine";
import type { Runtime } from "../../runtime/runtime.ts";
import { type Api, nothing, plainText } from "../api.ts";
import { optionsBody } from "../body.ts";
import { isPartOf } from "../descendants.ts";
import { conflict, invalidInput, noSuchWorkflow } from "../errors.ts";
import { freeObject } from "../models.ts";
import {
  apply,
  decide,
  type Operation,
  pause,
  remove,
  resetCallbacks,
  restart,
  resume,
  retry,
  terminate,
  terminateRemove,
} from "../operations.ts";
import { flag, text } from "../parameters.ts";
import { type Reply, sendText } from "../reply.ts";

export const rerunRequest = {
  type: "object",
  properties: {
    reRunFromWorkflowId: { type: "string", description: "Replaced by the id in the path" },
    reRunFromTaskId: { type: "string", description: "The whole execution when left out" },
    workflowInput: freeObject,
    taskInput: freeObject,
    correlationId: { type: "string" },
  },
};

const skipRequest = { type: "object", properties: { taskInput: freeObject, taskOutput: freeObject } };

const archive = flag(true, "Keep its summary in search");
const reason = text("Kept as reasonForIncompletion");

/** What an operator does to one execution. */
export function workflowOperationRoutes(api: Api, runtime: Runtime): void {
  const done = { 200: nothing() };

  const operate = async (operation: Operation, id: string, reply: Reply): Promise<Reply> => {
    await operation(runtime, id);
    return reply.send();
  };

  api.put(
    "/workflow/:id/pause",
    { summary: "Pause: nothing more is scheduled, what is under way goes on", answers: done },
    ({ params }, reply) => operate(pause, params.id, reply),
  );

  api.put("/workflow/:id/resume", { summary: "Resume a paused execution", answers: done }, ({ params }, reply) =>
    operate(resume, params.id, reply),
  );

  api.put("/workflow/decide/:id", { summary: "Look at an execution again", answers: done }, ({ params }, reply) =>
    operate(decide, params.id, reply),
  );

  api.post(
    "/workflow/:id/resetcallbacks",
    { summary: "Offer delayed worker tasks at once", answers: done },
    ({ params }, reply) => operate(resetCallbacks, params.id, reply),
  );

  api.post(
    "/workflow/:id/restart",
    {
      summary: "Start an ended execution anew, from the beginning",
      query: { useLatestDefinitions: flag(false, "With the latest definition instead of its own") },
      answers: done,
    },
    ({ params, query }, reply) => operate(restart(query.useLatestDefinitions), params.id, reply),
  );

  api.post(
    "/workflow/:id/retry",
    {
      summary: "Try the failed tasks of an ended execution again",
      query: { resumeSubworkflowTasks: flag(false, "Go on inside failed sub-workflows instead of starting new ones") },
      answers: done,
    },
    ({ params, query }, reply) => operate(retry(query.resumeSubworkflowTasks), params.id, reply),
  );

  api.post(
    "/workflow/:id/rerun",
    {
      summary: "Run an ended execution again from one of its tasks",
      body: optionsBody(rerunRequest, "From where, and with what"),
      answers: { 200: plainText("Id of the execution") },
    },
    async ({ params: { id }, body }, reply) => {
      await rerun(runtime, id, body);
      return sendText(reply, id);
    },
  );

  api.withRequest(
    "PUT",
    "/workflow/:id/skiptask/:ref",
    {
      summary: "Skip a task that has not been reached",
      body: optionsBody(skipRequest, "Input and output the skipped task is to show"),
      answers: done,
    },
    ({ params: { id, ref }, body: { taskInput, taskOutput }, request }, reply) => {
      const inQuery = (name: string) => mapInQuery(request.query, name);
      const input = isJsonObject(taskInput) ? taskInput : inQuery("taskInput");
      const output = isJsonObject(taskOutput) ? taskOutput : inQuery("taskOutput");
      return operate(
        (_runtime, execution) =>
          apply(runtime, execution, {
            kind: "skip",
            ref,
            ...(input === undefined ? {} : { taskInput: input }),
            ...(output === undefined ? {} : { taskOutput: output }),
          }),
        id,
        reply,
      );
    },
  );

  api.delete(
    "/workflow/:id",
    {
      summary: "Terminate an execution",
      query: { reason, triggerFailureWorkflow: flag(false, "Start its failure workflow") },
      answers: done,
    },
    ({ params, query }, reply) => operate(terminate(query.reason, query.triggerFailureWorkflow), params.id, reply),
  );

  api.delete(
    "/workflow/:id/remove",
    {
      summary: "Remove an execution for good; one that runs is terminated first",
      query: { archiveWorkflow: archive },
      answers: done,
    },
    ({ params, query }, reply) => operate(remove(query.archiveWorkflow), params.id, reply),
  );

  api.delete(
    "/workflow/:id/terminate-remove",
    {
      summary: "Terminate an execution, then remove it",
      query: { reason, archiveWorkflow: archive },
      answers: done,
    },
    ({ params, query }, reply) => operate(terminateRemove(query.archiveWorkflow, query.reason), params.id, reply),
  );
}

/** Runs an ended execution again: all of it, or from a task, its own or of a sub-workflow. */
export async function rerun(runtime: Runtime, id: string, body: JsonObject): Promise<void> {
  const { reRunFromTaskId: from, taskInput, workflowInput, correlationId } = body;
  const common = {
    ...(isJsonObject(workflowInput) ? { workflowInput: new RawJson(JSON.stringify(workflowInput)) } : {}),
    ...(typeof correlationId === "string" ? { correlationId } : {}),
    ...(isJsonObject(taskInput) ? { taskInput } : {}),
  };
  if (from === undefined || from === null || from === "") {
    await apply(runtime, id, { kind: "rerun", ...common });
    return;
  }
  await assertCanRerun(runtime, id);
  const target = typeof from === "string" ? parseTaskId(from) : undefined;
  const isFound =
    target !== undefined &&
    (await isPartOf(runtime, id, target.executionId)) &&
    (await runtime.findTask(target.executionId, target.no)) !== undefined;
  if (!isFound) throw invalidInput(`Task ${String(from)} not found`);
  await apply(runtime, target.executionId, { kind: "rerun", fromNo: target.no, ...common });
}

/** Said before the task is looked for, as the interface does: a running execution is a 409 whatever task is named. */
async function assertCanRerun(runtime: Runtime, id: string): Promise<void> {
  const head = isExecutionId(id) ? await runtime.loadHead(id) : undefined;
  if (head === undefined) throw noSuchWorkflow(id);
  if (isWorkflowTerminal(head.status)) return;
  const name = `${head.workflowName}.${head.workflowVersion}/${id}.${head.status}`;
  throw conflict(`Workflow: ${name} is not in terminal state, unable to rerun.`);
}

/** A map written as query parameters, `taskOutput[key]=text`: the form old clients use. */
function mapInQuery(query: unknown, name: string): JsonObject | undefined {
  const entries = Object.entries((query ?? {}) as Record<string, string | string[]>)
    .filter(([key]) => key.startsWith(`${name}[`) && key.endsWith("]"))
    .map(([key, value]) => [key.slice(name.length + 1, -1), typeof value === "string" ? value : (value[0] ?? "")]);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
