import type { Json } from "@downbeat/engine";
import type { Maybe } from "./values.ts";

/** Instructions a worker gave: its output, or the `result` in it, as text. */
export function readInstructions({ worker_output: output }: { readonly worker_output: Maybe<Json> }): string {
  const isWrapped = typeof output === "object" && output !== null && !Array.isArray(output) && "result" in output;
  const value = isWrapped ? (output as { readonly result: Json }).result : output;
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
