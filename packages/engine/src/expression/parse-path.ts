import type { Json } from "../json.ts";
import {
  type Anchor,
  type Filter,
  type FunctionName,
  functionNames,
  type Operand,
  type Operator,
  operators,
  type Path,
  type Step,
} from "./path.ts";

/**
 * Compiles a path of the expression language: JSONPath with an optional leading `$.`. Undefined on a syntax error.
 *
 * Data can become part of a path (`${list[${i}]}`), so parsing is linear, bounded in depth, and never throws. There is
 * no `=~`: a regular expression that backtracks would hold up every execution on the server.
 */
export function parsePath(text: string): Path | undefined {
  const cursor: Cursor = { text, at: text.startsWith("$.") || text.startsWith("$[") ? 1 : 0, depth: 0, isInner: false };
  const steps: Step[] = [];
  if (cursor.at === 0 && text[0] !== "[" && !parseMember(cursor, steps)) return undefined;
  if (!parseSteps(cursor, steps) || cursor.at !== text.length) return undefined;
  const path = toPath(steps);
  return typeof path.plain[0] === "string" ? path : undefined;
}

/** Names of the roots (`workflow`, references) a path reads, those of paths inside its filters included. */
export function pathRoots(path: Path): readonly string[] {
  const found: string[] = [];
  if (typeof path.plain[0] === "string") found.push(path.plain[0]);
  collectRoots(path.rest, found);
  return found;
}

type Cursor = {
  readonly text: string;
  at: number;
  depth: number;
  /** Inside a filter or an argument list, where a path ends at the first operator, comma or bracket. */
  isInner: boolean;
};

const maxDepth = 32;

function toPath(steps: readonly Step[]): Path {
  const plain: (string | number)[] = [];
  for (const step of steps) {
    if (step.kind === "name") plain.push(step.name);
    else if (step.kind === "index") plain.push(step.index);
    else break;
  }
  return { plain, rest: steps.slice(plain.length), many: givesList(steps) };
}

function givesList(steps: readonly Step[]): boolean {
  let many = false;
  for (const [index, step] of steps.entries()) {
    if (step.kind === "function") many = false;
    else if (step.kind === "names") many ||= index < steps.length - 1;
    else if (step.kind !== "name" && step.kind !== "index") many = true;
  }
  return many;
}

function parseSteps(cursor: Cursor, steps: Step[]): boolean {
  for (;;) {
    const { text, at } = cursor;
    if (text.startsWith("..", at)) {
      cursor.at += 2;
      steps.push({ kind: "descend" });
      if (text[cursor.at] !== "[" && !parseMember(cursor, steps)) return false;
    } else if (text[at] === ".") {
      cursor.at += 1;
      if (text[cursor.at] !== "[" && !parseMember(cursor, steps)) return false;
    } else if (text[at] === "[") {
      if (!parseBracket(cursor, steps)) return false;
    } else {
      return true;
    }
  }
}

const memberName = /[^\s.[\]()]+/y;
const innerMemberName = /[^\s.[\]()=<>!&|,~]+/y;

function parseMember(cursor: Cursor, steps: Step[]): boolean {
  const name = takeMatch(cursor, cursor.isInner ? innerMemberName : memberName);
  if (name === undefined) return false;
  if (cursor.text[cursor.at] === "(") return parseFunction(cursor, name, steps);
  steps.push(name === "*" ? { kind: "wildcard" } : { kind: "name", name });
  return true;
}

function parseFunction(cursor: Cursor, name: string, steps: Step[]): boolean {
  const known: FunctionName | undefined = functionNames.find((candidate) => candidate === name);
  if (known === undefined) return false;
  cursor.at += 1;
  const args = parseList(cursor, ")", parseOperand);
  if (args === undefined) return false;
  steps.push({ kind: "function", name: known, arguments: args });
  return true;
}

const indexList = /\s*-?\d+\s*(?:,\s*-?\d+\s*)*\]/y;
const slice = /\s*(?:-?\d+)?\s*:\s*(?:-?\d+)?\s*\]/y;

function parseBracket(cursor: Cursor, steps: Step[]): boolean {
  cursor.at += 1;
  skipBlanks(cursor);
  const next = cursor.text[cursor.at];
  if (next === "*") {
    cursor.at += 1;
    steps.push({ kind: "wildcard" });
    return takeClosing(cursor, "]");
  }
  if (next === "?") return parseFilterStep(cursor, steps);
  if (next === "'" || next === '"') {
    const names = parseList(cursor, "]", parseQuoted);
    if (names === undefined) return false;
    const [name] = names;
    steps.push(names.length === 1 && name !== undefined ? { kind: "name", name } : { kind: "names", names });
    return true;
  }
  const listed = takeMatch(cursor, indexList);
  if (listed !== undefined) {
    const indices = listed.slice(0, -1).split(",").map(Number);
    const [index] = indices;
    steps.push(indices.length === 1 && index !== undefined ? { kind: "index", index } : { kind: "indices", indices });
    return true;
  }
  const sliced = takeMatch(cursor, slice);
  if (sliced === undefined) return false;
  const [from, to] = sliced.slice(0, -1).split(":").map(toBound);
  steps.push({ kind: "slice", from, to });
  return from !== undefined || to !== undefined;
}

function toBound(text: string): number | undefined {
  return text.trim() === "" ? undefined : Number(text);
}

function parseFilterStep(cursor: Cursor, steps: Step[]): boolean {
  cursor.at += 1;
  skipBlanks(cursor);
  if (cursor.text[cursor.at] !== "(") return false;
  const outer = cursor.isInner;
  cursor.isInner = true;
  const filter = parseTerm(cursor);
  cursor.isInner = outer;
  if (filter === undefined) return false;
  steps.push({ kind: "filter", filter });
  return takeClosing(cursor, "]");
}

function parseAny(cursor: Cursor): Filter | undefined {
  const of = parseChain(cursor, "||", parseAll);
  return of && (of.length === 1 ? of[0] : { kind: "any", of });
}

function parseAll(cursor: Cursor): Filter | undefined {
  const of = parseChain(cursor, "&&", parseTerm);
  return of && (of.length === 1 ? of[0] : { kind: "all", of });
}

function parseChain(
  cursor: Cursor,
  operator: "||" | "&&",
  parseOne: (cursor: Cursor) => Filter | undefined,
): readonly Filter[] | undefined {
  const found: Filter[] = [];
  for (;;) {
    const one = parseOne(cursor);
    if (one === undefined) return undefined;
    found.push(one);
    skipBlanks(cursor);
    if (!cursor.text.startsWith(operator, cursor.at)) return found;
    cursor.at += 2;
  }
}

/** A test in parentheses, a negated one, a comparison, or a path that must exist. */
function parseTerm(cursor: Cursor): Filter | undefined {
  return deeper(cursor, () => {
    skipBlanks(cursor);
    const next = cursor.text[cursor.at];
    if (next === "(") {
      cursor.at += 1;
      const inner = parseAny(cursor);
      return inner !== undefined && takeClosing(cursor, ")") ? inner : undefined;
    }
    if (next === "!") {
      cursor.at += 1;
      const of = parseTerm(cursor);
      return of && { kind: "not", of };
    }
    return parseComparison(cursor);
  });
}

function parseComparison(cursor: Cursor): Filter | undefined {
  const left = parseOperand(cursor);
  if (left === undefined) return undefined;
  skipBlanks(cursor);
  const operator = takeOperator(cursor);
  if (operator === undefined) return left.kind === "path" ? { ...left, kind: "exists" } : undefined;
  const right = parseOperand(cursor);
  return right && { kind: "compare", operator, left, right };
}

function takeOperator(cursor: Cursor): Operator | undefined {
  const found = operators.find((operator) => cursor.text.startsWith(operator, cursor.at));
  if (found !== undefined) cursor.at += found.length;
  return found;
}

const keyword = /true|false|null/y;
const numeral = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

function parseOperand(cursor: Cursor): Operand | undefined {
  return deeper(cursor, () => {
    skipBlanks(cursor);
    const next = cursor.text[cursor.at];
    if (next === "@" || next === "$") return parseInnerPath(cursor, next);
    const value = parseLiteral(cursor, next);
    return value === undefined ? undefined : { kind: "literal", value };
  });
}

function parseInnerPath(cursor: Cursor, from: Anchor): Operand | undefined {
  const outer = cursor.isInner;
  cursor.isInner = true;
  cursor.at += 1;
  const steps: Step[] = [];
  const isParsed = parseSteps(cursor, steps);
  cursor.isInner = outer;
  return isParsed ? { kind: "path", path: toPath(steps), from } : undefined;
}

function parseLiteral(cursor: Cursor, next: string | undefined): Json | undefined {
  if (next === "'" || next === '"') return parseQuoted(cursor);
  if (next === "[") {
    cursor.at += 1;
    const items = parseList(cursor, "]", parseOperand);
    return items?.every((item) => item.kind === "literal") ? items.map((item) => item.value) : undefined;
  }
  const constant = takeMatch(cursor, keyword) ?? takeMatch(cursor, numeral);
  // Only what both patterns let through, which is JSON but for leading zeros.
  return constant === undefined ? undefined : (JSON.parse(constant.replace(/^(-?)0+(?=\d)/, "$1")) as Json);
}

/** Items between commas up to and including the closing character; none at all is an empty list. */
function parseList<Item>(
  cursor: Cursor,
  closing: ")" | "]",
  parseOne: (cursor: Cursor) => Item | undefined,
): Item[] | undefined {
  const items: Item[] = [];
  if (takeClosing(cursor, closing)) return items;
  for (;;) {
    skipBlanks(cursor);
    const item = parseOne(cursor);
    if (item === undefined) return undefined;
    items.push(item);
    if (takeClosing(cursor, closing)) return items;
    if (cursor.text[cursor.at] !== ",") return undefined;
    cursor.at += 1;
  }
}

function parseQuoted(cursor: Cursor): string | undefined {
  const quote = cursor.text[cursor.at];
  if (quote !== "'" && quote !== '"') return undefined;
  let value = "";
  for (let at = cursor.at + 1; at < cursor.text.length; at += 1) {
    const char = cursor.text[at];
    if (char === quote) {
      cursor.at = at + 1;
      return value;
    }
    if (char === "\\") at += 1;
    value += cursor.text[at] ?? "";
  }
  return undefined;
}

function takeClosing(cursor: Cursor, closing: ")" | "]"): boolean {
  skipBlanks(cursor);
  if (cursor.text[cursor.at] !== closing) return false;
  cursor.at += 1;
  return true;
}

function takeMatch(cursor: Cursor, pattern: RegExp): string | undefined {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text)?.[0];
  if (found !== undefined) cursor.at += found.length;
  return found;
}

function skipBlanks(cursor: Cursor): void {
  while (cursor.text[cursor.at] === " ") cursor.at += 1;
}

function deeper<Result>(cursor: Cursor, parse: () => Result | undefined): Result | undefined {
  if (cursor.depth >= maxDepth) return undefined;
  cursor.depth += 1;
  const result = parse();
  cursor.depth -= 1;
  return result;
}

function collectRoots(steps: readonly Step[], found: string[]): void {
  for (const step of steps) {
    if (step.kind === "filter") collectFilterRoots(step.filter, found);
    if (step.kind === "function") for (const argument of step.arguments) collectOperandRoots(argument, found);
  }
}

function collectFilterRoots(filter: Filter, found: string[]): void {
  switch (filter.kind) {
    case "any":
    case "all":
      for (const one of filter.of) collectFilterRoots(one, found);
      return;
    case "not":
      collectFilterRoots(filter.of, found);
      return;
    case "exists":
      collectOperandRoots({ ...filter, kind: "path" }, found);
      return;
    case "compare":
      collectOperandRoots(filter.left, found);
      collectOperandRoots(filter.right, found);
      return;
  }
}

function collectOperandRoots(operand: Operand, found: string[]): void {
  if (operand.kind !== "path") return;
  const [root] = operand.path.plain;
  if (operand.from === "$" && typeof root === "string") found.push(root);
  collectRoots(operand.path.rest, found);
}
