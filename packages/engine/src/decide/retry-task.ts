import { taskId } from "../execution/ids.ts";
import { isRetriable } from "../execution/status.ts";
import type { Task } from "../execution/task.ts";
import { RawJson, type Resolved } from "../expression/raw-json.ts";
import type { Entry } from "../plan/plan.ts";
import { retryDelay } from "./deadlines.ts";
import { endExecution } from "./end.ts";
import { begin, hasSuccessor, isPlainObject, leaveScope, placeOf, resolveInput, typeOfTask } from "./schedule.ts";
import { publishStateChange } from "./state-events.ts";
import type { Transition } from "./transition.ts";

/** Schedules the next attempt when the definition allows one. True when the matter is settled. */
export function retryTask(t: Transition, task: Task, entry: Entry): boolean {
  const type = typeOfTask(t, task, entry);
  if (!isRetriable(task.status) || type.isControl === true) return false;
  const def = type.taskDef?.(entry.taskDef) ?? entry.taskDef;
  const limit = entry.task.retryCount ?? def.retryCount;
  if (task.retryCount >= limit) return false;
  if (def.totalTimeoutSeconds > 0 && def.timeoutPolicy !== "ALERT_ONLY") {
    const elapsed = Math.floor((t.now - task.firstScheduledTime) / 1000);
    if (elapsed >= def.totalTimeoutSeconds) {
      endExecution(t, {
        status: task.status === "TIMED_OUT" ? "TIMED_OUT" : "FAILED",
        reason: `Task ${taskId(t.head.id, task.no)}/${task.taskDefName} exceeded total timeout of ${def.totalTimeoutSeconds} seconds (elapsed ${elapsed} seconds across all attempts). No further retries will be attempted.`,
        failedTask: task,
        runsFailureWorkflow: true,
      });
      return true;
    }
  }
  const asked = t.retryDelays.get(task.no);
  const delay =
    asked === undefined ? retryDelay(def, task.retryCount, t.context.random()) : { seconds: asked, ms: asked * 1000 };
  newAttempt(t, task, entry, { delayMs: delay.ms, delaySeconds: delay.seconds, isByHand: false });
  return true;
}

export type AttemptOptions = {
  readonly delayMs: number;
  readonly delaySeconds: number;
  /** A retry by hand starts clean; an automatic one shows why the last attempt failed. */
  readonly isByHand: boolean;
};

/** A fresh attempt at the same entry; the old one is marked as retried and never looked at again. */
export function newAttempt(t: Transition, old: Task, entry: Entry, options: AttemptOptions): Task {
  const type = typeOfTask(t, old, entry);
  const now = t.now;
  const { input, secrets } = freshInput(t, old, entry);
  const {
    no: _no,
    seq: _seq,
    workerId: _worker,
    reasonForIncompletion: reason,
    subWorkflowId: _child,
    waitTimeout: _wait,
    secrets: _secrets,
    externalOutputPayloadStoragePath: _external,
    hasSuccessors: had = false,
    ...kept
  } = old;
  const isRootOfTree = old.tree === old.no;
  const task = t.createTask(
    {
      ...kept,
      tree: isRootOfTree ? t.head.nextNo : old.tree,
      status: type.initialStatus === "IN_PROGRESS" && options.delayMs === 0 ? "IN_PROGRESS" : "SCHEDULED",
      retryCount: old.retryCount + 1,
      retriedTaskNo: old.no,
      retried: false,
      executed: false,
      scheduledTime: now,
      // A retry by hand has a time budget of its own; automatic ones share theirs.
      firstScheduledTime: options.isByHand ? now : old.firstScheduledTime,
      startTime: 0,
      endTime: 0,
      updateTime: options.isByHand ? now : 0,
      pollCount: 0,
      startDelayInSeconds: options.delaySeconds,
      callbackAfterSeconds: options.delaySeconds,
      ...(options.isByHand || reason === undefined ? {} : { reasonForIncompletion: reason }),
      ...((options.isByHand ? hasSuccessor(t, old, entry) : had) ? { hasSuccessors: true } : {}),
      ...(secrets === undefined ? {} : { secrets }),
    },
    input,
  );
  publishStateChange(t, task, entry, "onScheduled");
  t.patchTask(old.no, { retried: true, executed: old.executed || options.isByHand });
  t.removeWork(old.no);
  if (!old.executed) leaveScope(t, old);
  begin(t, task, entry, type, options.delayMs);
  return task;
}

/** The old input with the entry's inputParameters resolved again on top. */
function freshInput(t: Transition, old: Task, entry: Entry): { input: Resolved; secrets: string | undefined } {
  const before = t.input(old.no);
  const { input, secrets } = resolveInput(t, entry, placeOf(old), typeOfTask(t, old, entry));
  const fresh = input instanceof RawJson ? input.value : input;
  if (!isPlainObject(fresh)) return { input: before, secrets: old.secrets };
  const stored = before.value as Record<string, never>;
  // A forked task's input came as data beside its entry; it stays on top.
  const merged = old.entry === undefined ? { ...stored, ...fresh } : { ...fresh, ...stored };
  return { input: merged, secrets: secrets ?? old.secrets };
}
