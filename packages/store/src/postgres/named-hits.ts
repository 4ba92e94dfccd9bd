import { distinctValues, type Names, namesHaving } from "../sqlite/names.ts";
import type { Word } from "../sqlite/search-text.ts";
import type { Values } from "./search-clause.ts";
import type { Ask } from "./searcher.ts";

/** A condition that holds for executions with the words in their name or their status. */
export type NamedHits = (values: Values) => string;

/** Undefined when a word is in none. */
export async function findNamedHits(ask: Ask, words: readonly Word[]): Promise<NamedHits | undefined> {
  const read = async (column: string): Promise<string[]> =>
    (await ask<{ text: string }>(distinctValues(column, "search"), [])).map(({ text }) => text);
  const found = namesHaving(words, { names: await read("name"), statuses: await read("status") });
  return found && ((values) => found.map((names) => conditionOf(values, names)).join(" and "));
}

function conditionOf(values: Values, { names, statuses }: Names): string {
  const parts: string[] = [];
  if (names.length > 0) parts.push(`s.name = any(${values.add(names)}::text[])`);
  if (statuses.length > 0) parts.push(`s.status = any(${values.add(statuses)}::text[])`);
  return `(${parts.join(" or ")})`;
}
