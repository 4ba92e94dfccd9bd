import type { Search } from "@downbeat/store";
import { isField, type SearchFields } from "./fields.ts";
import { queryError, unknownField } from "./query-error.ts";

/** Entries `field` or `field:ORDER`, separated by `|` or commas, or given one by one. */
export function parseSort<Field extends string>(
  values: readonly string[],
  fields: SearchFields<Field>,
): Search<Field>["sort"] {
  return values.flatMap((value) => readEntries(value, fields));
}

function readEntries<Field extends string>(value: string, fields: SearchFields<Field>): Search<Field>["sort"] {
  return [...value.matchAll(/[^|,]+/g)].flatMap(({ 0: entry, index }) => {
    if (entry.trim() === "") return [];
    const [name = "", order = "ASC"] = entry.split(":").map((part) => part.trim());
    const at = index + entry.search(/\S/);
    if (!isField(name, fields)) throw unknownField("sort order", at, name, fields);
    const direction = order.toUpperCase();
    if (direction !== "ASC" && direction !== "DESC")
      throw queryError("sort order", at, `expected ASC or DESC after ${name}, got ${order}`);
    return [{ field: name, order: direction }];
  });
}
