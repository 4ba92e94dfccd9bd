import { defined, oneOf, type RawSearch, text } from "../../lib/search-params.ts";

export const tabNames = ["diagram", "timeline", "tasks", "data", "files", "json"] as const;
export type TabName = (typeof tabNames)[number];

/** What an execution's URL says: which view, which task is open. */
export type ExecutionSearch = {
  readonly tab?: TabName;
  /** Id of the task in the side panel. */
  readonly task?: string;
  /** Reference name of an entry that was not reached, in the side panel. */
  readonly ref?: string;
};

export const readExecutionSearch = (raw: RawSearch): ExecutionSearch =>
  defined({ tab: oneOf(raw, "tab", tabNames), task: text(raw, "task"), ref: text(raw, "ref") }) as ExecutionSearch;
