import { isExecutionId, type JsonObject } from "@downbeat/engine";
import { noSuchWorkflow, type Runtime } from "@downbeat/server";
import type { ModelCosts } from "../cost/model-costs.ts";
import type { Usage } from "../cost/usage.ts";
import { type CallUsage, costOfTask, usageOf, usageOfTree } from "./usage.ts";
import { findWaiting, pendingTool, readTask } from "./waiting.ts";
import { readExecution, readText, type WireTask } from "./wire.ts";

const ENDED = new Set(["COMPLETED", "FAILED", "TIMED_OUT", "TERMINATED"]);
const TASK_ENDED = new Set([
  "COMPLETED",
  "COMPLETED_WITH_ERRORS",
  "FAILED",
  "FAILED_WITH_TERMINAL_ERROR",
  "TIMED_OUT",
  "CANCELED",
  "SKIPPED",
]);

/** AgentStatus: how a run stands, and what it waits for. */
export async function runStatus(runtime: Runtime, id: string): Promise<object> {
  const run = await readExecution(runtime, id, false);
  const { status, reasonForIncompletion, startTime, endTime } = run;
  const isComplete = ENDED.has(status);
  const [waiting] = isComplete ? [] : await findWaiting(runtime, id);
  const question = waiting === undefined ? undefined : await readTask(runtime, waiting);
  return {
    executionId: id,
    status,
    startTime,
    ...(endTime > 0 ? { endTime } : {}),
    isComplete,
    isRunning: status === "RUNNING",
    isWaiting: question !== undefined,
    ...(isComplete ? { output: run.output } : {}),
    ...(reasonForIncompletion === undefined ? {} : { reasonForIncompletion }),
    ...(question === undefined || waiting === undefined
      ? {}
      : {
          pendingTool: {
            ...pendingTool(question),
            // Asked somewhere inside: the answer may go to either.
            ...(waiting.head.id === id ? {} : { executionId: waiting.head.id }),
          },
        }),
  };
}

/** AgentExecutionDetail. */
export async function runDetail(runtime: Runtime, id: string): Promise<object> {
  const run = await readExecution(runtime, id, true);
  const current = run.tasks.findLast(({ status }) => !TASK_ENDED.has(status));
  return {
    executionId: id,
    agentName: run.workflowName,
    version: run.workflowVersion,
    status: run.status,
    input: run.input,
    output: run.output,
    ...(current === undefined ? {} : { currentTask: currentTask(current) }),
  };
}

const currentTask = ({ referenceTaskName, taskType, status, inputData, outputData }: WireTask): object => ({
  taskRefName: referenceTaskName,
  taskType,
  status,
  inputData,
  outputData,
});

/** AgentRun: what clients read results from. */
export async function runObject(runtime: Runtime, costs: ModelCosts, id: string): Promise<object> {
  const run = await readExecution(runtime, id, true);
  const costOf = await costs.load();
  const tokenUsage = usageOf(run.tasks, costOf);
  return {
    executionId: id,
    agentName: run.workflowName,
    version: run.workflowVersion,
    status: run.status,
    startTime: run.startTime,
    endTime: run.endTime,
    input: run.input,
    output: run.output,
    ...(tokenUsage === undefined ? {} : { tokenUsage }),
    tasks: run.tasks.map((task) => {
      const { taskType, referenceTaskName, status, subWorkflowId, inputData, outputData } = task;
      return {
        taskType,
        referenceTaskName,
        status,
        ...(subWorkflowId === undefined ? {} : { subWorkflowId }),
        inputData,
        outputData,
        ...costOfTask(task, costOf),
      };
    }),
  };
}

/** The whole execution as JSON text, with the tokens of everything inside it and what they cost. */
export async function runWithUsage(runtime: Runtime, costs: ModelCosts, id: string): Promise<string> {
  const text = await readText(runtime, id, true);
  const { usage } = await usageOfTree(runtime, costs, id);
  return `${text.slice(0, -1)},"aggregateTokenUsage":${JSON.stringify(usage)}}`;
}

type RunUsage = Usage & { readonly calls?: readonly CallUsage[] };

/** AgentTokenUsage of a run and everything inside it. Throws a 404 when there is none. */
export async function runUsage(runtime: Runtime, costs: ModelCosts, id: string, hasCalls: boolean): Promise<RunUsage> {
  if (!isExecutionId(id) || (await runtime.loadHead(id)) === undefined) throw noSuchWorkflow(id);
  const { usage, calls } = await usageOfTree(runtime, costs, id);
  return hasCalls ? { ...usage, calls } : usage;
}

export type TaskPage = { readonly status: readonly string[]; readonly start: number; readonly count: number };

/** Some of a run's tasks, and how many stand how. */
export async function runTasks(
  runtime: Runtime,
  costs: ModelCosts,
  id: string,
  { status, start, count }: TaskPage,
): Promise<object> {
  const { tasks } = await readExecution(runtime, id, true);
  const costOf = await costs.load();
  const summary: Record<string, number> = {};
  for (const task of tasks) summary[task.status] = (summary[task.status] ?? 0) + 1;
  const wanted = status.length === 0 ? tasks : tasks.filter((task) => status.includes(task.status));
  const from = Math.max(0, start);
  const page = wanted.slice(from, from + Math.max(0, count));
  const results = page.map((task) => ({ ...task, ...costOfTask(task, costOf) }));
  return { results, totalHits: wanted.length, summary };
}

/** AgentSummary without what is not set. */
export const withoutAbsent = (members: Record<string, unknown>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;
