import { InvalidPlan } from "./plan.ts";
import type { Condition } from "./scripts/validation-verdict.ts";

const MAX_CHARACTERS = 1024;

/**
 * Reads a success condition: comparisons of `$`, its members and literals, joined by `&&`, `||`, `!` and parentheses.
 * There is nothing else in the language, so that a plan cannot run code. Throws InvalidPlan.
 */
export function parseCondition(text: string): Condition {
  if (text.length > MAX_CHARACTERS) {
    throw new InvalidPlan(`longer than ${MAX_CHARACTERS} characters, at position ${MAX_CHARACTERS}`);
  }
  const reader: Reader = { text, at: 0 };
  const condition = readOr(reader);
  skipBlanks(reader);
  if (reader.at < text.length) {
    throw new InvalidPlan(`unexpected trailing input: '${text.slice(reader.at)}' at position ${reader.at} in: ${text}`);
  }
  return condition;
}

type Reader = { readonly text: string; at: number };

function readOr(reader: Reader): Condition {
  let left = readAnd(reader);
  while (take(reader, /\|\|/y) !== undefined) left = { kind: "or", left, right: readAnd(reader) };
  return left;
}

function readAnd(reader: Reader): Condition {
  let left = readComparison(reader);
  while (take(reader, /&&/y) !== undefined) left = { kind: "and", left, right: readComparison(reader) };
  return left;
}

function readComparison(reader: Reader): Condition {
  const left = readUnary(reader);
  const operator = take(reader, /===|!==|==|!=|<=|>=|<|>/y);
  return operator === undefined ? left : { kind: "compare", operator, left, right: readUnary(reader) };
}

function readUnary(reader: Reader): Condition {
  if (take(reader, /!(?!=)/y) !== undefined) return { kind: "not", of: readUnary(reader) };
  if (take(reader, /\(/y) !== undefined) {
    const inner = readOr(reader);
    if (take(reader, /\)/y) === undefined) throw expected(reader, "')'");
    return inner;
  }
  if (take(reader, /\$/y) !== undefined) return { kind: "path", path: readPath(reader) };
  return { kind: "value", value: readLiteral(reader) };
}

function readPath(reader: Reader): readonly (string | number)[] {
  const path: (string | number)[] = [];
  for (;;) {
    if (take(reader, /\./y) !== undefined) {
      const name = take(reader, /[\p{ID_Start}_$][\p{ID_Continue}$]*/uy);
      if (name === undefined) throw expected(reader, "a name");
      path.push(name);
    } else if (take(reader, /\[/y) !== undefined) {
      const key = readLiteral(reader);
      if (typeof key !== "string" && typeof key !== "number") throw expected(reader, "a text or a number");
      if (take(reader, /\]/y) === undefined) throw expected(reader, "']'");
      path.push(key);
    } else {
      return path;
    }
  }
}

const words: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

function readLiteral(reader: Reader): string | number | boolean | null {
  const word = take(reader, /(?:true|false|null)(?![\p{ID_Continue}$])/uy);
  if (word !== undefined) return words.get(word) ?? null;
  const number = take(reader, /-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?(?![\p{ID_Continue}$])/uy);
  if (number !== undefined) return Number(number);
  const quoted = take(reader, /"(?:[^"\\\r\n]|\\["'\\/nrt])*"|'(?:[^'\\\r\n]|\\["'\\/nrt])*'/y);
  if (quoted === undefined) throw expected(reader, "$, a literal, '!' or '('");
  return quoted.slice(1, -1).replace(/\\(.)/g, (_, character: string) => escapes.get(character) ?? character);
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/** The text at this place that fits the pattern, blanks before it skipped. */
function take(reader: Reader, pattern: RegExp): string | undefined {
  skipBlanks(reader);
  pattern.lastIndex = reader.at;
  const match = pattern.exec(reader.text);
  if (match === null) return undefined;
  reader.at += match[0].length;
  return match[0];
}

function skipBlanks(reader: Reader): void {
  while (/\s/.test(reader.text[reader.at] ?? "")) reader.at += 1;
}

const expected = (reader: Reader, what: string): InvalidPlan =>
  new InvalidPlan(`expected ${what} at position ${reader.at} in: ${reader.text}`);
