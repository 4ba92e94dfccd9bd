import { referenceTaskName, type Task } from "../execution/task.ts";
import { textOf } from "./join-output.ts";
import { joinedTasks } from "./joined-tasks.ts";
import { outputNode } from "./scope.ts";
import { isTrue } from "./script.ts";
import type { Transition } from "./transition.ts";

/** A JOIN with an expression is asked each time a joined task ends; anything but true goes on waiting. */
export function joinScriptSaysDone(t: Transition, join: Task): boolean {
  const { evaluatorType, expression } = t.entryOf(join).task;
  if (evaluatorType === undefined || expression === undefined || expression.trim() === "") return false;
  const joined = joinedTasks(t, join);
  const members = joined.map(
    (task) =>
      `${JSON.stringify(referenceTaskName(task))}:{"status":${JSON.stringify(task.status)},"output":${textOf(outputNode(t, task))}}`,
  );
  const joinOn = JSON.stringify(joined.map(referenceTaskName));
  const outcome = t.context.evaluateScript(expression, `{${[`"joinOn":${joinOn}`, ...members].join(",")}}`);
  return outcome.kind === "value" && isTrue(JSON.parse(outcome.text));
}
