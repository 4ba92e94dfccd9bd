import { taskId } from "../execution/ids.ts";
import { isUnsuccessful, type TaskStatus } from "../execution/status.ts";
import type { Task } from "../execution/task.ts";
import type { Entry } from "../plan/plan.ts";
import { cancelInside } from "./cancel.ts";
import { type Ending, endExecution } from "./end.ts";
import { reportToJoins } from "./joining.ts";
import { cacheOutput } from "./output-cache.ts";
import { retryTask } from "./retry-task.ts";
import { leaveScope, scheduleNext } from "./schedule.ts";
import { publishStateChange } from "./state-events.ts";
import type { Transition } from "./transition.ts";

/** A task ended: try it again, end the execution, or go on to what follows. */
export function followUp(t: Transition, no: number): void {
  let task = t.task(no);
  if (task.executed || task.retried) return;
  if (task.scope !== 0 && t.head.loops[task.scope] === undefined) {
    // The loop around it was ended meanwhile: nothing follows any more, neither it nor what it held.
    closeHeld(t, no);
    t.patchTask(no, { executed: true });
    leaveScope(t, task);
    return;
  }
  const entry = t.entryOf(task);
  publishStateChange(t, task, entry, isUnsuccessful(task.status) ? "onFailed" : "onSuccess");
  if (isUnsuccessful(task.status)) {
    if (retryTask(t, task, entry)) return;
    if (!survives(t, task, entry)) return;
    task = t.task(no);
  } else if (task.status === "COMPLETED") {
    cacheOutput(t, task, entry);
  }
  closeHeld(t, no);
  t.patchTask(no, { executed: true });
  noteFollowed(t, task, entry);
  // Successors before counting out: the scope must never look empty in between.
  if (task.hasSuccessors !== true) scheduleNext(t, task, entry);
  reportToJoins(t, task, entry);
  leaveScope(t, task);
}

/** A SWITCH is followed together with the first task of its case, when that one ended at once. */
function noteFollowed(t: Transition, task: Task, entry: Entry): void {
  t.followed.push(task.no);
  const { owner, kind } = entry.list;
  if (kind !== "case" || owner === undefined || entry.index > 0) return;
  const around = t.findInIteration(owner.ref, task.iter);
  if (around !== undefined && t.isCreatedHere(around.no)) noteFollowed(t, around, owner);
}

/** What a container still held when it ended goes with it. */
function closeHeld(t: Transition, no: number): void {
  if ((t.head.loops[no]?.open ?? 0) > 0) cancelInside(t, no);
  t.closeContainer(no);
}

/** Nothing is open under a dynamically forked container: its JOIN counts it now, not when its root ended. */
export function treeDone(t: Transition, no: number): void {
  if (t.head.trees[no] !== 0) return;
  const root = t.task(no);
  t.closeContainer(no);
  reportToJoins(t, root, t.entryOf(root));
}

/** An optional task's failure is noted and passed over, a permissive one's is remembered; any other ends the execution. */
function survives(t: Transition, task: Task, entry: Entry): boolean {
  if (entry.task.optional) {
    t.patchTask(task.no, { status: "COMPLETED_WITH_ERRORS" });
    return true;
  }
  if (entry.task.permissive) {
    t.patchHead({ hasPermissiveFailure: true });
    return true;
  }
  const status = executionStatusFor(task.status);
  endExecution(t, {
    status,
    reason: failureText(t, task, status),
    failedTask: task,
    runsFailureWorkflow: true,
  });
  return false;
}

const failureText = (t: Transition, task: Task, status: Ending["status"]): string =>
  `Task ${taskId(t.head.id, task.no)} failed with status: ${status} and reason: '${task.reasonForIncompletion ?? "null"}'`;

function executionStatusFor(status: TaskStatus): Ending["status"] {
  switch (status) {
    case "CANCELED":
      return "TERMINATED";
    case "TIMED_OUT":
      return "TIMED_OUT";
    default:
      return "FAILED";
  }
}
