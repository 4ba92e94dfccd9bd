import type { Head } from "../execution/head.ts";
import { isSuccessful, isTerminal, isUnsuccessful } from "../execution/status.ts";
import type { Task } from "../execution/task.ts";
import type { JsonObject } from "../json.ts";
import type { Entry } from "../plan/plan.ts";
import { waitingWork } from "./deadlines.ts";
import { growLater } from "./grow-fork.ts";
import { begin, hasSuccessor, typeOfTask } from "./schedule.ts";
import { armWorkflowTimeout } from "./start.ts";
import type { Transition } from "./transition.ts";

/** Back to RUNNING after an end: nothing of the old end stays. */
export function reopenExecution(t: Transition, patch: Partial<Head> = {}): void {
  const { reasonForIncompletion: _reason, failedTaskNo: _task, ...kept } = t.head;
  t.createHead({
    ...kept,
    status: "RUNNING",
    endTime: 0,
    lastRetriedTime: t.now,
    failedReferenceTaskNames: [],
    failedTaskNames: [],
    hasPermissiveFailure: false,
    ...patch,
  });
  armWorkflowTimeout(t);
  growLater(t);
}

/**
 * Everything but the given tasks that ended without success goes on too. So does a TERMINATE: it ends the execution
 * again, where otherwise what follows it would be waited for in vain.
 */
export function reopenOthers(t: Transition, isExempt: (task: Task) => boolean): void {
  for (const task of t.allTasks()) {
    if (task.retried || isExempt(task) || wasLeft(task, t.findTask(task.scope))) continue;
    if (isUnsuccessful(task.status)) reopenTask(t, task);
    else if (task.taskType === "TERMINATE" && isTerminal(task.status))
      beginAgain(t, task, { retryCount: task.retryCount });
  }
  reopenLoopsAround(t);
}

/** True of a task that was cancelled because the loop around it was ended early, and well. */
export const wasLeft = (task: Task, loop: Task | undefined): boolean =>
  task.status === "CANCELED" && task.executed && loop !== undefined && isSuccessful(loop.status);

/**
 * Takes an ended task back in place, under its own id: a container goes on, a child execution is retried and waited
 * for, anything else begins again. Counters are made right afterwards by `recount`.
 */
function reopenTask(t: Transition, task: Task): void {
  if (isContainer(task)) {
    resumeTask(t, task);
  } else if (task.taskType === "SUB_WORKFLOW" && task.subWorkflowId !== undefined) {
    t.send(task.subWorkflowId, { kind: "retry", byParent: true });
    resumeTask(t, task);
  } else {
    beginAgain(t, task, { retryCount: task.retryCount + 1 });
  }
}

export const isContainer = (task: Task): boolean =>
  task.taskType === "JOIN" || task.taskType === "DO_WHILE" || task.taskType === "EXCLUSIVE_JOIN";

/** The task goes on where it was; its time limits count from now. */
export function resumeTask(t: Transition, task: Task): void {
  const entry = t.entryOf(task);
  const running: Task = {
    ...opened(t, task, entry),
    status: "IN_PROGRESS",
    firstScheduledTime: t.now,
    updateTime: t.now,
  };
  t.replaceTask(running);
  const work = waitingWork({ ...running, startTime: t.now }, entry, 0);
  t.putWork(task.no, work);
}

type BeginAgainOptions = {
  readonly retryCount: number;
  /** Replaces the input. */
  readonly input?: JsonObject;
};

/** The task begins from nothing: no output, no times, no child of its own. */
export function beginAgain(t: Transition, task: Task, { retryCount, input }: BeginAgainOptions): void {
  const entry = t.entryOf(task);
  const type = typeOfTask(t, task, entry);
  const { subWorkflowId: _child, waitTimeout: _wait, secrets, ...kept } = opened(t, task, entry);
  const fresh: Task = {
    ...kept,
    // Marks of secrets belong to the input they were made for.
    ...(secrets === undefined || input !== undefined ? {} : { secrets }),
    status: type.initialStatus,
    retryCount,
    scheduledTime: t.now,
    firstScheduledTime: t.now,
    startTime: 0,
    updateTime: t.now,
    pollCount: 0,
  };
  t.replaceTask(fresh);
  if (input !== undefined) t.setInput(task.no, input);
  t.setOutput(task.no, {});
  begin(t, fresh, entry, type, 0);
}

function opened(t: Transition, task: Task, entry: Entry): Task {
  const { reasonForIncompletion: _reason, hasSuccessors: _had, isLast: _last, ...kept } = task;
  return {
    ...kept,
    ...(hasSuccessor(t, task, entry) ? { hasSuccessors: true } : {}),
    retried: false,
    executed: false,
    endTime: 0,
    callbackAfterSeconds: 0,
    startDelayInSeconds: 0,
  };
}

/** A loop that is over goes on when a task inside it is open again. */
export function reopenLoopsAround(t: Transition): void {
  for (const task of t.allTasks()) {
    if (isTerminal(task.status)) continue;
    for (let scope = task.scope; scope !== 0; ) {
      const loop = t.task(scope);
      if (isTerminal(loop.status)) resumeTask(t, loop);
      scope = loop.scope;
    }
  }
}
