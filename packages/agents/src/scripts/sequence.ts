import type { Json } from "@downbeat/engine";
import type { Maybe } from "./values.ts";

/** A gate that looks for a text: found, the pipeline stops. */
export function textGate(
  input: { readonly result: Maybe<string> },
  known: { readonly text: string; readonly caseSensitive: boolean },
): { readonly decision: "stop" | "continue" } {
  const { text, caseSensitive } = known;
  const result = input.result ?? "";
  const found = caseSensitive ? result.includes(text) : result.toLowerCase().includes(text.toLowerCase());
  return { decision: found ? "stop" : "continue" };
}

/** A gate that a worker decided; only a clear stop stops. */
export function gateDecision(input: { readonly output: Maybe<Json> }): { readonly decision: "stop" | "continue" } {
  const read = (value: Maybe<Json>): Maybe<Json> => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const map = value as { readonly [key: string]: Json };
    return map["decision"] ?? (map["result"] === undefined ? null : read(map["result"]));
  };
  const decision = read(input.output);
  return { decision: decision === "stop" || decision === false ? "stop" : "continue" };
}

/** The result of the last step that had one. */
export function selectOutput(input: { readonly [step: string]: Maybe<Json> }, known: { readonly steps: number }): Json {
  for (let index = known.steps - 1; index >= 0; index--) {
    const result = input[`s${index}`];
    if (result !== null && result !== undefined && result !== "") return result;
  }
  return "";
}
