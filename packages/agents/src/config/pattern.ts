import { InvalidAgent } from "../invalid-agent.ts";

export type Pattern = { readonly source: string; readonly flags: string };

/** A pattern as JavaScript reads it. They come from Python and Java too, which spell some things otherwise. */
export function readPattern(pattern: string, guardrail: string): Pattern {
  const leading = /^\(\?([a-zA-Z]+)\)/.exec(pattern);
  const flags = [...new Set(leading?.[1] ?? "")].filter((flag) => "ims".includes(flag)).join("");
  const source = pattern
    .slice(leading?.[0].length ?? 0)
    .replaceAll("(?P<", "(?<")
    .replace(/\(\?P=(\w+)\)/g, "\\k<$1>")
    .replace(/(?<!\\)\\A/g, "^")
    .replace(/(?<!\\)\\[Zz]/g, () => "$");
  try {
    new RegExp(source, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidAgent(`Guardrail '${guardrail}' has a pattern that cannot be read: ${reason}`, { cause: error });
  }
  return { source, flags };
}
