import { taskId } from "../execution/ids.ts";
import { isUnsuccessful } from "../execution/status.ts";
import type { Task } from "../execution/task.ts";
import type { Entry } from "../plan/plan.ts";
import { settleExclusiveJoin } from "./exclusive-joining.ts";
import { finishTask } from "./finish.ts";
import { joinScriptSaysDone } from "./join-script.ts";
import { joinedTasks } from "./joined-tasks.ts";
import type { Transition } from "./transition.ts";

/**
 * Tells the JOINs that wait for this task that it is over. Constant time per JOIN: they only count. A dynamically
 * forked container reports when nothing is open under it any more, not when its own task ends.
 */
export function reportToJoins(t: Transition, task: Task, entry: Entry): void {
  if (t.head.trees[task.no] !== undefined) return;
  if (task.join !== 0) countDown(t, task.join, task);
  for (const joinEntry of entry.joinedBy) {
    const join = t.findInIteration(joinEntry.ref, task.iter);
    if (join === undefined || t.head.joins[join.no] === undefined) continue;
    if (joinEntry.task.type === "EXCLUSIVE_JOIN") settleExclusiveJoin(t, join, joinEntry);
    else countDown(t, join.no, task);
  }
}

function countDown(t: Transition, joinNo: number, task: Task): void {
  const join = t.head.joins[joinNo];
  if (join === undefined) return;
  const isTroubled = task.status !== "COMPLETED" && task.status !== "SKIPPED";
  t.putJoin(joinNo, { ...join, open: join.open - 1, troubled: join.troubled + (isTroubled ? 1 : 0) });
  settleJoin(t, t.task(joinNo));
}

/** A JOIN with a start delay counts from the first, but does not end before its time. */
function isPutOff(t: Transition, join: Task): boolean {
  return join.startDelayInSeconds > 0 && (t.findWork(join.no)?.dueAt ?? 0) > t.now;
}

/** Ends a JOIN that has nothing left to wait for, or whose script says that it is enough. */
export function settleJoin(t: Transition, join: Task): void {
  const state = t.head.joins[join.no];
  if (state === undefined) return;
  if (isPutOff(t, join)) return;
  if (state.open > 0) {
    if (joinScriptSaysDone(t, join)) finishTask(t, join, { status: "COMPLETED" });
    return;
  }
  if (state.troubled === 0) {
    finishTask(t, join, { status: "COMPLETED" });
    return;
  }
  const joined = joinedTasks(t, join);
  const unsuccessful = joined.filter((task) => isUnsuccessful(task.status) && !t.entryOf(task).task.optional);
  if (unsuccessful.length > 0) {
    finishTask(t, join, {
      status: unsuccessful.every((task) => task.status === "CANCELED") ? "CANCELED" : "FAILED",
      reason: unsuccessful.map((task) => task.reasonForIncompletion ?? "").join(" "),
    });
    return;
  }
  const withErrors = joined.filter((task) => task.status === "COMPLETED_WITH_ERRORS");
  if (withErrors.length === 0) {
    finishTask(t, join, { status: "COMPLETED" });
    return;
  }
  const names = withErrors.map((task) => `${task.taskDefName}/${taskId(t.head.id, task.no)}`).join(" ");
  finishTask(t, join, { status: "COMPLETED_WITH_ERRORS", reason: `${names} completed with errors` });
}
