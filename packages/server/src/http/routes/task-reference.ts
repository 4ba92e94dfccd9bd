import { randomUUID } from "node:crypto";
import { isExecutionId, type JsonObject, RawJson, type TaskResult } from "@downbeat/engine";
import { findBlocked, isSignalable } from "../../runtime/blocked.ts";
import { readWorkflow } from "../../runtime/read-execution.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { type Api, json, nothing } from "../api.ts";
import { mapBody } from "../body.ts";
import { assertAccepted, noSuchWorkflow, notFound } from "../errors.ts";
import { signalResponseModel, workflowModel } from "../models.ts";
import { integer, oneOf, text } from "../parameters.ts";
import { sendJson } from "../reply.ts";
import { answerAtStandstill } from "../sync-answer.ts";
import { parseResultStatus } from "../task-update.ts";
import { returnStrategies } from "../wire/run.ts";

const LONGEST_WAIT_MS = 3_600_000;

/** Tasks ended from outside without their ids: by reference name, or by a signal to whatever an execution waits at. */
export function taskReferenceRoutes(api: Api, runtime: Runtime): void {
  const body = mapBody("Output, laid over what the task has");
  const query = { workerid: text("Shown as the task's workerId") };

  api.post(
    "/tasks/:workflowId/:ref/:status",
    { summary: "Report on a task by its reference name", query, body, answers: { 200: nothing("Done") } },
    async ({ params: { workflowId, ref, status }, query: { workerid }, body: output }, reply) => {
      const isFound = await updateByReference(runtime, { workflowId, ref }, toResult(status, output, workerid));
      // Word about a task that has ended comes too late and changes nothing.
      if (!isFound && !(await runtime.hasTask(workflowId, ref))) throw noSuchTask(workflowId, ref);
      return reply.send();
    },
  );

  api.post(
    "/tasks/:workflowId/:ref/:status/sync",
    {
      summary: "Report on a task by its reference name and see the execution",
      query,
      body,
      answers: { 200: json(workflowModel, "The execution after it") },
    },
    async ({ params: { workflowId, ref, status }, query: { workerid }, body: output }, reply) => {
      const isFound = await updateByReference(runtime, { workflowId, ref }, toResult(status, output, workerid));
      if (!isFound) throw noSuchTask(workflowId, ref);
      const workflow = await readWorkflow(runtime, workflowId, { includeTasks: true });
      if (workflow === undefined) throw noSuchWorkflow(workflowId);
      return sendJson(reply, workflow);
    },
  );

  const signalDescription =
    "The task is the first open WAIT, HUMAN or YIELD, in the execution or depth first in its sub-workflows.";

  api.post(
    "/tasks/:workflowId/:status/signal",
    {
      summary: "End the task an execution waits at",
      description: signalDescription,
      body,
      answers: { 200: nothing("Done, or nothing was waiting") },
    },
    async ({ params: { workflowId, status }, body: output }, reply) => {
      await signal(runtime, workflowId, toResult(status, output, undefined));
      return reply.send();
    },
  );

  api.post(
    "/tasks/:workflowId/:status/signal/sync",
    {
      summary: "End the task an execution waits at, and wait for what comes of it",
      description: signalDescription,
      query: {
        returnStrategy: oneOf(returnStrategies, "TARGET_WORKFLOW", "What the answer shows"),
        timeoutMillis: integer(5000, "Longest time to wait"),
      },
      body,
      answers: { 200: json(signalResponseModel, "How the execution stands") },
    },
    async ({ params: { workflowId, status }, query: { returnStrategy, timeoutMillis }, body: output }, reply) => {
      const isSignalled = await signal(runtime, workflowId, toResult(status, output, undefined));
      if (!isSignalled) throw notFound(`Found no blocked task in workflow ${workflowId} to signal`);
      return await answerAtStandstill(
        runtime,
        workflowId,
        {
          responseType: returnStrategy,
          requestId: randomUUID(),
          timeoutMs: Math.min(LONGEST_WAIT_MS, Math.max(0, timeoutMillis)),
        },
        reply,
      );
    },
  );
}

function toResult(status: string, output: JsonObject, workerId: string | undefined): TaskResult {
  return {
    status: parseResultStatus(status),
    output: new RawJson(JSON.stringify(output)),
    outputMode: "merge",
    ...(workerId === undefined ? {} : { workerId }),
  };
}

type Place = { readonly workflowId: string; readonly ref: string };

const noSuchTask = (workflowId: string, ref: string) =>
  notFound(`Found no running task ${ref} of workflow ${workflowId} to update`);

/** False when no task of this reference name is open. */
async function updateByReference(runtime: Runtime, { workflowId, ref }: Place, result: TaskResult): Promise<boolean> {
  if (!isExecutionId(workflowId) || (await runtime.loadHead(workflowId)) === undefined)
    throw noSuchWorkflow(workflowId);
  const task = await runtime.findOpenTask(workflowId, ref);
  if (task === undefined) return false;
  assertAccepted(await runtime.dispatch(workflowId, { kind: "task-result", no: task.no, result }));
  return true;
}

/** False when nothing waits for a signal. */
async function signal(runtime: Runtime, workflowId: string, result: TaskResult): Promise<boolean> {
  if (!isExecutionId(workflowId) || (await runtime.loadHead(workflowId)) === undefined)
    throw noSuchWorkflow(workflowId);
  for (;;) {
    const blocked = await findBlocked(runtime, workflowId, { isSought: isSignalable });
    if (blocked === undefined) return false;
    const { head, task } = blocked;
    const refusal = await runtime.dispatch(head.id, { kind: "task-result", no: task.no, result, onlyIfOpen: true });
    // Another signal was faster: this one is for what comes next.
    if (refusal?.code === "conflict") continue;
    assertAccepted(refusal);
    return true;
  }
}
