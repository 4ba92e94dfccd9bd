import { fold, type Word } from "./search-text.ts";

/**
 * There are few names of workflows and few statuses, so words are looked for in those, and all executions that have one
 * of them are hits without a look at their texts.
 */
export type Names = { readonly names: readonly string[]; readonly statuses: readonly string[] };

/** For each word, those that have it. Undefined when a word is in none, or may reach over several texts. */
export function namesHaving(words: readonly Word[], all: Names): readonly Names[] | undefined {
  const found: Names[] = [];
  for (const [piece, ...more] of words) {
    if (piece === undefined || more.length > 0) return undefined;
    const having = (list: readonly string[]) => list.filter((text) => fold(text).includes(piece));
    const names = { names: having(all.names), statuses: having(all.statuses) };
    if (names.names.length === 0 && names.statuses.length === 0) return undefined;
    found.push(names);
  }
  return found;
}

/** One step through the column's index for each value: a `select distinct` would look at every row. */
export const distinctValues = (column: string, table: string): string => `
  with recursive v (text) as (
    select min(${column}) from ${table}
    union all select (select min(${column}) from ${table} where ${column} > v.text) from v where v.text is not null
  ) select text from v where text is not null`;
