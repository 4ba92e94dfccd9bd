import type { Clause } from "@downbeat/store";
import { isField, readValue, type SearchFields } from "./fields.ts";
import { wrongValue } from "./query-error.ts";

export type FreeText<Field extends string> = {
  readonly where: readonly Clause<Field>[];
  readonly text: readonly string[];
};

const comparison = /(?<=^|\s)([A-Za-z]+):("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\S+)/g;

/**
 * Text to be found as it stands, with `*` and `%` for any characters. `field:value` of a known field is a comparison;
 * anything else with a colon is text. `*` alone is everything.
 */
export function parseFreeText<Field extends string>(
  text: string | undefined,
  fields: SearchFields<Field>,
): FreeText<Field> {
  const where: Clause<Field>[] = [];
  const rest = (text ?? "").replace(comparison, (whole: string, name: string, written: string, at: number) => {
    if (!isField(name, fields)) return whole;
    const kind = fields[name];
    const value = readValue(unquoted(written), kind);
    // `field:*` asks for nothing.
    if (written === "*") return " ";
    if (value === undefined)
      throw wrongValue("free text", at + name.length + 1, name, kind === "time" ? "time" : "number", written);
    where.push({ field: name, op: "=", values: [value] });
    return " ";
  });
  const words = unquoted((where.length === 0 ? rest : withoutAnd(rest)).trim()).replaceAll("%", "*");
  return { where, text: /^[*\s]*$/.test(words) ? [] : [words] };
}

/** What joined the comparisons that were taken out. */
const withoutAnd = (text: string): string => text.replace(/^(?:\s*AND(?=\s|$))+|(?:(?<=^|\s)AND\s*)+$/g, "");

function unquoted(text: string): string {
  const [, , inside] = /^(["'])((?:(?!\1)[^\\]|\\[\s\S])*)\1$/.exec(text) ?? [];
  return inside === undefined ? text : inside.replace(/\\(["'\\])/g, "$1");
}
