import type { Task } from "../execution/task.ts";
import { publishStateChange } from "./state-events.ts";
import type { Transition } from "./transition.ts";

/** More open tasks than this are cancelled in further transitions; the head is already terminal by then. */
const CANCEL_BATCH = 1000;

/** Cancels what is open after the execution ended; children go with their parent. */
export function cancelOpenTasks(t: Transition): void {
  const open = t.openTasks(CANCEL_BATCH + 1);
  for (const task of open.slice(0, CANCEL_BATCH)) cancelTask(t, task);
  if (open.length > CANCEL_BATCH) t.continueLater();
}

/** Cancels what is open in a loop that ended before its body did: it timed out, or someone ended it. */
export function cancelInside(t: Transition, loopNo: number): void {
  for (const task of t.openTasks(Number.MAX_SAFE_INTEGER)) {
    if (!isInside(t, task, loopNo)) continue;
    cancelTask(t, task);
    t.closeContainer(task.no);
    t.patchTask(task.no, { executed: true });
    t.countOpen(task, -1);
  }
}

function isInside(t: Transition, task: Task, loopNo: number): boolean {
  for (let scope = task.scope; scope !== 0; scope = t.task(scope).scope) if (scope === loopNo) return true;
  return false;
}

export function cancelTask(t: Transition, task: Task): void {
  t.patchTask(task.no, { status: "CANCELED", endTime: t.now, updateTime: t.now });
  t.removeWork(task.no);
  publishStateChange(t, task, t.entryOf(task), "onCancelled");
  if (task.subWorkflowId !== undefined) {
    const { status, reasonForIncompletion } = t.head;
    const why = reasonForIncompletion === undefined ? `status ${status}` : `reason: ${reasonForIncompletion}`;
    t.send(task.subWorkflowId, {
      kind: "terminate",
      reason: `Parent workflow has been terminated with ${why}`,
      byParent: true,
    });
  }
}
