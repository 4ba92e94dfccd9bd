import { taskId } from "../execution/ids.ts";
import { isTerminal, isWorkflowTerminal } from "../execution/status.ts";
import type { Task } from "../execution/task.ts";
import { RawJson } from "../expression/raw-json.ts";
import { isJsonObject } from "../json.ts";
import type { Entry } from "../plan/plan.ts";
import { queuedWork, waitingWork, withTimer } from "./deadlines.ts";
import { queueName } from "./domains.ts";
import type { ChildEndedEvent, Event, Refusal, TaskResult } from "./event.ts";
import { cutReason, finishTask } from "./finish.ts";
import type { Outcome } from "./outcome.ts";
import { typeOfTask } from "./schedule.ts";
import type { Transition } from "./transition.ts";

/** A worker, an executor of ours or a caller says how a task stands. Late words about an ended task are ignored. */
export function taskResult(t: Transition, event: Extract<Event, { kind: "task-result" }>): Refusal | undefined {
  const { no, result } = event;
  const task = t.findTask(no);
  if (task === undefined) return { code: "not-found", message: `No such task found by id: ${taskId(t.head.id, no)}` };
  if (isTerminal(task.status) || isWorkflowTerminal(t.head.status)) {
    return event.onlyIfOpen === true
      ? { code: "conflict", message: `Task ${taskId(t.head.id, no)} has ended` }
      : undefined;
  }
  const entry = t.entryOf(task);
  const output = newOutput(t, task, result);
  const isWaiting = typeOfTask(t, task, entry).mode === "waits";
  const patch: Partial<Task> = {
    ...(result.workerId === undefined ? {} : { workerId: result.workerId }),
    ...(result.subWorkflowId === undefined ? {} : { subWorkflowId: result.subWorkflowId }),
    ...(result.externalOutputPayloadStoragePath === undefined
      ? {}
      : { externalOutputPayloadStoragePath: result.externalOutputPayloadStoragePath }),
    callbackAfterSeconds: result.callbackAfterSeconds ?? (isWaiting ? task.callbackAfterSeconds : 0),
    // Set by the first poll; what was never polled has none.
    startTime: task.startTime,
  };
  const outcome: Outcome = {
    status: result.status,
    ...(output === undefined ? {} : { output }),
    ...(result.reasonForIncompletion === undefined ? {} : { reason: cutReason(result.reasonForIncompletion) }),
  };
  if (result.input !== undefined) addToInput(t, task, result.input);
  if (result.retryDelaySeconds !== undefined) t.retryDelays.set(no, Math.max(0, result.retryDelaySeconds));
  finishTask(t, task, outcome, patch);
  if (result.status === "IN_PROGRESS" && !isTerminal(t.task(no).status)) offerAgain(t, t.task(no), entry, result);
  return undefined;
}

function newOutput(t: Transition, task: Task, { output, outputMode }: TaskResult): RawJson | undefined {
  if (output === undefined || outputMode === "replace") return output;
  const before = t.output(task.no);
  if (before.stored === "{}") return output;
  const merged =
    isJsonObject(before.value) && isJsonObject(output.value) ? { ...before.value, ...output.value } : output.value;
  return new RawJson(JSON.stringify(merged));
}

function addToInput(t: Transition, task: Task, input: NonNullable<TaskResult["input"]>): void {
  const before = t.input(task.no).value;
  t.setInput(task.no, { ...(isJsonObject(before) ? before : {}), ...input });
}

/** IN_PROGRESS: a worker's task is offered again after the callback delay, one that waits goes on waiting. */
function offerAgain(t: Transition, task: Task, entry: Entry, result: TaskResult): void {
  const type = typeOfTask(t, task, entry);
  // Without a callback there is nothing to ask again: someone else will complete it (asyncComplete).
  const isDone = type.mode === "outside" && (result.callbackAfterSeconds === undefined || t.head.test === true);
  if (type.mode === "worker" || (type.mode === "outside" && !isDone)) {
    const delayMs = Math.max(0, result.callbackAfterSeconds ?? 0) * 1000;
    t.putWork(task.no, queuedWork(task, entry, { now: t.now, queue: queueName(task, entry, type.mode), delayMs }));
  } else if (isDone || type.mode === "instant") {
    t.putWork(task.no, waitingWork(task, entry, 0));
  }
}

/** A worker is still at it: only its response clock starts anew. */
export function extendLease(t: Transition, no: number): Refusal | undefined {
  const task = t.findTask(no);
  if (task === undefined) return { code: "not-found", message: `No such task found by id: ${taskId(t.head.id, no)}` };
  if (isTerminal(task.status)) return undefined;
  t.patchTask(no, { updateTime: t.now });
  const work = t.findWork(no);
  if (work !== undefined) t.putWork(no, withTimer({ ...work, polledAt: t.now }));
  return undefined;
}

const statusOfChild = {
  COMPLETED: "COMPLETED",
  FAILED: "FAILED",
  TERMINATED: "CANCELED",
  TIMED_OUT: "TIMED_OUT",
} as const;

/** A child execution ended: so does the SUB_WORKFLOW task that started it. */
export function childEnded(t: Transition, event: ChildEndedEvent): void {
  const task = t.findTask(event.no);
  if (task === undefined || isTerminal(task.status) || task.subWorkflowId !== event.childId) return;
  if (event.status === "RUNNING" || event.status === "PAUSED") return;
  const output = event.output.value;
  const status = statusOfChild[event.status];
  const reason = `Sub workflow ${event.childName}.${event.childVersion}/${event.childId} failure reason: ${event.reason ?? "null"}`;
  finishTask(t, task, {
    status,
    output: new RawJson(JSON.stringify({ subWorkflowId: event.childId, ...(isJsonObject(output) ? output : {}) })),
    ...(status === "COMPLETED" ? {} : { reason }),
  });
}
