import type { Json } from "@downbeat/engine";
import type { Maybe } from "./values.ts";

type Input = {
  readonly llm_result: Maybe<Json>;
  readonly finish_reason: Maybe<string>;
  readonly fixed_output: Maybe<Json>;
  readonly edited_output: Maybe<Json>;
};

/** The answer after the guardrails: a person's edit, else a guardrail's repair, else the model's own. */
export function resolveOutput(input: Input): { readonly result: Json; readonly finishReason: string | null } {
  const changed = input.edited_output ?? input.fixed_output;
  if (changed !== null && changed !== undefined) return { result: changed, finishReason: "STOP" };
  return { result: input.llm_result ?? null, finishReason: input.finish_reason ?? null };
}
