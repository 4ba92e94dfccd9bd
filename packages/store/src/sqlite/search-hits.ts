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
  const payloads = createPayloadReads(db);

  const findExecution = (no: number): ExecutionRow | undefined =>
    (executions.get(no) ?? archive.get(no)) as ExecutionRow | undefined;
  const findTask = ({ no, taskNo }: TaskPlace): (Row & TaskRow) | undefined =>
    tasks.get(no, taskNo) as (Row & TaskRow) | undefined;

  const searched = (row: Row, no: number): SearchedPayloads => (row.masked === 1 ? undefined : payloads.both(row, no));

  return {
    execution(no) {
      const row = findExecution(no);
      if (row === undefined) return undefined;
      const { id, head, vars, classifier, archived } = row;
      const variables = payloads.one(id, 0, "variables", vars);
      return { head: headFromText(head), ...payloads.both(row, 0), variables, classifier, isArchived: archived === 1 };
    },
    task(place) {
      const row = findTask(place);
      return row && { head: headFromText(row.head), task: taskFromRow(row), ...payloads.both(row, place.taskNo) };
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

/** The text of an execution, as free text is looked for in it. */
export type SearchedText = { readonly no: number; readonly text: string };

export interface TextReads {
  /** Of executions with numbers from `first` on and below `end`. */
  between(first: number, end: number, limit: number): readonly SearchedText[];
}

export function createTextReads(db: DatabaseSync): TextReads {
  const rows = db.prepare(
    `select s.no, s.masked, ifnull(e.id, a.id) as id, ifnull(e.head, a.head) as head, iif(e.no, e.inp, a.inp) as inp,
       iif(e.no, e.out, a.out) as out
     from search s left join execution e on e.no = s.no left join archive a on a.no = s.no
     where s.no >= ? and s.no < ? order by s.no limit ?`,
  );
  const payloads = createPayloadReads(db);
  const textOf = (row: Row): string => {
    try {
      return executionText(headFromText(row.head), row.masked === 1 ? undefined : payloads.both(row, 0));
    } catch {
      // A row that cannot be read is not found, and must not keep others from it.
      return "";
    }
  };

  return {
    between: (first, end, limit) =>
      (rows.all(first, end, limit) as (Row & { no: number })[]).map((row) => ({ no: row.no, text: textOf(row) })),
  };
}

function createPayloadReads(db: DatabaseSync) {
  const large = db.prepare("select body from payload where exec = ? and no = ? and slot = ?");
  const one = (id: string, no: number, slot: string, column: string | null): string => {
    if (column !== null) return column === "" ? "{}" : column;
    return (large.get(id, no, slot) as { body: string } | undefined)?.body ?? "{}";
  };
  return {
    one,
    both: ({ id, inp, out }: Pick<Row, "id" | "inp" | "out">, no: number) => ({
      input: one(id, no, "input", inp),
      output: one(id, no, "output", out),
    }),
  };
}
