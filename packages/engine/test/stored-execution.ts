import { Missing, type View, type WorkflowPart } from "../src/decide/context.ts";
import { type Changes, type Head, isTerminal, RawJson, type Task, type Work } from "../src/index.ts";

/** What a store keeps of one execution, in memory. */
export class StoredExecution {
  head: Head | undefined;
  readonly tasks = new Map<number, Task>();
  readonly work = new Map<number, Work>();
  readonly logs: { readonly no: number; readonly line: string }[] = [];
  readonly messages = new Map<number, string>();
  readonly #payloads = new Map<string, string>();
  readonly #byRef = new Map<string, number[]>();

  /** One atomic unit: all of it, or nothing when another transition was faster. */
  commit(changes: Changes): void {
    if (this.head?.rev !== changes.baseRev) throw new Error(`Conflict: ${this.head?.rev} is not ${changes.baseRev}`);
    if (this.head !== undefined && changes.head.epoch > this.head.epoch) this.#forgetTasks();
    this.head = changes.head;
    for (const no of changes.removedTasks) this.#remove(no);
    for (const task of changes.newTasks) this.#insert(task);
    for (const task of changes.changedTasks) {
      if (!this.tasks.has(task.no)) throw new Error(`Changed task ${task.no} does not exist`);
      this.tasks.set(task.no, task);
    }
    for (const { no, slot, text } of changes.payloads) {
      JSON.parse(text);
      if (no !== 0 && !this.tasks.has(no)) throw new Error(`Payload of task ${no}, which does not exist`);
      this.#payloads.set(`${no}${slot}`, text);
    }
    for (const [no, work] of changes.work) {
      if (work === undefined) this.work.delete(no);
      else this.work.set(no, work);
    }
    const { puts = [], from = 0 } = changes.messages ?? {};
    for (const n of [...this.messages.keys()]) if (n < from) this.messages.delete(n);
    for (const { n, text } of puts) this.messages.set(n, text);
    for (const { no, line } of changes.logs) this.logs.push({ no, line });
  }

  /** As a server shows it: a claim is laid over the task it holds. */
  laidOver(task: Task): Task {
    const work = this.work.get(task.no);
    if (work?.state !== "claimed") return task;
    return {
      ...task,
      status: "IN_PROGRESS",
      startTime: work.startedAt,
      updateTime: work.polledAt,
      pollCount: work.polls,
      ...(work.workerId === undefined ? {} : { workerId: work.workerId }),
    };
  }

  allTasks(): Task[] {
    return [...this.tasks.values()].sort((a, b) => a.no - b.no).map((task) => this.laidOver(task));
  }

  /** The youngest task of this name, of any iteration or of the given one. */
  youngest(ref: string, iter?: string): Task | undefined {
    const isWanted = (no: number) => iter === undefined || this.tasks.get(no)?.iter === iter;
    const no = this.#byRef.get(ref)?.findLast(isWanted);
    return no === undefined ? undefined : this.tasks.get(no);
  }

  payload(no: number, slot: string): RawJson {
    return new RawJson(this.#payloads.get(`${no}${slot}`) ?? "{}");
  }

  /** A copy of everything durable, for comparing. */
  snapshot(): unknown {
    return {
      head: this.head,
      tasks: [...this.tasks.entries()],
      messages: [...this.messages],
      work: [...this.work.entries()].sort(([a], [b]) => a - b),
      payloads: [...this.#payloads.entries()].sort(([a], [b]) => (a < b ? -1 : 1)),
    };
  }

  #insert(task: Task): void {
    if (this.tasks.has(task.no)) throw new Error(`Task ${task.no} exists already`);
    this.tasks.set(task.no, task);
    const numbers = this.#byRef.get(task.ref);
    if (numbers === undefined) this.#byRef.set(task.ref, [task.no]);
    else numbers.push(task.no);
  }

  #remove(no: number): void {
    const task = this.tasks.get(no);
    if (task === undefined) return;
    this.tasks.delete(no);
    this.work.delete(no);
    this.#byRef.set(
      task.ref,
      (this.#byRef.get(task.ref) ?? []).filter((other) => other !== no),
    );
    for (const slot of ["input", "output"]) this.#payloads.delete(`${no}${slot}`);
  }

  #forgetTasks(): void {
    for (const no of [...this.tasks.keys()]) this.#remove(no);
    this.#byRef.clear();
    this.work.clear();
  }
}

export type ViewOptions = {
  /** Called with the name and arguments of every question. */
  readonly onCall?: (call: string) => void;
};

/** The view of a stored execution. Every question goes through `onCall`, which may throw `Missing`. */
export function viewOf(stored: StoredExecution, { onCall = () => {} }: ViewOptions = {}): View {
  const laid = (task: Task | undefined) => task && stored.laidOver(task);
  return {
    head: stored.head,
    findTask(no) {
      onCall(`findTask ${no}`);
      return laid(stored.tasks.get(no));
    },
    findLatest(ref) {
      onCall(`findLatest ${ref}`);
      return laid(stored.youngest(ref));
    },
    findInIteration(ref, iter) {
      onCall(`findInIteration ${ref} ${iter}`);
      return laid(stored.youngest(ref, iter));
    },
    findWork(no) {
      onCall(`findWork ${no}`);
      return stored.work.get(no);
    },
    input(no) {
      onCall(`input ${no}`);
      return stored.payload(no, "input");
    },
    output(no) {
      onCall(`output ${no}`);
      return stored.payload(no, "output");
    },
    workflow(part: WorkflowPart) {
      onCall(`workflow ${part}`);
      return stored.payload(0, part);
    },
    openTasks(limit) {
      onCall(`openTasks ${limit}`);
      return stored
        .allTasks()
        .filter((task) => !isTerminal(task.status))
        .slice(0, limit);
    },
    unfollowedTasks() {
      onCall("unfollowedTasks");
      return stored.allTasks().filter((task) => isTerminal(task.status) && !task.executed && !task.retried);
    },
    allTasks() {
      onCall("allTasks");
      return stored.allTasks();
    },
    joinedOutputs(joinNo) {
      onCall(`joinedOutputs ${joinNo}`);
      const joined = stored.allTasks().filter((task) => task.join === joinNo && !task.retried);
      return new Map(joined.map((task) => [task.ref, stored.payload(task.no, "output")]));
    },
    loopTasks(loopNo) {
      onCall(`loopTasks ${loopNo}`);
      const inside = stored.allTasks().filter((task) => task.scope === loopNo);
      return inside.map((task) => ({ task, output: stored.payload(task.no, "output") }));
    },
    messages(from, to) {
      onCall(`messages ${from} ${to}`);
      return [...stored.messages].filter(([n]) => n >= from && n < to).map(([, text]) => text);
    },
  };
}

/** An `onCall` that has nothing at hand the first time it is asked, when the coin says so. */
export function forgetful(coin: () => boolean): (call: string) => void {
  const known = new Set<string>();
  return (call) => {
    if (known.has(call)) return;
    known.add(call);
    if (coin()) throw new Missing(call);
  };
}
