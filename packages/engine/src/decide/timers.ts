import { taskId } from "../execution/ids.ts";
import { isTerminal, isWorkflowTerminal } from "../execution/status.ts";
import type { Task } from "../execution/task.ts";
import type { Entry } from "../plan/plan.ts";
import type { Work } from "./changes.ts";
import { type Deadline, deadlinesOf, heldBack, readyWork, withTimer } from "./deadlines.ts";
import { endExecution } from "./end.ts";
import { finishTask } from "./finish.ts";
import { typeOfTask } from "./schedule.ts";
import { armWorkflowTimeout } from "./start.ts";
import type { Transition } from "./transition.ts";

/** A deadline came: of the execution (0) or of one of its tasks. */
export function timerFired(t: Transition, no: number): void {
  if (isWorkflowTerminal(t.head.status)) {
    // Nothing of an ended execution waits for a time: a timer that is left fires once and is gone.
    if (t.findWork(no) !== undefined) t.removeWork(no);
    return;
  }
  if (no === 0) workflowTimeout(t);
  else taskTimer(t, no);
}

function workflowTimeout(t: Transition): void {
  const { timeoutSeconds, timeoutPolicy } = t.plan.def;
  const from = t.head.lastRetriedTime > 0 ? t.head.lastRetriedTime : t.head.createTime;
  if (timeoutSeconds <= 0 || timeoutPolicy !== "TIME_OUT_WF") {
    if (t.head.rateLimited !== true && t.findWork(0) !== undefined) t.removeWork(0);
    return;
  }
  if (t.now < from + timeoutSeconds * 1000) {
    armWorkflowTimeout(t);
    return;
  }
  const elapsed = Math.floor((t.now - from) / 1000);
  endExecution(t, {
    status: "TIMED_OUT",
    reason: `Workflow timed out after ${elapsed} seconds. Timeout configured as ${timeoutSeconds} seconds. Timeout policy configured to ${timeoutPolicy}`,
    runsFailureWorkflow: true,
  });
}

function taskTimer(t: Transition, no: number): void {
  const work = t.findWork(no);
  if (work === undefined) return;
  const task = t.findTask(no);
  if (task === undefined || isTerminal(task.status)) {
    t.removeWork(no);
    return;
  }
  const entry = t.entryOf(task);
  const passed = deadlinesOf(work).find(({ at }) => t.now >= at);
  if (passed !== undefined) {
    timeOut(t, task, entry, { work, passed });
    return;
  }
  const isDue = work.dueAt > 0 && work.dueAt <= t.now;
  if (isDue && work.state === "delayed") t.putWork(no, readyWork(work, t.now));
  else if (isDue && work.state === "waiting") wake(t, task, work);
  // Fired early, or for a deadline that has moved.
  else if (work.timerAt > 0 && work.timerAt <= t.now) t.putWork(no, withTimer(work));
}

/** Moves a task's times into the past; true when it is timed out by that. */
export function pretendTimes(
  t: Transition,
  no: number,
  { queueWaitMs, executionMs }: { readonly queueWaitMs: number; readonly executionMs: number },
): boolean {
  const before = t.findTask(no);
  const work = t.findWork(no);
  if (before === undefined || work === undefined || isTerminal(before.status) || isWorkflowTerminal(t.head.status))
    return false;
  const startedAt = t.now - executionMs;
  const scheduledTime = startedAt - queueWaitMs;
  const task = t.patchTask(no, { scheduledTime, startTime: startedAt });
  const entry = t.entryOf(task);
  const inQueue: Work = { ...work, state: "ready", dueAt: scheduledTime, polls: 0, startedAt: 0 };
  const inHand: Work = { ...work, state: "claimed", dueAt: scheduledTime, startedAt, polledAt: startedAt };
  const waitedTooLong = deadlinesOf(inQueue).find(({ kind, at }) => kind === "poll" && startedAt >= at);
  const passed = waitedTooLong ?? deadlinesOf(inHand).find(({ at }) => t.now >= at);
  if (passed === undefined) return false;
  timeOut(t, task, entry, { work: inHand, passed });
  return true;
}

/** The time a waiting task waited for has come: its wait is over, or it begins, or it goes on with its next part. */
export function wake(t: Transition, task: Task, work: Work): void {
  const { no } = task;
  const entry = t.entryOf(task);
  const outcome = typeOfTask(t, task, entry).onTimer?.(t, task, entry);
  if (outcome !== undefined) {
    finishTask(t, task, outcome);
    return;
  }
  if (t.head.status !== "RUNNING") {
    t.putWork(no, heldBack(work));
    return;
  }
  t.putWork(no, withTimer({ ...work, dueAt: 0 }));
  const isInLoop = (t.head.loops[no]?.iteration ?? 0) > 0;
  t.agenda.push({ kind: isInLoop ? "iteration-done" : "run", no });
}

type Passed = { readonly work: Work; readonly passed: Deadline };

function timeOut(t: Transition, task: Task, entry: Entry, { work, passed }: Passed): void {
  const reason = timeoutReason(t, task, entry, { work, passed });
  finishTask(t, task, { status: "TIMED_OUT", reason }, { startTime: task.startTime });
  if (passed.kind === "response" || entry.taskDef.timeoutPolicy === "RETRY") return;
  endExecution(t, {
    status: "TIMED_OUT",
    reason,
    failedTask: t.task(task.no),
    runsFailureWorkflow: true,
  });
}

function timeoutReason(t: Transition, task: Task, { taskDef: def }: Entry, { work, passed }: Passed): string {
  const id = taskId(t.head.id, task.no);
  const elapsed = (since: number) => Math.floor((t.now - since) / 1000);
  switch (passed.kind) {
    case "total":
      return `Task ${task.taskDefName}/${id} exceeded total timeout of ${def.totalTimeoutSeconds} seconds (elapsed ${elapsed(task.firstScheduledTime)} seconds across all attempts including retry delays). Timeout policy: ${def.timeoutPolicy}`;
    case "run":
      return `Task timed out after ${elapsed(work.startedAt)} seconds. Timeout configured as ${def.timeoutSeconds} seconds. Timeout policy configured to ${def.timeoutPolicy}`;
    case "poll":
      return `Task poll timed out after ${elapsed(work.dueAt)} seconds. Poll timeout configured as ${def.pollTimeoutSeconds ?? 0} seconds. Timeout policy configured to ${def.timeoutPolicy}`;
    case "response":
      return `responseTimeout: ${def.responseTimeoutSeconds} exceeded for the taskId: ${id} with Task Definition: ${task.taskDefName}`;
  }
}
