import type { Json, JsonObject } from "@downbeat/engine";
import type { Maybe, ToolResult } from "./values.ts";

type Input = {
  readonly currentState: Maybe<JsonObject>;
  readonly previousToolResults: Maybe<readonly ToolResult[]>;
  readonly joinOutput: Maybe<{ readonly [ref: string]: Json }>;
  /** The dispatched calls, in order: reference without the loop's iteration, and tool. */
  readonly calls: Maybe<readonly { readonly ref: string; readonly name: string }[]>;
  readonly callCounts?: Maybe<{ readonly [tool: string]: number }>;
};

type Merged = {
  readonly mergedState: JsonObject;
  readonly toolResults: readonly ToolResult[];
  readonly callCounts: { readonly [tool: string]: number };
};

/**
 * What a turn's tools leave behind: the state with every `_state_updates` they gave (two lists become their union), the
 * results, and how often each tool has been called. Results of earlier turns are kept only where somebody asks for
 * them: a run must not carry all of them along.
 */
export function mergeState(input: Input, known: { readonly keepsEarlierResults: boolean }): Merged {
  // Without a prototype: a tool or a key may be called like what every object has.
  const state: Record<string, Json> = Object.assign(Object.create(null), input.currentState ?? {});
  const counts: Record<string, number> = Object.assign(Object.create(null), input.callCounts ?? {});
  const results: ToolResult[] = known.keepsEarlierResults ? [...(input.previousToolResults ?? [])] : [];
  const outputs = input.joinOutput ?? {};
  // A JOIN in a loop names its tasks with the iteration behind them.
  const outputOf = (ref: string): Json => {
    const key = Object.keys(outputs).find((name) => name === ref || name.replace(/__\d+$/, "") === ref);
    return key === undefined ? null : (outputs[key] ?? null);
  };
  const union = (one: readonly Json[], other: readonly Json[]): Json[] => {
    const seen: Record<string, true> = {};
    return [...one, ...other].filter((item) => {
      const text = JSON.stringify(item);
      if (seen[text]) return false;
      seen[text] = true;
      return true;
    });
  };
  for (const { ref, name } of input.calls ?? []) {
    const output = outputOf(ref);
    counts[name] = (counts[name] ?? 0) + 1;
    results.push({ name, output });
    const updates = typeof output === "object" && output !== null ? (output as JsonObject)["_state_updates"] : null;
    if (typeof updates !== "object" || updates === null || Array.isArray(updates)) continue;
    for (const [key, value] of Object.entries(updates as JsonObject)) {
      const before = state[key];
      state[key] = Array.isArray(before) && Array.isArray(value) ? union(before, value) : value;
    }
  }
  return { mergedState: state, toolResults: results, callCounts: counts };
}
