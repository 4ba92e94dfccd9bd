import type { Clause } from "@downbeat/store";
import { isField, readValue, type SearchFields } from "./fields.ts";
import { QueryError, queryError, unknownField, wrongValue } from "./query-error.ts";

/** More than anyone writes by hand, and little enough to answer. */
const MOST_CLAUSES = 100;
const MOST_VALUES = 1000;

type Operator = Clause<string>["op"];
type Value = { readonly text: string; readonly at: number };

/**
 * Clauses joined by AND: `workflowType = 'order' AND status IN (FAILED, TIMED_OUT) AND startTime >= 1700000000000`. Values
 * may stand without quotes up to the next comma or AND, with white space around them left out; in quotes everything
 * counts, and `\` takes the next quote or backslash as it is.
 */
export function parseQuery<Field extends string>(text: string, fields: SearchFields<Field>): Clause<Field>[] {
  const reader = new Reader(text);
  const clauses: Clause<Field>[] = [];
  reader.skipSpace();
  if (reader.isAtEnd) return clauses;
  for (;;) {
    if (clauses.length === MOST_CLAUSES) throw reader.fail(`expected at most ${MOST_CLAUSES} clauses`);
    clauses.push(readClause(reader, fields));
    if (reader.isAtEnd) return clauses;
    if (!reader.take(/and(?=\s|$)/iy)) throw reader.fail(`expected AND, got ${reader.rest()}`);
    reader.skipSpace();
    if (reader.isAtEnd) throw reader.fail("expected a clause after AND");
  }
}

const operators = "=, !=, >, >=, <, <= or IN";

function readClause<Field extends string>(reader: Reader, fields: SearchFields<Field>): Clause<Field> {
  const startsAt = reader.at;
  const name = reader.take(/[a-z_][\w.]*/iy);
  if (name === undefined) throw unreadable(reader, startsAt, `expected a field name, got ${reader.rest()}`);
  reader.skipSpace();
  const operator = reader.take(/!=|>=|<=|[=<>]|in(?=[\s('"])/iy)?.toUpperCase() as Operator | undefined;
  if (operator === undefined) throw unreadable(reader, startsAt, `expected one of ${operators} after ${name}`);
  if (!isField(name, fields)) throw unknownField("query", startsAt, name, fields);
  const kind = fields[name];
  const values = readValues(reader, operator).map(({ text, at }) => {
    const value = readValue(text, kind);
    if (value === undefined) throw wrongValue("query", at, name, kind === "time" ? "time" : "number", text);
    return value;
  });
  // A list of one is an equality, with its wildcards.
  return { field: name, op: operator === "IN" && values.length === 1 ? "=" : operator, values };
}

/** Where no operator is to be seen the reference has a text of its own, which is kept in front. */
function unreadable(reader: Reader, startsAt: number, problem: string): QueryError {
  const clause = reader.clauseFrom(startsAt);
  const { message } = reader.fail(problem);
  const hasOperator = /[=<>]|\sin[\s(]/i.test(clause);
  return new QueryError(hasOperator ? message : `Incorrectly formatted query string: ${clause}. ${message}`);
}

function readValues(reader: Reader, operator: Operator): readonly Value[] {
  reader.skipSpace();
  const isEnclosed = reader.take(/\(/y) !== undefined;
  const values: Value[] = [];
  for (;;) {
    reader.skipSpace();
    const value = readQuoted(reader) ?? readBare(reader, isEnclosed);
    if (value !== undefined) values.push(value);
    if (values.length > MOST_VALUES) throw reader.fail(`expected at most ${MOST_VALUES} values`);
    reader.skipSpace();
    if (reader.take(/,/y) === undefined) break;
  }
  if (isEnclosed && reader.take(/\)/y) === undefined) throw reader.fail(`expected , or ), got ${reader.rest()}`);
  if (values.length === 0) throw reader.fail(`expected a value after ${operator}`);
  reader.skipSpace();
  return values;
}

function readQuoted(reader: Reader): Value | undefined {
  const { at } = reader;
  const quote = reader.take(/["']/y);
  if (quote === undefined) return undefined;
  const inside = reader.take(quote === '"' ? /(?:[^"\\]|\\[\s\S])*/y : /(?:[^'\\]|\\[\s\S])*/y) ?? "";
  if (reader.take(/["']/y) === undefined) throw queryError("query", at, `expected the text to end with ${quote}`);
  return { text: inside.replace(/\\(["'\\])/g, "$1"), at };
}

/** Up to a comma, the closing parenthesis of a list, or AND. */
function readBare(reader: Reader, isEnclosed: boolean): Value | undefined {
  const { at } = reader;
  const text = reader.take(isEnclosed ? /[^,)]+/y : /(?:(?!(?<=[\s=<>])and(?:\s|$))[^,])+/iy)?.trim();
  // `==` and the like: the sign is no part of any value.
  if (text !== undefined && /^[=<>]/.test(text)) throw queryError("query", at, `expected a value, got ${text}`);
  return text === undefined || text === "" ? undefined : { text, at };
}

class Reader {
  readonly #text: string;
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#text.length;
  }

  /** What the pattern, which must be sticky, finds here; then it goes on behind it. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }

  skipSpace(): void {
    this.take(/\s+/y);
  }

  rest(): string {
    return this.isAtEnd ? "the end" : this.#text.slice(this.at, this.at + 20);
  }

  clauseFrom(at: number): string {
    return (this.#text.slice(at).split(/\sand(?:\s|$)/i)[0] ?? "").trim();
  }

  fail(problem: string): QueryError {
    return queryError("query", this.at, problem);
  }
}
