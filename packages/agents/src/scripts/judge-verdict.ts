import type { Json, JsonObject } from "@downbeat/engine";
import type { Maybe, ToolCall, Verdict } from "./values.ts";

type Input = {
  readonly llm_result: Maybe<Json>;
  /** What was judged. */
  readonly content?: Maybe<Json>;
  readonly iteration: Maybe<number>;
  readonly toolCalls?: Maybe<readonly ToolCall[]>;
};

type Known = { readonly name: string; readonly onFail: string; readonly maxRetries: number };

/** A guardrail that a model judges. What was not judged (a turn with tool calls, an empty answer) passes. */
export function judgeVerdict(input: Input, known: Known): Verdict {
  const pass = { passed: true, message: "", on_fail: "pass", fixed_output: null, should_continue: false };
  const isBlank = typeof input.content === "string" ? input.content.trim() === "" : input.content == null;
  if (isBlank || (input.toolCalls && input.toolCalls.length > 0)) return { ...pass, guardrail_name: known.name };
  const read = (answer: Maybe<Json>): JsonObject | null => {
    if (typeof answer === "object" && answer !== null && !Array.isArray(answer)) return answer as JsonObject;
    if (typeof answer !== "string") return null;
    const text = answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1);
    try {
      const parsed: unknown = JSON.parse(text);
      return typeof parsed === "object" && parsed !== null ? (parsed as JsonObject) : null;
    } catch {
      return null;
    }
  };
  const answer = read(input.llm_result);
  if (answer?.["passed"] === true || answer?.["passed"] === "true") return { ...pass, guardrail_name: known.name };
  const reason = answer?.["reason"] ?? answer?.["message"];
  const message =
    answer === null
      ? "Unparseable LLM response"
      : typeof reason === "string" && reason !== ""
        ? reason
        : `${known.name} triggered`;
  const isUsedUp = known.onFail === "retry" && (input.iteration ?? 1) >= known.maxRetries;
  const onFail = isUsedUp || known.onFail === "fix" ? "raise" : known.onFail;
  return {
    passed: false,
    message,
    on_fail: onFail,
    fixed_output: null,
    guardrail_name: known.name,
    should_continue: onFail === "retry",
  };
}
