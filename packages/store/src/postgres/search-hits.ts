import type { Head } from "@downbeat/engine";
import type { FoundExecution, FoundTask } from "../port.ts";
import { headFromText } from "../sqlite/compact.ts";
import { executionText, occurIn, type SearchedPayloads, taskText, type Word } from "../sqlite/search-text.ts";
import { payloadOf, toJson } from "./execution-reads.ts";
import type { Ask, AskRows } from "./searcher.ts";
import { type TaskRow, taskColumns, taskFromRow } from "./task-row.ts";

/** Where a hit lies: the execution, and the number of the task in it. */
export type TaskPlace = { readonly exec: string; readonly no: number };

type ExecutionRow = Readonly<Record<"id" | "head" | "inp" | "out" | "vars" | "classifier", string>> & {
  readonly masked: boolean;
  readonly archived: boolean;
};
type FullTaskRow = TaskRow & Readonly<Record<"exec" | "head" | "inp" | "out", string>> & { readonly masked: boolean };

const own = (column: string, slot: number): string =>
  payloadOf("e", column, { id: "e.id", no: "0", slot: String(slot) });
const ofTask = (column: string, slot: number): string =>
  payloadOf("t", column, { id: "t.exec", no: "t.no", slot: String(slot) });

const executionsSql = `
  select e.id, e.head, ${own("inp", 0)} as inp, ${own("out", 1)} as out, ${own("vars", 2)} as vars, s.classifier, s.masked,
    false as archived
  from execution e join search s on s.id = e.id where e.id = any($1::text[])
  union all
  select a.id, a.head, a.inp, a.out, a.vars, s.classifier, s.masked, true
  from archive a join search s on s.id = a.id
  where a.id = any($1::text[]) and not exists (select from execution e where e.id = a.id)`;

const tasksSql = `
  select t.exec, e.head, ${ofTask("inp", 0)} as inp, ${ofTask("out", 1)} as out, s.masked,
    ${taskColumns}
  from unnest($1::text[], $2::int[]) p (exec, no) join task t on t.exec = p.exec and t.no = p.no
    join execution e on e.id = t.exec join search s on s.id = t.exec
    left join work w on w.exec = t.exec and w.no = t.no`;

/** Search rows lead here: what is shown of a hit is read from the execution and the task themselves. In the given order. */
export async function readExecutions(ask: Ask, ids: readonly string[]): Promise<FoundExecution[]> {
  const rows = await executionRows(ask, ids);
  return ids.flatMap((id) => {
    const row = rows.get(id);
    if (row === undefined) return [];
    const { head, inp, out, vars, classifier, archived } = row;
    const payloads = { input: toJson(inp), output: toJson(out), variables: toJson(vars) };
    return [{ head: headFromText(head), ...payloads, classifier, isArchived: archived }];
  });
}

export async function readTasks(ask: Ask, places: readonly TaskPlace[]): Promise<FoundTask[]> {
  const rows = await taskRows(ask, places);
  return places.flatMap((place) => {
    const row = rows.get(keyOf(place));
    if (row === undefined) return [];
    return [{ head: headFromText(row.head), task: taskFromRow(row), input: toJson(row.inp), output: toJson(row.out) }];
  });
}

/** Those in whose texts the words really are: signatures let some pass that have none. */
export async function executionsWith(ask: Ask, ids: readonly string[], words: readonly Word[]): Promise<Set<string>> {
  const rows = await executionRows(ask, ids);
  const found = [...rows.values()].filter((row) =>
    occurIn(executionText(headFromText(row.head), searched(row)), words),
  );
  return new Set(found.map(({ id }) => id));
}

/** Texts as they settle. Not their status, which may change without them: words that may mean one are looked for by it. */
export async function settledTexts(ask: AskRows, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await executionRows(ask, ids);
  const textOf = (row: ExecutionRow): string =>
    executionText({ ...headFromText(row.head), status: "" } as unknown as Head, searched(row));
  return new Map([...rows].map(([id, row]) => [id, textOf(row)]));
}

export async function tasksWith(ask: Ask, places: readonly TaskPlace[], words: readonly Word[]): Promise<Set<string>> {
  const rows = await taskRows(ask, places);
  const found = [...rows.values()].filter((row) =>
    occurIn(taskText(headFromText(row.head), taskFromRow(row), searched(row)), words),
  );
  return new Set(found.map(keyOf));
}

export const keyOf = ({ exec, no }: TaskPlace): string => `${exec} ${no}`;

const searched = ({ inp, out, masked }: Pick<ExecutionRow, "inp" | "out" | "masked">): SearchedPayloads =>
  masked ? undefined : { input: inp === "" ? "{}" : inp, output: out === "" ? "{}" : out };

async function executionRows(ask: AskRows, ids: readonly string[]): Promise<ReadonlyMap<string, ExecutionRow>> {
  const rows = ids.length === 0 ? [] : await ask<ExecutionRow>(executionsSql, [ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

async function taskRows(ask: Ask, places: readonly TaskPlace[]): Promise<ReadonlyMap<string, FullTaskRow>> {
  const values = [places.map(({ exec }) => exec), places.map(({ no }) => no)];
  const rows = places.length === 0 ? [] : await ask<FullTaskRow>(tasksSql, values);
  return new Map(rows.map((row) => [keyOf(row), row]));
}
