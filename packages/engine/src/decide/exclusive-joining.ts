import { isSuccessful, isTerminal } from "../execution/status.ts";
import type { Task } from "../execution/task.ts";
import { wholeOf } from "../expression/scope.ts";
import type { Entry } from "../plan/plan.ts";
import { finishTask } from "./finish.ts";
import { outputNode } from "./scope.ts";
import type { Transition } from "./transition.ts";

/**
 * The first joined task that ended well decides. When all that are there ended and none did well, the default tasks
 * decide; while one of them is running, nothing does.
 */
export function settleExclusiveJoin(t: Transition, join: Task, entry: Entry): void {
  const present = findPresent(t, entry.task.joinOn, join.iter);
  const winner = present.find((task) => task.executed && isSuccessful(task.status));
  if (winner !== undefined) return takeOver(t, join, winner);
  if (present.some((task) => !isTerminal(task.status) || !task.executed)) return;
  const defaults = findPresent(t, entry.task.defaultExclusiveJoinTask, join.iter);
  const standIn = defaults.find((task) => task.executed && isSuccessful(task.status));
  if (standIn !== undefined) return takeOver(t, join, standIn);
  if (defaults.some((task) => !task.executed)) return;
  const failure = present[0] ?? defaults[0];
  if (failure === undefined) return;
  finishTask(t, join, {
    status: "FAILED",
    ...(failure.reasonForIncompletion === undefined ? {} : { reason: failure.reasonForIncompletion }),
  });
}

function takeOver(t: Transition, join: Task, winner: Task): void {
  finishTask(t, join, { status: "COMPLETED", output: wholeOf(outputNode(t, winner)) });
}

const findPresent = (t: Transition, refs: readonly string[], iter: string): Task[] =>
  refs
    .map((ref) => t.findInIteration(ref, iter))
    .filter((task) => task !== undefined)
    .filter((task) => task.status !== "SKIPPED");
