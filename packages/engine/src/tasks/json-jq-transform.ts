import { completed, failed } from "../decide/outcome.ts";
import { runInput } from "../decide/run-input.ts";
import type { TaskType } from "../registry.ts";

/** JSON_JQ_TRANSFORM: a jq program over the other inputs. */
export const jsonJqTransform: TaskType = {
  type: "JSON_JQ_TRANSFORM",
  mode: "instant",
  initialStatus: "IN_PROGRESS",
  // A program may take its whole step budget, most of a tenth of a second, on the thread that serves everyone, and a
  // step over a large input takes long.
  cost: (t, task) => 20 + t.input(task.no).text.length / 20_000,
  run(t, task) {
    const { queryExpression, ...data } = runInput(t, task);
    if (typeof queryExpression !== "string") {
      return failed("Missing 'queryExpression' in input parameters");
    }
    const outcome = t.context.runJq(queryExpression, data);
    if (outcome.kind === "error") return failed(outcome.message, { error: outcome.message });
    return completed({ result: outcome.results[0] ?? null, resultList: outcome.results });
  },
};
