import type { QueuedWork } from "../port.ts";
import { type WorkRow, workFromRow } from "../sqlite/work-row.ts";
import { plainWork } from "./execution-reads.ts";

/** A row of `work` as `take_ready_1` gives it. */
export type TakenRow = readonly [
  exec: string,
  no: number,
  queue: string,
  prio: number,
  due: number,
  timer: number,
  state: number,
  polls: number,
  started: number,
  polled: number,
  worker: string | null,
  timing: string | null,
];

export function workFromTaken(taken: TakenRow): QueuedWork {
  const [exec, no, queue, prio, due, timer, state, polls, started, polled, worker, timing] = taken;
  return toQueued({ exec, no, queue, prio, due, timer, state, polls, started, polled, worker, timing });
}

export function toQueued(row: WorkRow): QueuedWork {
  const work = plainWork(row);
  return { id: work.exec, no: work.no, work: workFromRow(work) };
}
