import type { Json } from "@downbeat/engine";
import type { Maybe } from "./values.ts";

/** The text a guardrail put in place of the model's. */
export function fixedOutput(input: { readonly fixed_output: Maybe<Json> }): Json {
  return input.fixed_output ?? null;
}
