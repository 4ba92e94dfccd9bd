import type { Json } from "@downbeat/engine";
import type { Runtime } from "@downbeat/server";

/** Tokens of the models of a run. */
export type TokenUsage = {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
};

export const MODEL_CALL = "LLM_CHAT_COMPLETE";
const none: TokenUsage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
const MOST_RUNS = 10_000;

type Output = { readonly [name: string]: Json };

/** Undefined when no model was asked. */
export function usageOf(
  tasks: readonly { readonly taskType: string; readonly outputData: Output }[],
): TokenUsage | undefined {
  const calls = tasks.filter(({ taskType }) => taskType === MODEL_CALL);
  return calls.length === 0 ? undefined : calls.map(({ outputData }) => ofCall(outputData)).reduce(plus, none);
}

/** The same over a run and all runs inside it. */
export async function usageOfTree(runtime: Runtime, id: string): Promise<TokenUsage> {
  const { executions } = runtime.store;
  const waiting = [id];
  let sum = none;
  for (let seen = 0; seen < MOST_RUNS; seen++) {
    const next = waiting.shift();
    if (next === undefined) break;
    const head = await runtime.loadHead(next);
    if (head === undefined) continue;
    for (const task of await executions.all(head)) {
      if (task.subWorkflowId !== undefined) waiting.push(task.subWorkflowId);
      if (task.taskType !== MODEL_CALL) continue;
      const { value } = await executions.payload(next, task.no, "output");
      sum = plus(sum, ofCall((value ?? {}) as Output));
    }
  }
  return sum;
}

function ofCall({ promptTokens, completionTokens, tokenUsed }: Output): TokenUsage {
  const [prompt, completion] = [count(promptTokens), count(completionTokens)];
  return { promptTokens: prompt, completionTokens: completion, totalTokens: count(tokenUsed) || prompt + completion };
}

const count = (value: Json | undefined): number => (typeof value === "number" && value > 0 ? value : 0);

const plus = (one: TokenUsage, other: TokenUsage): TokenUsage => ({
  promptTokens: one.promptTokens + other.promptTokens,
  completionTokens: one.completionTokens + other.completionTokens,
  totalTokens: one.totalTokens + other.totalTokens,
});
