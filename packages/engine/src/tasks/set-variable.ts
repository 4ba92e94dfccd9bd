import { completed, failedForGood } from "../decide/outcome.ts";
import { inputNode } from "../decide/scope.ts";
import { layVariables } from "../decide/variables.ts";
import type { TaskType } from "../registry.ts";

/** SET_VARIABLE: every input key becomes a workflow variable. */
export const setVariable: TaskType = {
  type: "SET_VARIABLE",
  mode: "instant",
  initialStatus: "IN_PROGRESS",
  run(t, task) {
    const problem = layVariables(t, inputNode(t, task));
    return problem === undefined ? completed() : failedForGood(problem);
  },
};
