import type { Changes, Head, Task, Work } from "@downbeat/engine";
import type { Commit, ScheduleRun, Store, TransitionUnit, Unit } from "../port.ts";

let ids = 0;

/** An execution id that no other test of this run uses; ids count up, as the server's do. */
export function newId(): string {
  ids++;
  return `01900000-0000-7000-8000-${ids.toString(16).padStart(6, "0")}000000`;
}

/** A name that no other test of this run uses: queues, definitions and keys are shared by all executions. */
export const newName = (prefix: string): string => `${prefix} ${newId()}`;

export const aHead = (fields: Partial<Head> = {}): Head => ({
  id: newId(),
  rev: 1,
  epoch: 0,
  status: "RUNNING",
  workflowName: "orders",
  workflowVersion: 1,
  defHash: "hash",
  createTime: 1000,
  updateTime: 0,
  endTime: 0,
  lastRetriedTime: 0,
  priority: 0,
  taskToDomain: {},
  failedReferenceTaskNames: [],
  failedTaskNames: [],
  nextNo: 1,
  nextSeq: 1,
  open: 0,
  loops: {},
  joins: {},
  skipped: [],
  hasPermissiveFailure: false,
  hasFailures: false,
  trees: {},
  forks: {},
  dynamicForks: 0,
  ...fields,
});

export const aTask = (no: number, fields: Partial<Task> = {}): Task => ({
  no,
  seq: no,
  ref: `task_${no}`,
  iter: "",
  scope: 0,
  tree: 0,
  join: 0,
  taskType: "SIMPLE",
  taskDefName: "pay",
  status: "SCHEDULED",
  retryCount: 0,
  retried: false,
  executed: false,
  scheduledTime: 1000,
  firstScheduledTime: 1000,
  startTime: 0,
  endTime: 0,
  updateTime: 0,
  startDelayInSeconds: 0,
  callbackAfterSeconds: 0,
  pollCount: 0,
  iteration: 0,
  priority: 0,
  ...fields,
});

export const aWork = (fields: Partial<Work> = {}): Work => ({
  state: "ready",
  queue: "pay",
  priority: 0,
  dueAt: 1000,
  timerAt: 0,
  pollMs: 0,
  responseMs: 0,
  runMs: 0,
  totalAt: 0,
  limit: undefined,
  startedAt: 0,
  polledAt: 0,
  polls: 0,
  workerId: undefined,
  ...fields,
});

export const aRun = (schedule: string, slotAt: number, fields: Partial<ScheduleRun> = {}): ScheduleRun => ({
  id: newId(),
  schedule,
  entry: 0,
  slotAt,
  firedAt: slotAt + 5,
  workflowName: "orders",
  state: "EXECUTED",
  zone: "UTC",
  request: '{"name":"orders"}',
  ...fields,
});

/** The same work as a poll of `worker` at `at` leaves it. */
export const aClaim = (work: Work, { worker = "w1", at = 2000 } = {}): Work => ({
  ...work,
  state: "claimed",
  startedAt: at,
  polledAt: at,
  polls: work.polls + 1,
  workerId: worker,
});

/** A transition that creates `head`, with whatever else is given. */
export function aStart(head: Head, changes: Partial<Changes> = {}, rest: Partial<TransitionUnit> = {}): TransitionUnit {
  return {
    kind: "transition",
    changes: {
      id: head.id,
      baseRev: undefined,
      head,
      newTasks: [],
      changedTasks: [],
      removedTasks: [],
      payloads: [],
      work: new Map(),
      sends: [],
      logs: [],
      cachePuts: [],
      continues: false,
      ...changes,
    },
    defs: [],
    consumes: [],
    idempotency: undefined,
    slot: undefined,
    sends: [],
    logs: [],
    ...rest,
  };
}

/** The next transition of an execution: the head's revision goes up by one. */
export function aStep(head: Head, changes: Partial<Changes> = {}, rest: Partial<TransitionUnit> = {}): TransitionUnit {
  const next = changes.head ?? head;
  return aStart(head, { baseRev: head.rev, ...changes, head: { ...next, rev: head.rev + 1 } }, rest);
}

/** Takes events out of the outbox without changing anything. */
export const aConsumption = (sender: string, n: number): TransitionUnit => ({
  kind: "transition",
  changes: undefined,
  defs: [],
  consumes: [{ sender, n }],
  idempotency: undefined,
  slot: undefined,
  sends: [],
  logs: [],
});

/** A unit that no store can write: the task's row is there twice. Its guards hold. */
export const aBrokenUnit = (head: Head): TransitionUnit => aStart(head, { newTasks: [aTask(1), aTask(1)] });

/** Commits what must succeed. */
export async function done(store: Store, ...units: readonly Unit[]): Promise<void> {
  for (const unit of units) {
    const commit = await store.commit(unit);
    if (commit.kind !== "done") throw new Error(`Expected the unit to be written, got a conflict of ${commit.guard}`);
  }
}

export const conflictOf = (guard: Extract<Commit, { kind: "conflict" }>["guard"]): Commit => ({
  kind: "conflict",
  guard,
});
