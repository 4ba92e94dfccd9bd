import { Worker } from "node:worker_threads";
import type { Commit, Unit } from "../port.ts";
import { type EncodedUnit, encodeUnit, type Value } from "./encode.ts";
import type { WriterAnswer, WriterMessage } from "./writer-thread.ts";

type Pending = {
  readonly unit: EncodedUnit;
  readonly resolve: (commit: Commit) => void;
  readonly reject: (error: Error) => void;
};

export type WriterOptions = {
  readonly path: string;
  /** Set by measurements: every group takes this much longer, as on a disk that is slow to sync. */
  readonly syncDelayMs: number;
  /** How long it must be quiet before texts settle into blocks. */
  readonly settleAfterMs: number;
  readonly onFailure: ((error: Error) => void) | undefined;
};

type Written = { readonly groups: number; readonly units: number };

/** Two groups under way: while the disk has one, the thread already holds the next. */
const GROUPS_UNDER_WAY = 2;
const GROUP_LIMIT = 2000;

/** This side of the writer thread: gathers units into groups and answers their callers. */
export class Writer {
  readonly #worker: Worker;
  readonly #groups = new Map<number, readonly Pending[]>();
  readonly #waiters = new Map<number, () => void>();
  #queue: Pending[] = [];
  #nextId = 1;
  #failure: Error | undefined;
  readonly #onFailure: ((error: Error) => void) | undefined;
  #scheduled = false;
  #closing: Promise<void> | undefined;
  #onDrained: (() => void) | undefined;
  readonly #exited: Promise<unknown>;
  #writtenGroups = 0;
  #writtenUnits = 0;

  constructor({ path, syncDelayMs, settleAfterMs, onFailure }: WriterOptions) {
    this.#onFailure = onFailure;
    this.#worker = new Worker(new URL("./writer-thread.ts", import.meta.url), {
      workerData: { path, syncDelayMs, settleAfterMs },
    });
    this.#exited = new Promise((resolve) => this.#worker.once("exit", resolve));
    this.#worker.on("message", (answer: WriterAnswer) => this.#answer(answer));
    this.#worker.on("error", (error: unknown) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    this.#worker.on("exit", (code) => {
      if (code !== 0) this.#fail(new Error(`The writer thread ended with code ${code}`));
    });
  }

  commit(unit: Unit): Promise<Commit> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#closing !== undefined) return Promise.reject(new Error("The store is closed"));
    return new Promise((resolve, reject) => {
      this.#queue.push({ unit: encodeUnit(unit), resolve, reject });
      this.#schedule();
    });
  }

  /** Resolves when every commit made so far can be found, as far as that is still possible. */
  project(): Promise<void> {
    if (this.#failure !== undefined || this.#closing !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const id = this.#nextId++;
      this.#waiters.set(id, resolve);
      this.#post({ kind: "project", id });
    });
  }

  /** How much was written so far. Units per group tell how well groups form. */
  get written(): Written {
    return { groups: this.#writtenGroups, units: this.#writtenUnits };
  }

  /** Commits given so far are finished first; later ones reject. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    if (this.#queue.length > 0 || this.#groups.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onDrained = resolve;
      });
    }
    this.#post({ kind: "close" });
    await this.#exited;
  }

  /** One group per turn of the event loop: everything that came in this turn goes together. */
  #schedule(): void {
    if (this.#scheduled || this.#groups.size >= GROUPS_UNDER_WAY) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#queue.length === 0 || this.#groups.size >= GROUPS_UNDER_WAY) return;
    const group = this.#queue.length <= GROUP_LIMIT ? this.#queue : this.#queue.slice(0, GROUP_LIMIT);
    this.#queue = this.#queue.length <= GROUP_LIMIT ? [] : this.#queue.slice(GROUP_LIMIT);
    const values: Value[] = [];
    for (const { unit } of group) for (const value of unit.values) values.push(value);
    const id = this.#nextId++;
    this.#groups.set(id, group);
    this.#post({ kind: "group", id, units: group.length, values });
  }

  #answer({ id, results, errors }: WriterAnswer): void {
    const waiter = this.#waiters.get(id);
    if (waiter !== undefined) {
      this.#waiters.delete(id);
      waiter();
      return;
    }
    const group = this.#groups.get(id) ?? [];
    this.#groups.delete(id);
    this.#flush();
    const messages = new Map(errors.map((error) => [error.unit, error.message]));
    group.forEach((pending, index) => {
      const result = results[index] ?? -1;
      const guard = pending.unit.guards[result - 1];
      if (result === 0) pending.resolve({ kind: "done" });
      else if (guard !== undefined) pending.resolve({ kind: "conflict", guard });
      else pending.reject(new Error(`The store could not write: ${messages.get(index) ?? "unknown reason"}`));
    });
    this.#writtenGroups++;
    this.#writtenUnits += group.length;
    if (this.#groups.size === 0) this.#onDrained?.();
  }

  #fail(error: Error): void {
    if (this.#failure === undefined) this.#onFailure?.(error);
    this.#failure ??= error;
    const failed = [...this.#queue, ...[...this.#groups.values()].flat()];
    this.#queue = [];
    this.#groups.clear();
    for (const pending of failed) pending.reject(error);
    for (const resolve of this.#waiters.values()) resolve();
    this.#waiters.clear();
    this.#onDrained?.();
  }

  #post(message: WriterMessage): void {
    this.#worker.postMessage(message);
  }
}
