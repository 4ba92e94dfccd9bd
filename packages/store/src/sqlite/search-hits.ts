import type { DatabaseSync } from "node:sqlite";
import type { Head, Task } from "@downbeat/engine";
import { headFromText } from "./compact.ts";
import { type TaskRow, taskFromRow } from "./execution-reads.ts";
import { executionText, occurIn, type SearchedPayloads, taskText, type Word } from "./search-text.ts";

/** Hits as they cross threads: payloads are texts. */
export type ExecutionHit = {
  readonly head: Head;
  readonly input: string;
  readonly output: string;
  readonly variables: string;
  readonly classifier: string;
  readonly isArchived: boolean;
};
export type TaskHit = { readonly head: Head; readonly task: Task; readonly input: string; readonly output: string };

/** Where a hit lies: the number of the execution, and of the task in it. */
export type TaskPlace = { readonly no: number; readonly taskNo: number };

export interface SearchHits {
  execution(no: number): ExecutionHit | undefined;
  task(place: TaskPlace): TaskHit | undefined;
  /** Whether the words are really there: signatures let some pass that have none. */
  executionHas(no: number, words: readonly Word[]): boolean;
  taskHas(place: TaskPlace, words: readonly Word[]): boolean;
}

type Row = {
  readonly id: string;
  readonly head: string;
  readonly inp: string | null;
  readonly out: string | null;
  readonly masked: number;
};
type ExecutionRow = Row & { readonly vars: string | null; readonly classifier: string; readonly archived: number };

/** Search rows lead here: what is shown of a hit is read from the execution and the task themselves. */
export function createSearchHits(db: DatabaseSync): SearchHits {
  const executions = db.prepare(
    `select e.id, e.head, e.inp, e.out, e.vars, s.classifier, s.masked, 0 as archived
     from execution e join search s on s.no = e.no where e.no = ?`,
  );
  const archive = db.prepare(
    `select a.id, a.head, a.inp, a.out, a.vars, s.classifier, s.masked, 1 as archived
     from archive a join search s on s.no = a.no where a.no = ?`,
  );
  const tasks = db.prepare(
    `select e.id, e.head, t.inp, t.out, s.masked, t.meta, w.polls, w.state, w.started, w.polled, w.worker
     from execution e join search s on s.no = e.no join task t on t.exec = e.id
       left join work w on w.exec = t.exec and w.no = t.no
     where e.no = ? and t.no = ?`,
  );
  const large = db.prepare("select body from payload where exec = ? and no = ? and slot = ?");

  const findExecution = (no: number): ExecutionRow | undefined =>
    (executions.get(no) ?? archive.get(no)) as ExecutionRow | undefined;
  const findTask = ({ no, taskNo }: TaskPlace): (Row & TaskRow) | undefined =>
    tasks.get(no, taskNo) as (Row & TaskRow) | undefined;

  const read = (id: string, no: number, slot: string, column: string | null): string => {
    if (column !== null) return column === "" ? "{}" : column;
    return (large.get(id, no, slot) as { body: string } | undefined)?.body ?? "{}";
  };
  const payloads = ({ id, inp, out }: Row, no: number) => ({
    input: read(id, no, "input", inp),
    output: read(id, no, "output", out),
  });
  const searched = (row: Row, no: number): SearchedPayloads => (row.masked === 1 ? undefined : payloads(row, no));

  return {
    execution(no) {
      const row = findExecution(no);
      if (row === undefined) return undefined;
      const { id, head, vars, classifier, archived } = row;
      const variables = read(id, 0, "variables", vars);
      return { head: headFromText(head), ...payloads(row, 0), variables, classifier, isArchived: archived === 1 };
    },
    task(place) {
      const row = findTask(place);
      return row && { head: headFromText(row.head), task: taskFromRow(row), ...payloads(row, place.taskNo) };
    },
    executionHas(no, words) {
      const row = findExecution(no);
      return row !== undefined && occurIn(executionText(headFromText(row.head), searched(row, 0)), words);
    },
    taskHas(place, words) {
      const row = findTask(place);
      if (row === undefined) return false;
      return occurIn(taskText(headFromText(row.head), taskFromRow(row), searched(row, place.taskNo)), words);
    },
  };
}
