import type { Clause, Search } from "../port.ts";
import { safeText } from "./text.ts";

/** Gathers the values of one statement and names their places. */
export class Values {
  readonly list: unknown[] = [];

  add(value: unknown): string {
    this.list.push(value);
    return `$${this.list.length}`;
  }
}

export type Column = {
  readonly sql: string;
  readonly kind: "text" | "number";
  readonly ignoresCase?: boolean;
  /** A table beside the searched one that it is read from. */
  readonly from?: string;
};

/** What is searched for, without the page. */
export type Wanted<Field extends string> = Pick<Search<Field>, "where" | "text">;
export type Sort<Field extends string> = Search<Field>["sort"];

export function clauseSql(values: Values, column: Column, clause: Clause<string>): string {
  return column.kind === "number" ? numberSql(values, column, clause) : textSql(values, column, clause);
}

/** Whether the clause names values themselves, none of them the empty text. */
export const isExact = ({ op, values }: Clause<string>): boolean =>
  (op === "IN" || (op === "=" && !values.some(isWild))) && values.length > 0 && !values.includes("");

export const hasExact = <Field extends string>(where: readonly Clause<Field>[], name: Field): boolean =>
  where.some((clause) => clause.field === name && isExact(clause));

const texts = (values: Clause<string>["values"]): string[] => values.map((value) => safeText(String(value)));

/** The text as a pattern in which nothing but `*` stands for others. */
export const likePattern = (text: string): string =>
  safeText(text)
    .replace(/[\\%_]/g, "\\$&")
    .replaceAll("*", "%");

/** Sorted by several things, the last of which makes the order certain. */
export function orderBy<Field extends string>(
  sort: Sort<Field>,
  sqlOf: (field: Field, order: "ASC" | "DESC") => string,
  last: readonly string[],
): string {
  const keys = sort.map(({ field, order }) => `${sqlOf(field, order)} ${order}`);
  return `order by ${[...keys, ...last.map((key) => `${key} ${sort[0]?.order ?? "ASC"}`)].join(", ")}`;
}

const isWild = (value: string | number): boolean => typeof value === "string" && value.includes("*");

function textSql(values: Values, column: Column, { op, values: wanted }: Clause<string>): string {
  const sql = column.ignoresCase ? `lower(${column.sql})` : column.sql;
  const isAmong = (list: Clause<string>["values"]): string =>
    `${sql} = any(${values.add(texts(list).map((text) => (column.ignoresCase ? lower(text) : text)))}::text[])`;
  const matches = (): string => {
    const wild = wanted.filter(isWild);
    const exact = isAmong(wanted.filter((value) => !isWild(value)));
    if (wild.length === 0) return exact;
    return `(${exact} or ${column.sql} ilike any(${values.add(wild.map((value) => likePattern(String(value))))}::text[]))`;
  };
  switch (op) {
    case "=":
      return matches();
    case "IN":
      return isAmong(wanted);
    case "!=":
      return `not ${matches()}`;
    default:
      return `${column.sql} ${op} ${values.add(safeText(String(wanted[0] ?? "")))}`;
  }
}

/** Of ASCII letters only, as the database does it. */
const lower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Whole numbers compare as such, so that an index serves; what is no number is like nothing, and unlike nothing. */
function numberSql(values: Values, { sql }: Column, { op, values: wanted }: Clause<string>): string {
  const numbers = wanted.map(Number);
  const areWhole = numbers.every(Number.isSafeInteger);
  const type = areWhole ? "bigint" : "float8";
  switch (op) {
    case "=":
    case "IN":
    case "!=":
      if (op === "!=" && numbers.some(Number.isNaN)) return "false";
      return `${op === "!=" ? "not " : ""}(${sql} = any(${values.add(numbers.filter((n) => !Number.isNaN(n)))}::${type}[]))`;
    default:
      return Number.isNaN(numbers[0] ?? Number.NaN) ? "false" : `${sql} ${op} ${values.add(numbers[0])}::${type}`;
  }
}
