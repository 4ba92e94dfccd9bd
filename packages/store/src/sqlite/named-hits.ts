import type { DatabaseSync } from "node:sqlite";
import { distinctValues, type Names, namesHaving } from "./names.ts";
import { allOf, type Sql } from "./search-clause.ts";
import type { Word } from "./search-text.ts";
import type { WorkflowAccess } from "./workflow-source.ts";

/** Executions that have the words in their name or their status, and how they are come by. */
export type NamedHits = { readonly condition: Sql; readonly access: WorkflowAccess };

/** Looks for words in names and statuses. Undefined when a word is in none. */
export function createNamedHits(db: DatabaseSync): (words: readonly Word[]) => NamedHits | undefined {
  const names = db.prepare(distinct("name", "search_name"));
  const statuses = db.prepare(distinct("status", "search_status"));

  return (words) => {
    const found = namesHaving(words, { names: texts(names.all()), statuses: texts(statuses.all()) });
    if (found === undefined) return undefined;
    return { condition: allOf(found.map(conditionOf)), access: accessTo(found) };
  };
}

const distinct = (column: string, index: string): string => distinctValues(column, `search indexed by ${index}`);

const texts = (rows: readonly unknown[]): string[] => rows.map((row) => (row as { text: string }).text);

function conditionOf({ names, statuses }: Names): Sql {
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

function accessTo(found: readonly Names[]): WorkflowAccess {
  if (found.some(({ statuses }) => statuses.length === 0)) return "search_name";
  return found.some(({ names }) => names.length === 0) ? "search_status" : "byNumber";
}
