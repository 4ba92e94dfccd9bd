import { type Changes, type Head, isTerminal, RawJson, type Task, type Work } from "@downbeat/engine";

/** Ended tasks stay in memory while an execution is small; a large one keeps only what is open. */
const SMALL = 64;
const TASK_BYTES = 1500;

/**
 * What is at hand of one execution: its head, and tasks, payloads and work that were loaded or written lately. Everything
 * here is committed; a transition works on an overlay of its own until its commit is acknowledged.
 */
export class Execution {
  readonly id: string;
  head: Head | undefined;
  /** Every task of the execution is in `tasks`: a reference that is not there does not exist. */
  isWhole = false;
  readonly tasks = new Map<number, Task>();
  /** Youngest task by bare reference name; 0: known not to exist. */
  readonly latest = new Map<string, number>();
  readonly payloads = new Map<string, RawJson>();
  /** Work of open tasks; null: known to have none. */
  readonly work = new Map<number, Work | null>();
  bytes = 0;

  constructor(id: string) {
    this.id = id;
  }

  setTask(task: Task): void {
    this.tasks.set(task.no, task);
    const youngest = this.latest.get(task.ref) ?? 0;
    if (task.no > youngest) this.latest.set(task.ref, task.no);
  }

  setPayload(key: string, raw: RawJson): void {
    this.bytes += raw.text.length - (this.payloads.get(key)?.text.length ?? 0);
    this.payloads.set(key, raw);
  }

  /** A claim is laid over its task, as a reader of the store would see it. */
  setClaim(no: number, work: Work): void {
    this.work.set(no, work);
    const task = this.tasks.get(no);
    if (task !== undefined) this.tasks.set(no, withClaim(task, work));
  }

  /** Work was made ready by a commit of its own: what a claim laid over its task is gone. */
  setReady(no: number, work: Work): void {
    this.work.set(no, work);
    if (this.tasks.delete(no)) this.isWhole = false;
  }

  /** The changes of a commit that was acknowledged. */
  apply(changes: Changes): void {
    const { head } = changes;
    if (changes.baseRev === undefined) this.isWhole = true;
    if (this.head !== undefined && head.epoch !== this.head.epoch) this.clear();
    this.head = head;
    if (changes.removedTasks.length > 0) this.clear();
    for (const task of changes.newTasks) this.setTask(task);
    for (const task of changes.changedTasks) this.setTask(task);
    for (const { no, slot, text } of changes.payloads) this.setPayload(`${no}${slot}`, new RawJson(text));
    for (const [no, work] of changes.work) {
      if (work === undefined) this.work.set(no, null);
      else if (work.state === "claimed") this.setClaim(no, work);
      else this.work.set(no, work);
    }
    if (this.tasks.size > SMALL) {
      // Once over the line all ended tasks go, afterwards only those of the commit: a sweep per commit was quadratic.
      this.#dropEnded(this.isWhole ? [...this.tasks.values()] : [...changes.newTasks, ...changes.changedTasks]);
    }
    this.bytes = Math.max(this.bytes, this.tasks.size * TASK_BYTES);
  }

  /** Forgets all but the head: the next step reads what it needs. */
  clear(): void {
    this.isWhole = false;
    this.tasks.clear();
    this.latest.clear();
    this.payloads.clear();
    this.work.clear();
    this.bytes = 0;
  }

  #dropEnded(tasks: readonly Task[]): void {
    this.isWhole = false;
    for (const task of tasks) {
      if (!isTerminal(task.status)) continue;
      this.tasks.delete(task.no);
      if (this.latest.get(task.ref) === task.no) this.latest.delete(task.ref);
      this.work.delete(task.no);
      for (const slot of ["input", "output"]) {
        const key = `${task.no}${slot}`;
        this.bytes -= this.payloads.get(key)?.text.length ?? 0;
        this.payloads.delete(key);
      }
    }
  }

  get size(): number {
    return TASK_BYTES + this.bytes + this.tasks.size * TASK_BYTES;
  }
}

/** The task as it stands in someone's hands. */
export function withClaim(task: Task, work: Work): Task {
  const claimed: Task = {
    ...task,
    status: "IN_PROGRESS",
    startTime: work.startedAt,
    updateTime: work.polledAt,
    pollCount: work.polls,
    callbackAfterSeconds: 0,
  };
  return work.workerId === undefined ? claimed : { ...claimed, workerId: work.workerId };
}
