import type { Clause, Search } from "@downbeat/store";
import type { SearchFields } from "../search/fields.ts";
import { parseFreeText } from "../search/free-text.ts";
import { parseQuery } from "../search/query.ts";
import { parseSort } from "../search/sort.ts";
import { invalidInput } from "./errors.ts";
import { integer, type Parameter, text, textOr } from "./parameters.ts";

/** What every search takes. */
export const searchParameters = {
  start: integer(0, "Hits to pass over"),
  size: integer(100, "At most this many"),
  sort: {
    description: "`field:ASC` or `field:DESC`, several separated by `|`; oldest first when left out",
    schema: { type: "string" },
    read: (value) => (typeof value === "string" ? [value] : (value ?? [])),
  } satisfies Parameter<readonly string[]>,
  freeText: textOr("*", 'Text to be found in the summary; `field:"value"` is a comparison'),
  query: text("Comparisons joined by AND: `workflowType = 'order' AND status IN (FAILED, TIMED_OUT)`"),
};

type SearchRequest = {
  readonly start: number;
  readonly size: number;
  readonly sort: readonly string[];
  readonly freeText: string;
  readonly query: string | undefined;
};

/** Throws QueryError with the place of what cannot be read. */
export function toSearch<Field extends string>(
  { start, size, sort, freeText, query }: SearchRequest,
  fields: SearchFields<Field>,
  more: readonly Clause<Field>[] = [],
): Search<Field> {
  if (start < 0) throw invalidInput(`Expected start to be 0 or more, got ${start}`);
  if (size < 0) throw invalidInput(`Expected size to be 0 or more, got ${size}`);
  const free = parseFreeText(freeText, fields);
  return {
    where: [...parseQuery(query ?? "", fields), ...free.where, ...more],
    text: free.text,
    sort: parseSort(sort, fields),
    start,
    size,
  };
}
