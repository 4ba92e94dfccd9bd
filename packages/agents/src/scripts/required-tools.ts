import type { Maybe } from "./values.ts";

type Input = { readonly callCounts: Maybe<{ readonly [tool: string]: number }> };
type Check = { readonly satisfied: boolean; readonly missing: readonly string[]; readonly message: string };

/** Which of the tools that must be called have not been. */
export function checkRequiredTools(input: Input, known: { readonly required: readonly string[] }): Check {
  const missing = known.required.filter((name) => !Object.keys(input.callCounts ?? {}).includes(name));
  const message =
    missing.length === 0 ? "" : `You must call these tools before you give your final answer: ${missing.join(", ")}`;
  return { satisfied: missing.length === 0, missing, message };
}
