import type { Maybe } from "./values.ts";

/** What the model is told when a guardrail asks for another try. */
export function retryMessage(input: { readonly guardrail_message: Maybe<string> }): string {
  return `[Output validation failed: ${input.guardrail_message ?? ""}. Please revise your response.]`;
}
