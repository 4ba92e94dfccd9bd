import { isUnsuccessful, isWorkflowTerminal } from "../execution/status.ts";
import { referenceTaskName, type Task } from "../execution/task.ts";
import { tellParent } from "./end.ts";
import type { Event, Refusal } from "./event.ts";
import { recount } from "./recount.ts";
import { isContainer, reopenExecution, reopenOthers, resumeTask, wasLeft } from "./reopen.ts";
import { newAttempt } from "./retry-task.ts";
import { reviveParent } from "./revive.ts";
import type { Transition } from "./transition.ts";

type RetryEvent = Extract<Event, { kind: "retry" }>;

/** Tries what ended without success again, here or, if asked to, only in the deepest failed child. */
export function retry(t: Transition, event: RetryEvent): Refusal | undefined {
  const refusal = event.resumeSubworkflowTasks === true ? retryDeepest(t) : retryHere(t, event);
  // The parent waits for this execution again: if it stays as it is, the parent must hear how it ended.
  if (refusal !== undefined && event.byParent === true) tellParent(t);
  return refusal;
}

function retryHere(t: Transition, event: RetryEvent): Refusal | undefined {
  const { head } = t;
  if (!isWorkflowTerminal(head.status)) return stillRunning(t);
  const tasks = t.allTasks();
  if (tasks.length === 0) return { code: "conflict", message: "Workflow has not started yet" };
  const retryable = findRetryable(tasks);
  if (head.status === "COMPLETED" || (retryable.length === 0 && head.status !== "TIMED_OUT")) {
    return {
      code: "conflict",
      message: "There are no retryable tasks! Use restart if you want to attempt entire workflow execution again.",
    };
  }
  reopenExecution(t);
  for (const task of retryable) retryOne(t, task);
  reopenOthers(t, (task) => isUnsuccessful(task.status));
  recount(t);
  if (event.byParent !== true) reviveParent(t, "retried");
  return undefined;
}

/** Retries only the deepest failed child; its parents come back to life through it. */
function retryDeepest(t: Transition): Refusal | undefined {
  if (!isWorkflowTerminal(t.head.status)) return stillRunning(t);
  const unsuccessful = findRetryable(t.allTasks());
  const first = unsuccessful[0];
  if (first === undefined) return undefined;
  const child = first.taskType === "DO_WHILE" ? unsuccessful.find((task) => task.taskType === "SUB_WORKFLOW") : first;
  if (child?.taskType === "SUB_WORKFLOW" && child.subWorkflowId !== undefined) {
    t.send(child.subWorkflowId, { kind: "retry", resumeSubworkflowTasks: true });
    return undefined;
  }
  return retryHere(t, { kind: "retry" });
}

const stillRunning = (t: Transition): Refusal => ({
  code: "not-found",
  message: `Workflow is still running.  status=${t.head.status}`,
});

/** Per reference the last task without success, unless a later one did well or is open. */
function findRetryable(tasks: readonly Task[]): Task[] {
  const byNo = new Map(tasks.map((task) => [task.no, task]));
  const byRef = new Map<string, Task>();
  for (const task of [...tasks].sort((a, b) => a.seq - b.seq)) {
    const ref = `${referenceTaskName(task)} ${task.tree === task.no ? task.join : task.tree}`;
    if (!isUnsuccessful(task.status)) byRef.delete(ref);
    else if (!task.retried && !wasLeft(task, byNo.get(task.scope))) byRef.set(ref, task);
  }
  return [...byRef.values()];
}

function retryOne(t: Transition, task: Task): void {
  if (isContainer(task)) {
    const attempt = task.status === "CANCELED" ? task.retryCount : task.retryCount + 1;
    resumeTask(t, { ...task, retryCount: attempt });
    return;
  }
  newAttempt(t, task, t.entryOf(task), { delayMs: 0, delaySeconds: 0, isByHand: true });
}
