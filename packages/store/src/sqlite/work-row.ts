import type { Work, WorkState } from "@downbeat/engine";

export const stateNumbers: Record<WorkState, number> = { ready: 0, claimed: 1, waiting: 2, delayed: 3 };
const stateNames: readonly WorkState[] = ["ready", "claimed", "waiting", "delayed"];

export type WorkRow = {
  readonly exec: string;
  readonly no: number;
  readonly queue: string;
  readonly prio: number;
  readonly due: number;
  readonly timer: number;
  readonly state: number;
  readonly polls: number;
  readonly started: number;
  readonly polled: number;
  readonly worker: string | null;
  readonly timing: string | null;
};

export const workColumns = "exec, no, queue, prio, due, timer, state, polls, started, polled, worker, timing";

/** Deadlines and limits as one text; most work has none and stores null. */
export function timingOf(work: Work): string | null {
  const { pollMs, responseMs, runMs, totalAt, limit } = work;
  if (pollMs === 0 && responseMs === 0 && runMs === 0 && totalAt === 0 && limit === undefined) return null;
  const rest = limit === undefined ? [] : [limit.name, limit.concurrent, limit.perWindow, limit.windowMs];
  return JSON.stringify([pollMs, responseMs, runMs, totalAt, ...rest]);
}

type Timing = [number, number, number, number, string?, number?, number?, number?];
const none: Timing = [0, 0, 0, 0];

export function workFromRow(row: WorkRow): Work {
  const timing = row.timing === null ? none : (JSON.parse(row.timing) as Timing);
  const [pollMs, responseMs, runMs, totalAt, name, concurrent, perWindow, windowMs] = timing;
  return {
    state: stateNames[row.state] ?? "waiting",
    queue: row.queue,
    priority: row.prio,
    dueAt: row.due,
    timerAt: row.timer,
    pollMs,
    responseMs,
    runMs,
    totalAt,
    limit:
      name === undefined
        ? undefined
        : { name, concurrent: concurrent ?? 0, perWindow: perWindow ?? 0, windowMs: windowMs ?? 0 },
    startedAt: row.started,
    polledAt: row.polled,
    polls: row.polls,
    workerId: row.worker ?? undefined,
  };
}
