import { defined, type RawSearch, text } from "../../lib/search-params.ts";

/** What a skill's URL says: which version, which of its files. */
export type SkillSearch = {
  /** The latest when left out. */
  readonly version?: string;
  /** SKILL.md when left out. */
  readonly file?: string;
};

export const readSkillSearch = (raw: RawSearch): SkillSearch =>
  defined({ version: text(raw, "version"), file: text(raw, "file") }) as SkillSearch;
