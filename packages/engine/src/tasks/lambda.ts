import { completed, failed } from "../decide/outcome.ts";
import { runInput } from "../decide/run-input.ts";
import { RawJson } from "../expression/raw-json.ts";
import type { TaskType } from "../registry.ts";

/** LAMBDA, the forerunner of INLINE: the script is the body of a function. */
export const lambda: TaskType = {
  type: "LAMBDA",
  mode: "instant",
  initialStatus: "IN_PROGRESS",
  run(t, task) {
    const { scriptExpression, ...data } = runInput(t, task);
    if (typeof scriptExpression !== "string" || scriptExpression.trim() === "") {
      return failed(
        "Empty 'scriptExpression' in Lambda task's input parameters. A non-empty String value must be provided.",
      );
    }
    const outcome = t.context.evaluateScript(functionBody(scriptExpression), JSON.stringify(data));
    if (outcome.kind === "value") return completed({ result: new RawJson(outcome.text) });
    return failed(outcome.message, { error: outcome.message });
  },
};

const functionBody = (body: string): string => `(function(){${body}\n})()`;
