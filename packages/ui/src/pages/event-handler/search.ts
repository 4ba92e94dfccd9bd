import { defined, oneOf, type RawSearch } from "../../lib/search-params.ts";

const tabNames = ["edit", "records", "try"] as const;
export type TabName = (typeof tabNames)[number];

/** What a handler's URL says: which view. */
export type EventHandlerSearch = { readonly tab?: TabName };

export const readEventHandlerSearch = (raw: RawSearch): EventHandlerSearch =>
  defined({ tab: oneOf(raw, "tab", tabNames) }) as EventHandlerSearch;
