import type { Json } from "@downbeat/engine";
import type { Maybe, ToolCall, Verdict } from "./values.ts";

type Input = {
  readonly content: Maybe<Json>;
  readonly iteration: Maybe<number>;
  readonly toolCalls?: Maybe<readonly ToolCall[]>;
};

type Known = {
  readonly name: string;
  readonly patterns: readonly { readonly source: string; readonly flags: string }[];
  readonly mode: "block" | "allow";
  readonly message: string;
  readonly onFail: string;
  readonly maxRetries: number;
};

/** A pattern guardrail. A turn that calls tools has said nothing yet, so it passes. */
export function regexVerdict(input: Input, known: Known): Verdict {
  const pass = { passed: true, message: "", on_fail: "pass", fixed_output: null, should_continue: false };
  if (input.toolCalls && input.toolCalls.length > 0) return { ...pass, guardrail_name: known.name };
  const { content } = input;
  const text =
    typeof content === "string" ? content : content === null || content === undefined ? "" : JSON.stringify(content);
  const found = known.patterns.some(({ source, flags }) => new RegExp(source, flags).test(text));
  if (found === (known.mode === "allow")) return { ...pass, guardrail_name: known.name };
  // A pattern cannot repair anything, and a retry that is used up is a failure.
  const isUsedUp = known.onFail === "retry" && (input.iteration ?? 1) >= known.maxRetries;
  const onFail = isUsedUp || known.onFail === "fix" ? "raise" : known.onFail;
  return {
    passed: false,
    message: known.message,
    on_fail: onFail,
    fixed_output: null,
    guardrail_name: known.name,
    should_continue: onFail === "retry",
  };
}
