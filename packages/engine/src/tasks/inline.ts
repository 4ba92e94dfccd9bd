import { completed, failed, failedForGood, type Outcome } from "../decide/outcome.ts";
import { runInput } from "../decide/run-input.ts";
import type { Transition } from "../decide/transition.ts";
import { RawJson } from "../expression/raw-json.ts";
import { type JsonObject, ownMember } from "../json.ts";
import type { TaskType } from "../registry.ts";

/** INLINE: a script over the task's input. */
export const inline: TaskType = {
  type: "INLINE",
  mode: "instant",
  initialStatus: "IN_PROGRESS",
  run(t, task) {
    const { evaluatorType = "javascript", expression, ...data } = runInput(t, task);
    switch (evaluatorType) {
      case "javascript":
      case "graaljs":
      case "value-param":
        break;
      default:
        return failedForGood(`Unknown evaluator '${String(evaluatorType)}' in INLINE task.`);
    }
    if (typeof expression !== "string" || expression.trim() === "") {
      return failedForGood(
        "Empty 'expression' in Inline task's input parameters. A non-empty String value must be provided.",
      );
    }
    if (evaluatorType === "value-param") return completed({ result: ownMember(data, expression) ?? null });
    return evaluate(t, expression, data);
  },
};

function evaluate(t: Transition, expression: string, data: JsonObject): Outcome {
  const outcome = t.context.evaluateScript(expression, JSON.stringify(data));
  switch (outcome.kind) {
    case "value":
      return completed({ result: new RawJson(outcome.text) });
    case "error":
      return failedForGood(outcome.message, { error: outcome.message });
    case "timeout":
      return failed(outcome.message, { error: outcome.message });
  }
}
