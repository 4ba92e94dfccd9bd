import type { Task, TaskStatus } from "@downbeat/engine";
import { plainText, safeText } from "./text.ts";

/**
 * A task's columns. What can be searched for, and what nearly every task has, stands in columns of its own; the rest is
 * one JSON text, of which fields with their usual value are left out. A worker's task takes 260 characters less than as
 * one text, in every row, on every way to the database and in its log.
 */
export type TaskRow = {
  readonly no: number;
  readonly scope: number;
  readonly joins: number;
  readonly scheduled: number;
  readonly started: number;
  readonly ended: number;
  readonly updated: number;
  readonly ref: string;
  readonly iter: string;
  readonly type: string;
  readonly def_name: string;
  readonly status: TaskStatus;
  readonly domain: string | null;
  readonly worker: string | null;
  readonly reason: string | null;
  readonly rest: string;
  /** The work that is laid over it, when it has been claimed. */
  readonly claimed: boolean | null;
  readonly claim_polls: number;
  readonly claim_started: number;
  readonly claim_polled: number;
  readonly claim_worker: string | null;
};

/** For `t`, the task, and `w`, its work. */
export const taskColumns = `t.no, t.scope, t.joins, t.scheduled, t.started, t.ended, t.updated, t.ref, t.iter, t.type,
  t.def_name, t.status, t.domain, t.worker, t.reason, t.rest, w.state = 1 as claimed, w.polls as claim_polls,
  w.started as claim_started, w.polled as claim_polled, w.worker as claim_worker`;

/** What changes during a task's life. */
export const changingColumns = (task: Task) => ({
  no: task.no,
  joins: task.join,
  done: task.executed || task.retried,
  scheduled: task.scheduledTime,
  started: task.startTime,
  ended: task.endTime,
  updated: task.updateTime,
  status: task.status,
  domain: task.domain === undefined ? null : safeText(task.domain),
  worker: task.workerId === undefined ? null : safeText(task.workerId),
  reason: task.reasonForIncompletion === undefined ? null : safeText(task.reasonForIncompletion),
  rest: restOf(task),
});

/** What a task keeps all its life. */
export const lastingColumns = (task: Task) => ({
  scope: task.scope,
  ref: safeText(task.ref),
  iter: task.iter,
  type: safeText(task.taskType),
  defName: safeText(task.taskDefName),
});

/** A poll changes only the work row; whoever reads the task sees it as the poll left it. */
export function taskFromRow(row: TaskRow): Task {
  const { no, scheduled } = row;
  const worker = row.claimed === true ? (row.claim_worker ?? row.worker) : row.worker;
  const task: Task = {
    no,
    seq: no,
    ref: plainText(row.ref),
    iter: row.iter,
    scope: row.scope,
    tree: 0,
    join: row.joins,
    taskType: plainText(row.type),
    taskDefName: plainText(row.def_name),
    status: row.status,
    retryCount: 0,
    retried: false,
    executed: false,
    scheduledTime: scheduled,
    firstScheduledTime: scheduled,
    startTime: row.started,
    endTime: row.ended,
    updateTime: row.updated,
    startDelayInSeconds: 0,
    callbackAfterSeconds: 0,
    pollCount: 0,
    iteration: 0,
    priority: 0,
    ...(worker === null ? {} : { workerId: plainText(worker) }),
    ...(row.domain === null ? {} : { domain: plainText(row.domain) }),
    ...(row.reason === null ? {} : { reasonForIncompletion: plainText(row.reason) }),
    ...(row.rest === "" ? {} : (JSON.parse(row.rest) as Partial<Task>)),
  };
  if (row.claimed !== true) return task;
  return {
    ...task,
    status: "IN_PROGRESS",
    startTime: row.claim_started,
    updateTime: row.claim_polled,
    pollCount: row.claim_polls,
    callbackAfterSeconds: 0,
  };
}

// Part of the format: rows that were written with these left out are read with them for ever.
function restOf(task: Task): string {
  const text = JSON.stringify({
    ...task,
    no: undefined,
    seq: task.seq === task.no ? undefined : task.seq,
    ref: undefined,
    iter: undefined,
    scope: undefined,
    tree: task.tree || undefined,
    join: undefined,
    taskType: undefined,
    taskDefName: undefined,
    status: undefined,
    retryCount: task.retryCount || undefined,
    retried: task.retried || undefined,
    executed: task.executed || undefined,
    scheduledTime: undefined,
    firstScheduledTime: task.firstScheduledTime === task.scheduledTime ? undefined : task.firstScheduledTime,
    startTime: undefined,
    endTime: undefined,
    updateTime: undefined,
    startDelayInSeconds: task.startDelayInSeconds || undefined,
    callbackAfterSeconds: task.callbackAfterSeconds || undefined,
    pollCount: task.pollCount || undefined,
    iteration: task.iteration || undefined,
    priority: task.priority || undefined,
    workerId: undefined,
    domain: undefined,
    reasonForIncompletion: undefined,
  });
  return text === "{}" ? "" : text;
}
