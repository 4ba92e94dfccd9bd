/**
 * Whether the inside of a `${...}` can be read as a JSON path, with or without a leading `$.`. As forgiving as the
 * interface: names may hold any sign, only blanks, brackets and a dot at the end are looked at. One pass over the text.
 */
export function isJsonPath(path: string): boolean {
  const text = path.trimEnd();
  if (text === "" || text.endsWith(".")) return false;
  if (!/[\s[(]/.test(text)) return true;
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    if (isBlank(char)) return false;
    const next = char === "[" ? endOfBrackets(text, at) : char === "(" ? endOfArguments(text, at) : at + 1;
    if (next === undefined) return false;
    at = next;
  }
  return true;
}

/** The position after `[0]`, `[1:3]`, `[*]`, `['a', 'b']` or `[?(...)]`; undefined when the brackets hold anything else. */
function endOfBrackets(text: string, open: number): number | undefined {
  const start = skipBlanks(text, open + 1);
  const first = text.charAt(start);
  if (first === "?") return endOfGroup(text, open);
  if (first === "'" || first === '"') return endOfNames(text, start);
  const close = text.indexOf("]", start);
  if (close === -1) return undefined;
  return isSelector(text.slice(start, close).trim()) ? close + 1 : undefined;
}

function isSelector(text: string): boolean {
  if (text === "*") return true;
  const bounds = text.split(":");
  if (bounds.length > 1) return bounds.length <= 3 && bounds.every((bound) => /^-?\d*$/.test(bound.trim()));
  return text.split(",").every((index) => /^-?\d+$/.test(index.trim()));
}

function endOfNames(text: string, start: number): number | undefined {
  let at = start;
  while (true) {
    const quote = text.charAt(at);
    if (quote !== "'" && quote !== '"') return undefined;
    const end = endOfQuoted(text, at);
    if (end === undefined) return undefined;
    at = skipBlanks(text, end);
    if (text.charAt(at) === "]") return at + 1;
    if (text.charAt(at) !== ",") return undefined;
    at = skipBlanks(text, at + 1);
  }
}

/** The arguments of a function: `length()`. A parenthesis that nobody closes is part of a name. */
function endOfArguments(text: string, open: number): number {
  return endOfGroup(text, open) ?? text.length;
}

/** The position after the bracket that closes the one at `open`; brackets inside quotes do not count. */
function endOfGroup(text: string, open: number): number | undefined {
  let depth = 0;
  let at = open;
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === "'" || char === '"') {
      const end = endOfQuoted(text, at);
      if (end === undefined) return undefined;
      at = end;
      continue;
    }
    if (char === "[" || char === "(") depth += 1;
    if (char === "]" || char === ")") depth -= 1;
    at += 1;
    if (depth === 0) return at;
  }
  return undefined;
}

function endOfQuoted(text: string, open: number): number | undefined {
  const quote = text.charAt(open);
  for (let at = open + 1; at < text.length; at++) {
    if (text.charAt(at) === "\\") at += 1;
    else if (text.charAt(at) === quote) return at + 1;
  }
  return undefined;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (isBlank(text.charAt(at))) at += 1;
  return at;
}

function isBlank(char: string): boolean {
  return char !== "" && char.trim() === "";
}
