import type { DatabaseSync } from "node:sqlite";
import type { Value } from "./encode.ts";
import { parameterCounts, touches } from "./statements.ts";

/** What of an execution has changed since its search rows were written. */
export type Mark = {
  readonly exec: string;
  /** Its row in `dirty`. */
  readonly seq: number;
  /** It began with these changes: there are no search rows yet. */
  isNew: boolean;
  /** What free text finds may have changed. */
  text: boolean;
  /** Tasks by number; some more than once. */
  nos: number[];
  /** All tasks, from this number on: it is not known which have changed. */
  wholeFrom: number | undefined;
};

/**
 * Remembers which executions and tasks were written, for the projector. The details are in memory; the file has one row
 * per marked execution, written in the transaction of the first change, so that a crash loses the details and no more.
 */
export class Marks {
  readonly #insert;
  readonly #byExecution = new Map<string, Mark>();
  /** Marked in the transaction that is open. */
  #fresh: string[] = [];
  #lastSeq: number;
  /** Changes noted so far. */
  noted = 0;

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare("insert into dirty (seq, exec) values (?, ?)");
    this.#lastSeq = Number(db.prepare("select ifnull(max(seq), 0) as seq from dirty").get()?.["seq"]);
  }

  /** Takes note of a unit that was written; `start` and `end` are its place among the values of its group. */
  note(values: readonly Value[], start: number, end: number): void {
    let mark: Mark | undefined;
    for (let at = start + 2; at < end; ) {
      const number = Number(values[at]);
      const touch = touches[number];
      if (touch !== undefined) {
        this.noted++;
        const exec = String(values[at + 1 + touch.exec]);
        if (mark?.exec !== exec) mark = this.#markOf(exec);
        if (touch.isNew) mark.isNew = true;
        if (touch.text) mark.text = true;
        const no = touch.no === undefined ? 0 : Number(values[at + 1 + touch.no]);
        if (no !== 0 && mark.nos.at(-1) !== no) mark.nos.push(no);
      }
      at += 1 + (parameterCounts[number] ?? 0);
    }
  }

  /** The transaction is on disk. */
  keep(): void {
    this.#fresh = [];
  }

  /** The transaction was rolled back, and the rows of its new marks with it. */
  drop(): void {
    for (const exec of this.#fresh) this.#byExecution.delete(exec);
    this.#fresh = [];
  }

  first(): Mark | undefined {
    return this.#byExecution.values().next().value;
  }

  /** In the order they were marked, which is the order of their rows. */
  all(): Iterable<Mark> {
    return this.#byExecution.values();
  }

  clear(mark: Mark): void {
    this.#byExecution.delete(mark.exec);
  }

  /** Of the latest mark, ever: numbers are not used again. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  #markOf(exec: string): Mark {
    const known = this.#byExecution.get(exec);
    if (known !== undefined) return known;
    const seq = ++this.#lastSeq;
    this.#insert.run(seq, exec);
    const mark: Mark = { exec, seq, isNew: false, text: false, nos: [], wholeFrom: undefined };
    this.#byExecution.set(exec, mark);
    this.#fresh.push(exec);
    return mark;
  }
}
