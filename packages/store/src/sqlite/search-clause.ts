import type { Clause, Search } from "../port.ts";
import type { Value } from "./encode.ts";

/** A piece of a statement and the values of its question marks, in order. */
export type Sql = { readonly text: string; readonly values: readonly (Value | Uint8Array)[] };

export type Column = {
  readonly sql: string;
  readonly kind: "text" | "number";
  /** May be null, which reads as the empty text. */
  readonly isOptional?: boolean;
  readonly ignoresCase?: boolean;
  /** A table beside the searched one that it is read from. */
  readonly from?: string;
};

/** What is searched for, without the page. */
export type Wanted<Field extends string> = Pick<Search<Field>, "where" | "text">;
export type Sort<Field extends string> = Search<Field>["sort"];

export const fixed = (text: string): Sql => ({ text, values: [] });

export const allOf = (parts: readonly Sql[]): Sql => ({
  text: parts.length === 0 ? "1" : parts.map(({ text }) => text).join(" and "),
  values: parts.flatMap(({ values }) => values),
});

export function clauseSql(column: Column, { op, values }: Clause<string>): Sql {
  const equality = column.kind === "number" ? isAmong : matches;
  switch (op) {
    case "=":
      return equality(column, values);
    case "IN":
      return isAmong(values.includes("") ? whole(column) : column, values);
    case "!=": {
      const { text, values: bound } = equality(whole(column), values);
      return { text: `not ${text}`, values: bound };
    }
    default:
      return { text: `${whole(column).sql} ${op} ?`, values: [bind(column, values[0])] };
  }
}

/** Whether the clause names values themselves, none of them the empty text. */
export const isExact = ({ op, values }: Clause<string>): boolean =>
  (op === "IN" || (op === "=" && !values.some(isWild))) && values.length > 0 && !values.includes("");

export const hasExact = <Field extends string>(where: readonly Clause<Field>[], name: Field): boolean =>
  where.some((clause) => clause.field === name && isExact(clause));

/** Whether texts are compared with patterns, which takes longer, and as long as there are many of them. */
export const hasPattern = ({ op, values }: Clause<string>): boolean =>
  (op === "=" || op === "!=") && values.some(isWild);

export const placesFor = (values: readonly unknown[]): string => values.map(() => "?").join(", ");

/** Now and then a call into the thread's own code: the only moments at which a long statement can be ended. */
export const alive = (number: string): Sql => fixed(`iif((${number}) & 1023, 1, alive())`);

/** The column as those read that have none: they pass or fail comparisons like others. */
const whole = (column: Column): Column =>
  column.isOptional ? { ...column, sql: `ifnull(${column.sql}, '')`, isOptional: false } : column;

const isWild = (value: string | number): boolean => typeof value === "string" && value.includes("*");

const collation = ({ ignoresCase }: Column): string => (ignoresCase ? " collate nocase" : "");

const bind = ({ kind }: Column, value: string | number | undefined): Value =>
  kind === "number" ? Number(value) : String(value ?? "");

const isAmong = (column: Column, values: Clause<string>["values"]): Sql => ({
  text: `(${column.sql}${collation(column)} in (${placesFor(values)}))`,
  values: values.map((value) => bind(column, value)),
});

/** A longer chain of "or" is slower than a list, and a very long one is more than the database takes. */
const PATTERNS_IN_A_CHAIN = 20;

function matches(column: Column, values: Clause<string>["values"]): Sql {
  const texts = values.map(String);
  const wild = texts.filter(isWild);
  const exact = texts.filter((value) => !isWild(value) && (value !== "" || !column.isOptional));
  const parts: string[] = [];
  if (exact.length > 0) parts.push(`${column.sql}${collation(column)} in (${placesFor(exact)})`);
  const { sql } = whole(column);
  const patterns = wild.map(likePattern);
  const isLong = patterns.length > PATTERNS_IN_A_CHAIN;
  if (isLong) parts.push(`exists (select 1 from json_each(?) where ${sql} like value escape '\\')`);
  else parts.push(...patterns.map(() => `${sql} like ? escape '\\'`));
  if (column.isOptional && texts.includes("")) parts.push(`${sql} = ''`);
  return {
    text: `(${parts.length === 0 ? "0" : parts.join(" or ")})`,
    values: [...exact, ...(isLong ? [JSON.stringify(patterns)] : patterns)],
  };
}

/** The text as a pattern in which nothing but `*` stands for others. */
export const likePattern = (text: string): string => text.replace(/[\\%_]/g, "\\$&").replaceAll("*", "%");
