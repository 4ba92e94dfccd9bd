import type { DatabaseSync } from "node:sqlite";
import type { Mark, Marks } from "./marks.ts";
import { createSearchRows } from "./search-rows.ts";

/** How long a step may keep the writer from its commits. */
const STEP_MS = 15;

export interface Projector {
  /** Writes search rows for a while, in a transaction of its own. False when nothing is left to do. */
  step(): boolean;
  /** Whether everything marked up to this row of `dirty`, and everything an earlier run left, has its search rows. */
  hasReached(seq: number): boolean;
}

/**
 * Follows the commits and keeps the search rows up to date. A step costs by what has changed, never by the size of the
 * executions: only the tasks that were written since are written again.
 */
export function createProjector(db: DatabaseSync, marks: Marks, touch: (no: number) => void): Projector {
  const sql = {
    last: db.prepare("select max(seq) as seq from dirty"),
    next: db.prepare("select seq, exec from dirty where seq <= ? order by seq limit 1"),
    clean: db.prepare("delete from dirty where seq > ? and seq <= ?"),
  };
  const write = createSearchRows(db, touch);
  // What an earlier run left. Which tasks had changed is not known any more, so all of them are written.
  let left = (sql.last.get() as { seq: number | null }).seq ?? 0;
  let current: Mark | undefined;

  const nextLeft = (): Mark | undefined => {
    if (current !== undefined || left === 0) return current;
    const row = sql.next.get(left) as { seq: number; exec: string } | undefined;
    if (row === undefined) left = 0;
    else current = { exec: row.exec, seq: row.seq, isNew: false, text: true, nos: [], wholeFrom: 1 };
    return current;
  };

  /** A row that cannot be read must not keep the others from being found. */
  const writeOrSkip = (mark: Mark, deadline: number): boolean => {
    try {
      return write(mark, deadline);
    } catch (error) {
      if (error instanceof Error && "errcode" in error) throw error;
      return true;
    }
  };

  const writeMarks = (deadline: number, undo: (() => void)[]): Mark[] => {
    const done: Mark[] = [];
    for (const mark of marks.all()) {
      const { nos, wholeFrom } = mark;
      undo.push(() => Object.assign(mark, { nos, wholeFrom }));
      if (!writeOrSkip(mark, deadline)) break;
      done.push(mark);
      if (performance.now() > deadline) break;
    }
    const last = done.at(-1);
    if (last !== undefined) sql.clean.run(left, last.seq);
    return done;
  };

  const writeLeft = (deadline: number): void => {
    for (let mark = nextLeft(); mark !== undefined && performance.now() <= deadline; mark = nextLeft()) {
      if (!writeOrSkip(mark, deadline)) return;
      sql.clean.run(0, mark.seq);
      current = undefined;
    }
  };

  const isDone = (): boolean => marks.first() === undefined && nextLeft() === undefined;

  return {
    step() {
      if (isDone()) return false;
      const deadline = performance.now() + STEP_MS;
      const undo: (() => void)[] = [];
      try {
        // Not worth a disk write of its own: the next group's write takes it along, and lost rows are still marked.
        db.exec("pragma synchronous = normal; begin immediate");
        const done = writeMarks(deadline, undo);
        writeLeft(deadline);
        db.exec("commit");
        for (const mark of done) marks.clear(mark);
      } catch (error) {
        if (db.isTransaction) db.exec("rollback");
        for (const restore of undo) restore();
        current = undefined;
        throw error;
      } finally {
        db.exec("pragma synchronous = full");
      }
      return !isDone();
    },
    hasReached(seq) {
      const first = marks.first();
      return (first === undefined || first.seq > seq) && nextLeft() === undefined;
    },
  };
}
