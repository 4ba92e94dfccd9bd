import type { Commit, Store, Unit } from "@downbeat/store";

/** A commit that is on its way to disk, and what becomes of it: the test decides. */
export type Held = {
  readonly unit: Unit;
  /** It goes to disk now. */
  readonly pass: () => Promise<void>;
  /** A guard fails; nothing is stored. */
  readonly refuse: (guard: Extract<Commit, { kind: "conflict" }>["guard"]) => void;
  /** The disk fails; nothing is stored. */
  readonly fail: (error: Error) => void;
};

/** A real store whose commits wait until the test lets them through. Reads see what is on disk. */
export class GatedStore implements Store {
  readonly #store: Store;
  readonly #held: Held[] = [];
  readonly #waiting: ((held: Held) => void)[] = [];
  readonly executions: Store["executions"];
  readonly queues: Store["queues"];
  readonly definitions: Store["definitions"];
  readonly search: Store["search"];
  readonly documents: Store["documents"];
  readonly schedules: Store["schedules"];
  readonly undelivered: Store["undelivered"];
  readonly findIdempotent: Store["findIdempotent"];
  readonly findCached: Store["findCached"];
  readonly logs: Store["logs"];
  readonly written: Store["written"];
  readonly close: Store["close"];
  /** While false, commits pass as they come. */
  isClosed = true;

  constructor(store: Store) {
    this.#store = store;
    this.executions = store.executions;
    this.queues = store.queues;
    this.definitions = store.definitions;
    this.search = store.search;
    this.documents = store.documents;
    this.schedules = store.schedules;
    this.undelivered = store.undelivered;
    this.findIdempotent = store.findIdempotent;
    this.findCached = store.findCached;
    this.logs = store.logs;
    this.written = store.written;
    this.close = store.close;
  }

  commit(unit: Unit): Promise<Commit> {
    if (!this.isClosed) return this.#store.commit(unit);
    return new Promise((resolve, reject) => {
      const held: Held = {
        unit,
        pass: async () => {
          await this.#store.commit(unit).then(resolve, reject);
          await settled();
        },
        refuse: (guard) => resolve({ kind: "conflict", guard }),
        fail: reject,
      };
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#held.push(held);
      else waiting(held);
    });
  }

  /** The next commit that is asked for. */
  next(): Promise<Held> {
    const held = this.#held.shift();
    if (held !== undefined) return Promise.resolve(held);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** How many commits are asked for and not decided. */
  get heldCount(): number {
    return this.#held.length;
  }
}

/** Everything that can happen without the disk has happened: two turns of the event loop. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}
