import { type Json, type JsonObject, type Plan, type Task, taskId } from "@downbeat/engine";
import type { Runtime } from "@downbeat/server";
import { type ModelCall, modelCallOf, type Tokens } from "../cost/model-call.ts";
import type { CostOf, ModelCosts } from "../cost/model-costs.ts";
import { type Cost, costOfCall, modelName, type Usage, UsageSum } from "../cost/usage.ts";
import type { WireTask } from "./wire.ts";

export const MODEL_CALL = "LLM_CHAT_COMPLETE";
const MOST_RUNS = 10_000;

/** Undefined when no model was asked. */
export function usageOf(tasks: readonly WireTask[], costOf: CostOf): Usage | undefined {
  const calls = tasks.filter(({ taskType }) => taskType === MODEL_CALL);
  if (calls.length === 0) return undefined;
  const sum = new UsageSum(costOf);
  for (const task of calls) sum.add(callOfWire(task));
  return sum.usage;
}

/** What a task cost, if it asked a model. */
export const costOfTask = (task: WireTask, costOf: CostOf): Cost =>
  task.taskType === MODEL_CALL ? costOfCall(callOfWire(task), costOf) : {};

function callOfWire({ inputData, outputData, endTime }: WireTask): ModelCall {
  return modelCallOf({ ...namesIn(inputData), at: endTime }, outputData);
}

/** One call of a model in a run, or in a run inside it. */
export type CallUsage = Tokens &
  Cost & { readonly executionId: string; readonly taskId: string; readonly model: string };

type Tree = { readonly usage: Usage; readonly calls: readonly CallUsage[] };

/** Tokens and cost over a run and all runs inside it, in sum and call by call. */
export async function usageOfTree(runtime: Runtime, costs: ModelCosts, id: string): Promise<Tree> {
  const { executions } = runtime.store;
  const costOf = await costs.load();
  const sum = new UsageSum(costOf);
  const calls: CallUsage[] = [];
  const waiting = [id];
  for (let seen = 0; seen < MOST_RUNS; seen++) {
    const next = waiting.shift();
    if (next === undefined) break;
    const head = await runtime.loadHead(next);
    if (head === undefined) continue;
    const plan = await runtime.definitions.loadPlan(head.defHash);
    for (const task of await executions.all(head)) {
      if (task.subWorkflowId !== undefined) waiting.push(task.subWorkflowId);
      if (task.taskType !== MODEL_CALL) continue;
      const { value } = await executions.payload(next, task.no, "output");
      const names = namesInPlan(plan, task) ?? namesIn((await executions.payload(next, task.no, "input")).value);
      const call = modelCallOf({ ...names, at: task.endTime || task.updateTime }, (value ?? {}) as JsonObject);
      sum.add(call);
      const { promptTokens, completionTokens, totalTokens } = call;
      calls.push({
        executionId: next,
        taskId: taskId(next, task.no),
        model: modelName(call),
        promptTokens,
        completionTokens,
        totalTokens,
        ...costOfCall(call, costOf),
      });
    }
  }
  return { usage: sum.usage, calls };
}

type Names = { readonly provider: string; readonly model: string };

/** Agents' definitions name their models. Inputs do too, but with the whole conversation beside them: those are read last. */
function namesInPlan({ entries }: Plan, { ref, tree }: Task): Names | undefined {
  const { llmProvider, model } = (tree === 0 ? entries.get(ref)?.task.inputParameters : undefined) ?? {};
  const isWritten = (value: unknown): value is string => typeof value === "string" && !value.includes("$");
  return isWritten(llmProvider) && isWritten(model) ? { provider: llmProvider, model } : undefined;
}

function namesIn(input: Json): Names {
  const { llmProvider, model } = (input ?? {}) as JsonObject;
  return { provider: textOf(llmProvider), model: textOf(model) };
}

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");
