import type { DatabaseSync } from "node:sqlite";
import type { Clause, WorkflowField } from "../port.ts";
import { allOf, type Sql } from "./search-clause.ts";
import { fold, type Word } from "./search-text.ts";
import { type WorkflowAccess, workflowAccess } from "./workflow-source.ts";

/** Executions that have the words in their name or their status, and how they are come by. */
export type NamedHits = { readonly condition: Sql; readonly access: WorkflowAccess };

type Values = { readonly names: readonly string[]; readonly statuses: readonly string[] };

/**
 * There are few names and statuses, so words are looked for in those, and all executions that have one of them are hits
 * without a look at their texts. Undefined when a word is in none.
 */
export function createNamedHits(
  db: DatabaseSync,
): (where: readonly Clause<WorkflowField>[], words: readonly Word[]) => NamedHits | undefined {
  const names = db.prepare(distinct("name", "search_name"));
  const statuses = db.prepare(distinct("status", "search_status"));

  return (where, words) => {
    const all = { names: texts(names.all()), statuses: texts(statuses.all()) };
    const found: Values[] = [];
    for (const word of words) {
      const [piece, ...more] = word;
      if (piece === undefined || more.length > 0) return undefined;
      const having = (list: readonly string[]) => list.filter((text) => fold(text).includes(piece));
      const values = { names: having(all.names), statuses: having(all.statuses) };
      if (values.names.length === 0 && values.statuses.length === 0) return undefined;
      found.push(values);
    }
    const access = where.length === 0 ? accessTo(found) : workflowAccess(where);
    return { condition: allOf(found.map(conditionOf)), access };
  };
}

/** One step through the index for each value: a `select distinct` would look at every row. */
const distinct = (column: string, index: string): string => `
  with recursive v (text) as (
    select min(${column}) from search indexed by ${index}
    union all select (select min(${column}) from search indexed by ${index} where ${column} > v.text) from v where v.text is not null
  ) select text from v where text is not null`;

const texts = (rows: readonly unknown[]): string[] => rows.map((row) => (row as { text: string }).text);

function conditionOf({ names, statuses }: Values): Sql {
  const parts: Sql[] = [];
  if (names.length > 0) parts.push(isAmong("s.name", names));
  if (statuses.length > 0) parts.push(isAmong("s.status", statuses));
  return {
    text: `(${parts.map(({ text }) => text).join(" or ")})`,
    values: parts.flatMap(({ values }) => values),
  };
}

const isAmong = (column: string, values: readonly string[]): Sql => ({
  text: `${column} in (select value from json_each(?))`,
  values: [JSON.stringify(values)],
});

function accessTo(found: readonly Values[]): WorkflowAccess {
  if (found.some(({ statuses }) => statuses.length === 0)) return "search_name";
  return found.some(({ names }) => names.length === 0) ? "search_status" : "byNumber";
}
