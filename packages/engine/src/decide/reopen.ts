import type { Head } from "../execution/head.ts";
import { isTerminal } from "../execution/status.ts";
import type { Task } from "../execution/task.ts";
import type { JsonObject } from "../json.ts";
import { waitingWork } from "./deadlines.ts";
import { begin, typeOfTask } from "./schedule.ts";
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
}

/**
 * Takes an ended task back in place, under its own id: a container goes on, a child execution is retried and waited
 * for, anything else begins again. Counters are made right afterwards by `recount`.
 */
export function reopenTask(t: Transition, task: Task): void {
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

/** The task goes on where it was. */
export function resumeTask(t: Transition, task: Task): void {
  const running: Task = { ...opened(task), status: "IN_PROGRESS", updateTime: t.now };
  t.replaceTask(running);
  t.putWork(task.no, waitingWork(running, t.entryOf(task), 0));
}

export type BeginAgainOptions = {
  readonly retryCount: number;
  /** Replaces the input. */
  readonly input?: JsonObject;
};

/** The task begins from nothing: no output, no times, no child of its own. */
export function beginAgain(t: Transition, task: Task, { retryCount, input }: BeginAgainOptions): void {
  const entry = t.entryOf(task);
  const type = typeOfTask(t, task, entry);
  const { subWorkflowId: _child, waitTimeout: _wait, secrets, ...kept } = opened(task);
  const fresh: Task = {
    ...kept,
    // Marks of secrets belong to the input they were made for.
    ...(secrets === undefined || input !== undefined ? {} : { secrets }),
    status: type.initialStatus,
    retryCount,
    scheduledTime: t.now,
    startTime: 0,
    updateTime: 0,
    pollCount: 0,
  };
  t.replaceTask(fresh);
  if (input !== undefined) t.setInput(task.no, input);
  t.setOutput(task.no, {});
  begin(t, fresh, entry, type, 0);
}

/** What follows a task that had been followed up is there already. */
function opened(task: Task): Task {
  const { reasonForIncompletion: _reason, workerId: _worker, hasSuccessors, ...kept } = task;
  return {
    ...kept,
    ...(task.executed || hasSuccessors === true ? { hasSuccessors: true } : {}),
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
