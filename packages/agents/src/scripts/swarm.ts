import type { Json, JsonObject } from "@downbeat/engine";
import type { Maybe, ToolCall, ToolResult } from "./values.ts";

/** Whether the model asked to hand over, and to whom; the first such call counts. */
export function checkTransfer(
  input: { readonly tool_calls: Maybe<readonly ToolCall[]> },
  known: { readonly transfers: { readonly [tool: string]: string } },
): { readonly is_transfer: boolean; readonly transfer_to: string } {
  const call = (input.tool_calls ?? []).find(({ name }) => Object.keys(known.transfers).includes(name ?? ""));
  const target = call === undefined ? undefined : known.transfers[call.name ?? ""];
  return { is_transfer: target !== undefined, transfer_to: target ?? "" };
}

/** What is said to the one who takes over. */
export function transferMessage(
  input: { readonly tool_calls: Maybe<readonly ToolCall[]> },
  known: { readonly transfers: { readonly [tool: string]: string } },
): string {
  const call = (input.tool_calls ?? []).find(({ name }) => Object.keys(known.transfers).includes(name ?? ""));
  const message = call?.inputParameters?.["message"];
  return typeof message === "string" ? message : "";
}

export type HandoffRule = {
  readonly type: "on_text_mention" | "on_tool_result" | "on_condition";
  /** Index of the member that takes over. */
  readonly target: number;
  readonly text?: string;
  readonly toolName?: string;
  readonly resultContains?: string;
  /** The script's input that holds a condition worker's output. */
  readonly key?: string;
};

type Input = {
  readonly result: Maybe<Json>;
  readonly active_agent: Maybe<string>;
  readonly is_transfer: Maybe<boolean>;
  readonly transfer_to: Maybe<string>;
  readonly tool_results: Maybe<readonly ToolResult[]>;
  readonly [condition: `condition_${number}`]: Maybe<JsonObject>;
};

/** Who goes on: a transfer that was asked for wins, else the first rule that is met, else nobody. */
export function checkHandoff(
  input: Input,
  known: { readonly members: readonly string[]; readonly rules: readonly HandoffRule[] },
): { readonly handoff: boolean; readonly active_agent: string } {
  const active = input.active_agent ?? "0";
  const asText = (value: Maybe<Json>): string => {
    if (value === null || value === undefined) return "";
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  };
  const contains = (value: Maybe<Json>, text: string): boolean =>
    asText(value).toLowerCase().includes(text.toLowerCase());
  const isMet = (rule: HandoffRule): boolean => {
    switch (rule.type) {
      case "on_text_mention":
        return contains(input.result, rule.text ?? "");
      case "on_tool_result":
        return (input.tool_results ?? []).some(
          ({ name, output }) => name === rule.toolName && contains(output, rule.resultContains ?? ""),
        );
      case "on_condition": {
        const answer = input[rule.key as `condition_${number}`]?.["handoff"];
        if (typeof answer !== "boolean") throw new Error("Invalid on_condition output: handoff must be boolean");
        return answer;
      }
    }
  };
  if (input.is_transfer === true) {
    const target = known.members.indexOf(input.transfer_to ?? "");
    return target === -1 ? { handoff: false, active_agent: active } : { handoff: true, active_agent: String(target) };
  }
  // Conditions are read before any rule is, so that a wrong answer is seen whoever is met first.
  const met = known.rules
    .map((rule) => [rule, isMet(rule)] as const)
    .find(([rule, isHit]) => isHit && String(rule.target) !== active);
  return met === undefined
    ? { handoff: false, active_agent: active }
    : { handoff: true, active_agent: String(met[0].target) };
}
