import type { Json } from "@downbeat/engine";
import type { Maybe, ToolCall } from "./values.ts";

type Input = { readonly llm_result: Maybe<Json>; readonly tool_calls: Maybe<readonly ToolCall[]> };

/** The answer of a run: what the model said; if it said nothing, what it last asked for. */
export function synthOutput({ llm_result: said, tool_calls: calls }: Input): Json {
  const isSilent = said === null || said === undefined || (typeof said === "string" && /^\s*(\[\])?\s*$/.test(said));
  if (!isSilent) return said;
  if (calls === null || calls === undefined || calls.length === 0) return "";
  return JSON.stringify(calls.map(({ name, inputParameters }) => ({ name, inputs: inputParameters ?? {} })));
}
