import { JqError } from "../errors.ts";
import type { Run } from "../run.ts";
import { describe } from "../tojson.ts";
import { Matcher, type SearchOptions } from "./matcher.ts";
import { type Options, parsePattern } from "./parse.ts";
import { assemble, type RegexProgram } from "./program.ts";

export type Regex = { readonly program: RegexProgram; readonly isGlobal: boolean; readonly search: SearchOptions };

/** Flags as jq has them: g, i, x, s, n, l, p. `s` is the default already, so it changes nothing. */
export function compileRegex(pattern: string, flags: string): Regex {
  const unknown = [...flags].some((flag) => !"gixsnlp".includes(flag));
  if (unknown) throw new JqError(`${flags} is not a valid modifier string`);
  const options: Options = {
    ignoreCase: flags.includes("i"),
    extended: flags.includes("x"),
    dotAll: flags.includes("p"),
    multiline: false,
  };
  return {
    program: assemble(parsePattern(pattern, options)),
    isGlobal: flags.includes("g"),
    search: { isNotEmpty: flags.includes("n"), isLongest: flags.includes("l") },
  };
}

/** Calls `found` with the positions of each match, all of them if global; stops when it answers false. */
export function eachMatch(
  regex: Regex,
  text: readonly number[],
  run: Run,
  found: (slots: readonly number[]) => boolean,
): void {
  const matcher = new Matcher(regex.program, text, regex.search, run);
  for (let from = 0; from <= text.length; ) {
    const slots = matcher.search(from);
    if (slots === undefined || !found(slots) || !regex.isGlobal) return;
    const [start = 0, end = 0] = slots;
    from = end > start ? end : end + 1;
  }
}

export function requireFlags(flags: unknown): string {
  if (flags === null) return "";
  if (typeof flags === "string") return flags;
  throw new JqError(`${describe(flags)} is not a string`);
}
