import { defined, number, oneOf, type RawSearch } from "../../lib/search-params.ts";

const tabNames = ["edit", "skill", "versions", "run", "runs"] as const;
export type TabName = (typeof tabNames)[number];

/** What an agent's URL says: which version, which view, which two versions are compared. */
export type AgentSearch = {
  readonly tab?: TabName;
  /** The latest when left out. */
  readonly version?: number;
  readonly left?: number;
  readonly right?: number;
};

export const readAgentSearch = (raw: RawSearch): AgentSearch =>
  defined({
    tab: oneOf(raw, "tab", tabNames),
    version: number(raw, "version"),
    left: number(raw, "left"),
    right: number(raw, "right"),
  }) as AgentSearch;
