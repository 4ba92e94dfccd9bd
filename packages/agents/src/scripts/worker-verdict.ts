import type { Json, JsonObject } from "@downbeat/engine";
import type { Maybe, ToolCall, Verdict } from "./values.ts";

type Input = {
  readonly worker_output: Maybe<Json>;
  readonly guardrail_name: string;
  readonly default_on_fail: string;
  readonly iteration: Maybe<number>;
  readonly max_retries: number;
  readonly toolCalls?: Maybe<readonly ToolCall[]>;
};

/**
 * A guardrail that a worker decides. Takes the answers the SDKs and frameworks give: `{passed, message, on_fail,
 * fixed_output}` in both spellings, wrapped in `result` or not, and `{tripwire_triggered, output_info}`. Anything else
 * passes. A worker may ask for something else than its configuration does, as long as the workflow has a way for it.
 */
export function workerVerdict(input: Input, known: { readonly ways: readonly string[] }): Verdict {
  const isMap = (value: Maybe<Json>): value is JsonObject =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const name = input.guardrail_name;
  const pass: Verdict = {
    passed: true,
    message: "",
    on_fail: "pass",
    fixed_output: null,
    guardrail_name: name,
    should_continue: false,
  };
  if (input.toolCalls && input.toolCalls.length > 0) return pass;
  const output = input.worker_output;
  const answer = isMap(output) && isMap(output["result"]) ? output["result"] : output;
  if (!isMap(answer)) return pass;
  const tripped = answer["tripwire_triggered"] ?? answer["tripwireTriggered"];
  if (answer["passed"] !== false && tripped !== true) return pass;

  const fixed = answer["fixed_output"] ?? answer["fixedOutput"] ?? null;
  const info = answer["output_info"] ?? answer["outputInfo"];
  const words = [answer["message"], info, isMap(info) ? info["reason"] : null];
  const message = words.find((text) => typeof text === "string" && text !== "") ?? `${name} triggered`;
  const asked = tripped === true ? null : (answer["on_fail"] ?? answer["onFail"]);
  const word = typeof asked === "string" ? asked.toLowerCase() : "";
  const wanted = known.ways.includes(word) ? word : input.default_on_fail;
  const isUsedUp = wanted === "retry" && (input.iteration ?? 1) >= input.max_retries;
  const cannotFix = wanted === "fix" && (fixed === null || !known.ways.includes("fix"));
  const onFail = isUsedUp || cannotFix ? "raise" : wanted;
  return {
    passed: false,
    message: String(message),
    on_fail: onFail,
    fixed_output: fixed,
    guardrail_name: name,
    should_continue: onFail === "retry",
  };
}
