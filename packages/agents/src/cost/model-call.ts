import type { Json, JsonObject } from "@downbeat/engine";

/** Tokens of one or several calls of models. */
export type Tokens = {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
};

/** What is paid for in one call of a model. */
export type ModelCall = Tokens & {
  readonly provider: string;
  readonly model: string;
  /** Of the prompt's tokens. */
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** When it was made: prices change. */
  readonly at: number;
};

type Named = Pick<ModelCall, "provider" | "model" | "at">;

/** A call, as its task's output tells of it. */
export function modelCallOf(named: Named, output: JsonObject): ModelCall {
  const promptTokens = count(output["promptTokens"]);
  const completionTokens = count(output["completionTokens"]);
  return {
    ...named,
    promptTokens,
    completionTokens,
    totalTokens: count(output["tokenUsed"]) || promptTokens + completionTokens,
    cacheReadTokens: count(output["cacheReadTokens"]),
    cacheWriteTokens: count(output["cacheWriteTokens"]),
  };
}

const count = (value: Json | undefined): number => (typeof value === "number" && value > 0 ? value : 0);
