import { defined, oneOf, type RawSearch, text } from "../../lib/search-params.ts";

export const sortNames = ["name", "updated"] as const;

/** What the list's URL says. */
export type DefinitionsSearch = { readonly text?: string; readonly sort?: (typeof sortNames)[number] };

export const readDefinitionsSearch = (raw: RawSearch): DefinitionsSearch =>
  defined({ text: text(raw, "text"), sort: oneOf(raw, "sort", sortNames) }) as DefinitionsSearch;
