/** A search that cannot be understood. The message says what is wrong and where, counting characters from 1. */
export class QueryError extends Error {
  override name = "QueryError";
}

/** What part of a search request the text is. */
type Part = "query" | "free text" | "sort order";

export const queryError = (part: Part, at: number, problem: string): QueryError =>
  new QueryError(`Cannot read the ${part} at character ${at + 1}: ${problem}`);

export const unknownField = (part: Part, at: number, name: string, fields: object): QueryError =>
  queryError(part, at, `unknown field ${name}, known fields are ${Object.keys(fields).join(", ")}`);

export const wrongValue = (part: Part, at: number, name: string, kind: "number" | "time", text: string): QueryError => {
  const expected = kind === "time" ? "a time in epoch milliseconds or ISO 8601" : "a number";
  return queryError(part, at, `expected ${expected} for ${name}, got ${text}`);
};
