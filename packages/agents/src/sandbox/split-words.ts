import { SandboxRefusal } from "./refusal.ts";

const WORD = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gsy;

/** A command line as its words, with quotes and backslashes as a shell has them, and nothing else of a shell. */
export function splitWords(line: string): readonly string[] {
  const words: string[] = [];
  let at = 0;
  for (;;) {
    while (/\s/.test(line[at] ?? "")) at += 1;
    if (at === line.length) return words;
    WORD.lastIndex = at;
    const match = WORD.exec(line);
    const end = at + (match?.[0].length ?? 0);
    if (match === null || (end < line.length && !/\s/.test(line[end] ?? ""))) {
      throw new SandboxRefusal(`Expected quotes that are closed in the command, got: ${line}`);
    }
    words.push(unquote(match[0]));
    at = end;
  }
}

const unquote = (word: string): string =>
  word.replace(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs, (_, single?: string, double?: string, escaped?: string) =>
    double === undefined ? (single ?? escaped ?? "") : double.replace(/\\(["\\$`])/g, "$1"),
  );
