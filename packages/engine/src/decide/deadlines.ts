import type { TaskDef } from "../definition/types.ts";
import type { Task } from "../execution/task.ts";
import type { Entry } from "../plan/plan.ts";
import type { Limit, Work } from "./changes.ts";

const INT_MAX = 2_147_483_647;
const SECOND = 1000;

type WorkOptions = { readonly now: number; readonly queue: string; readonly delayMs: number };

/** Work that is offered to pollers of `queue`, after a delay if there is one. */
export function queuedWork(task: Task, entry: Entry, { now, queue, delayMs }: WorkOptions): Work {
  const work: Work = {
    ...limitsOf(entry.taskDef, task),
    state: delayMs > 0 ? "delayed" : "ready",
    queue,
    priority: task.priority,
    dueAt: now + delayMs,
    timerAt: 0,
    startedAt: task.startTime,
    polledAt: task.updateTime,
    polls: task.pollCount,
    workerId: task.workerId,
  };
  return withTimer(work);
}

/** Work that nobody polls: it ends by an event, or gives a timer event at `until` (0: never by itself). */
export function waitingWork(task: Task, entry: Entry, until: number): Work {
  const timing = limitsOf(entry.taskDef, task);
  const work: Work = {
    ...timing,
    state: "waiting",
    queue: "",
    priority: 0,
    dueAt: until,
    timerAt: 0,
    startedAt: task.startTime,
    polledAt: task.updateTime,
    polls: task.pollCount,
    workerId: undefined,
  };
  return withTimer(work);
}

/** The execution's own deadline. */
export const executionWork = (timerAt: number): Work => ({
  state: "waiting",
  queue: "",
  priority: 0,
  dueAt: timerAt,
  timerAt,
  pollMs: 0,
  responseMs: 0,
  runMs: 0,
  totalAt: 0,
  limit: undefined,
  startedAt: 0,
  polledAt: 0,
  polls: 0,
  workerId: undefined,
});

/** The same work, claimed: what a poll makes of it. Also used by the server, which claims without a transition. */
export const claimedWork = (work: Work, workerId: string, now: number): Work =>
  withTimer({
    ...work,
    state: "claimed",
    startedAt: work.startedAt === 0 ? now : work.startedAt,
    polledAt: now,
    polls: work.polls + 1,
    workerId,
  });

/** The same work, offered from now on. */
export const readyWork = (work: Work, now: number): Work => withTimer({ ...work, state: "ready", dueAt: now });

export type Deadline = { readonly kind: "total" | "run" | "poll" | "response"; readonly at: number };

/** The time limits that count in the work's state, in the order in which they are looked at. */
export function deadlinesOf(work: Work): readonly Deadline[] {
  const deadlines: Deadline[] = [];
  if (work.totalAt > 0) deadlines.push({ kind: "total", at: work.totalAt });
  if (work.runMs > 0 && work.startedAt > 0) deadlines.push({ kind: "run", at: work.startedAt + work.runMs });
  if (work.state === "ready" && work.pollMs > 0 && work.polls === 0)
    deadlines.push({ kind: "poll", at: work.dueAt + work.pollMs });
  if (work.state === "claimed" && work.responseMs > 0)
    deadlines.push({ kind: "response", at: work.polledAt + work.responseMs });
  return deadlines;
}

/** Sets `timerAt` to the next time at which something happens to the work by itself. */
export function withTimer(work: Work): Work {
  const comesDue = work.state === "delayed" || work.state === "waiting";
  return { ...work, timerAt: earliest(comesDue ? work.dueAt : 0, deadlinesOf(work)) };
}

/** The same for work that fell due during a pause: only its time limits go on, `dueAt` tells resume to wake it. */
export const heldBack = (work: Work): Work => ({ ...work, timerAt: earliest(0, deadlinesOf(work)) });

function earliest(dueAt: number, deadlines: readonly Deadline[]): number {
  let timerAt = dueAt;
  for (const { at } of deadlines) if (timerAt === 0 || at < timerAt) timerAt = at;
  return timerAt;
}

/** Seconds before the attempt after `retryCount` may run, and the milliseconds of jitter on top. */
export function retryDelay(def: TaskDef, retryCount: number, random: number): { seconds: number; ms: number } {
  let seconds: number;
  switch (def.retryLogic) {
    case "FIXED":
      seconds = def.retryDelaySeconds;
      break;
    case "LINEAR_BACKOFF":
      seconds = def.retryDelaySeconds * def.backoffScaleFactor * (retryCount + 1);
      break;
    case "EXPONENTIAL_BACKOFF":
      seconds = def.retryDelaySeconds * 2 ** retryCount;
      break;
  }
  seconds = Math.max(0, Math.min(seconds, INT_MAX));
  if (def.maxRetryDelaySeconds > 0) seconds = Math.min(seconds, def.maxRetryDelaySeconds);
  const jitterMs = def.backoffJitterMs > 0 ? Math.floor(random * (def.backoffJitterMs + 1)) : 0;
  return { seconds, ms: seconds * SECOND + jitterMs };
}

type Timing = Pick<Work, "pollMs" | "responseMs" | "runMs" | "totalAt" | "limit">;

/** ALERT_ONLY deadlines set no timer: nothing would happen. */
function limitsOf(def: TaskDef, task: Task): Timing {
  const acts = def.timeoutPolicy !== "ALERT_ONLY";
  return {
    pollMs: acts ? (def.pollTimeoutSeconds ?? 0) * SECOND : 0,
    responseMs: def.responseTimeoutSeconds * SECOND,
    runMs: acts ? def.timeoutSeconds * SECOND : 0,
    totalAt: acts && def.totalTimeoutSeconds > 0 ? task.firstScheduledTime + def.totalTimeoutSeconds * SECOND : 0,
    limit: limitOf(def),
  };
}

export function limitOf(def: TaskDef): Limit | undefined {
  const concurrent = def.concurrentExecLimit ?? 0;
  const hasRate = def.rateLimitPerFrequency > 0 && def.rateLimitFrequencyInSeconds > 0;
  if (concurrent <= 0 && !hasRate) return undefined;
  return {
    name: def.name,
    concurrent: Math.max(0, concurrent),
    perWindow: hasRate ? def.rateLimitPerFrequency : 0,
    windowMs: hasRate ? def.rateLimitFrequencyInSeconds * SECOND : 0,
  };
}
