import { isJsonObject, type JsonObject } from "../json.ts";

/**
 * Reads a caller's JSON field by field. A table of fields says for each property of a model how it is read, so that
 * the table looks like the one in the documentation and unknown properties fall away by themselves.
 */
export type Fields<T> = { readonly [K in keyof T]-?: Reader<T[K]> };

/**
 * Reads one value and says in JSON Schema what it takes, so that the documentation comes from what is really read.
 * `undefined` stands for a property that is absent in the caller's JSON, and for one that is left out of the result.
 */
export type Reader<T> = { (value: unknown, path: string): T; readonly schema: Schema };

/** JSON Schema. A model inside it stands as itself; whoever writes the document makes it a reference. */
export type Schema = Model<unknown> | { readonly [keyword: string]: unknown };

/** A reader of objects that has a name of its own. The fields come late: models contain each other. */
export type Model<T> = {
  (value: unknown, path: string): T;
  readonly schema: Schema;
  readonly modelName: string;
  readonly fields: () => Fields<T>;
};

export const reader = <T>(schema: Schema, read: (value: unknown, path: string) => T): Reader<T> =>
  Object.assign((value: unknown, path: string) => read(value, path), { schema });

export function model<T>(modelName: string, fields: () => Fields<T>): Model<T> {
  const read = (value: unknown, path: string): T => readFields(fields(), value, path);
  const made = Object.assign(read, { modelName, fields, schema: {} as Schema });
  made.schema = made as Model<unknown>;
  return made;
}

/** The JSON has the wrong shape: a wrong JSON type, an unknown enum value, too deep. The caller's mistake: a 400. */
export class DefinitionFormatError extends Error {
  override readonly name = "DefinitionFormatError";
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

function readFields<T>(fields: Fields<T>, value: unknown, path: string): T {
  const json = object(value, path);
  const result: Record<string, unknown> = {};
  for (const key in fields) {
    const field = fields[key](json[key], path === "" ? key : `${path}.${key}`);
    if (field !== undefined) result[key] = field;
  }
  return result as T; // `Fields` has a reader of the right type for every property
}

// The deepest JSON we take. Everything after this check may walk a definition by recursion.
const maxNesting = 1000;

/** Refuses JSON that would overflow the stack of a recursive reader. Walks level by level, so it cannot overflow itself. */
export function assertNesting(value: unknown, path: string): void {
  let level = [value].filter(isContainer);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxNesting) {
      throw new DefinitionFormatError(path, `Expected ${subject(path)} to nest at most ${maxNesting} levels, got more`);
    }
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
}

export const optionalText: Reader<string | undefined> = reader({ type: "string" }, (value, path) => {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw unexpected(path, "a string", value);
});

export const textOr = (absent: string): Reader<string> =>
  reader(withAbsent(optionalText, absent), (value, path) => optionalText(value, path) ?? absent);

const maxInteger = 2 ** 31 - 1;

export const optionalInteger: Reader<number | undefined> = reader({ type: "integer", format: "int32" }, (value, path) =>
  readInteger(value, path, maxInteger),
);

const optionalLong: Reader<number | undefined> = reader({ type: "integer", format: "int64" }, (value, path) =>
  readInteger(value, path, Number.MAX_SAFE_INTEGER),
);

/** An integer of 32 bits. An explicit null counts as 0, absence as `absent`. */
export const integer = (absent: number): Reader<number> => primitive(absent, 0, optionalInteger);

/** Absence and an explicit null both count as `absent`. */
export const integerOr = (absent: number): Reader<number> =>
  reader(withAbsent(optionalInteger, absent), (value, path) => optionalInteger(value, path) ?? absent);

/** An integer as large as a JSON number can carry exactly. An explicit null counts as 0, absence as `absent`. */
export const long = (absent: number): Reader<number> => primitive(absent, 0, optionalLong);

export const optionalFlag: Reader<boolean | undefined> = reader({ type: "boolean" }, (value, path) => {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return value !== 0;
  const word = typeof value === "string" ? value.trim().toLowerCase() : undefined;
  if (word === "") return undefined;
  if (word === "true" || word === "false") return word === "true";
  throw unexpected(path, "a boolean", value);
});

/** An explicit null counts as false, absence as `absent`. */
export const flag = (absent: boolean): Reader<boolean> => primitive(absent, false, optionalFlag);

export const optionalOneOf = <const Name extends string>(...names: readonly Name[]): Reader<Name | undefined> =>
  reader({ type: "string", enum: names }, (value, path) => {
    if (value === undefined || value === null) return undefined;
    const found = names.find((name) => name === value);
    if (found === undefined) throw unexpected(path, `one of ${names.join(", ")}`, value);
    return found;
  });

export const optional = <T>(read: Reader<T>): Reader<T | undefined> =>
  reader(read.schema, (value, path) => (value === undefined || value === null ? undefined : read(value, path)));

export const withDefault = <T>(absent: T, read: Reader<T | undefined>): Reader<T> =>
  reader(withAbsent(read, absent), (value, path) => read(value, path) ?? absent);

/** Absence and an explicit null both give the empty list. */
export const listOf = <T>(read: Reader<T>): Reader<readonly T[]> =>
  reader({ type: "array", items: read.schema }, (value, path) => {
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) throw unexpected(path, "a list", value);
    return value.map((element: unknown, index) => read(element, `${path}[${index}]`));
  });

/** Absence and an explicit null both give the empty map. */
export const mapOf = <T>(read: Reader<T>): Reader<{ readonly [key: string]: T }> =>
  reader({ type: "object", additionalProperties: read.schema }, (value, path) => {
    if (value === undefined || value === null) return {};
    // Object.fromEntries, unlike assignment, keeps a key named "__proto__" an ordinary key.
    return Object.fromEntries(
      Object.entries(object(value, path)).map(([key, element]) => [key, read(element, `${path}[${key}]`)]),
    );
  });

/** A map the caller may fill as they like. Kept as it is, nulls inside included. */
export const freeMap: Reader<JsonObject> = reader({ type: "object", additionalProperties: true }, (value, path) =>
  value === undefined || value === null ? {} : object(value, path),
);

/** A list element or map value that must be there: the string itself. */
export const text: Reader<string> = reader({ type: "string" }, (value, path) => {
  const found = optionalText(value, path);
  if (found === undefined) throw unexpected(path, "a string", value);
  return found;
});

function object(value: unknown, path: string): JsonObject {
  if (!isJsonObject(value)) throw unexpected(path, "an object", value);
  return value;
}

function primitive<T>(absent: T, empty: T, read: Reader<T | undefined>): Reader<T> {
  return reader(withAbsent(read, absent), (value, path) =>
    value === undefined ? absent : (read(value, path) ?? empty),
  );
}

const withAbsent = (read: Reader<unknown>, absent: unknown): Schema => ({ ...read.schema, default: absent });

function readInteger(value: unknown, path: string, max: number): number | undefined {
  if (value === undefined || value === null) return undefined;
  const digits = typeof value === "string" ? value.trim() : undefined;
  if (digits === "") return undefined;
  const number = digits === undefined ? value : /^[+-]?\d+$/.test(digits) ? Number(digits) : Number.NaN;
  if (typeof number !== "number" || Number.isNaN(number)) throw unexpected(path, "an integer", value);
  const whole = Math.trunc(number) + 0; // + 0 turns -0 into 0
  if (whole < -max - 1 || whole > max) throw unexpected(path, `an integer of at most ${max}`, value);
  return whole;
}

function unexpected(path: string, expected: string, value: unknown): DefinitionFormatError {
  return new DefinitionFormatError(path, `Expected ${subject(path)} to be ${expected}, got ${describe(value)}`);
}

function subject(path: string): string {
  return path === "" ? "the definition" : path;
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (isContainer(value)) return "an object";
  if (typeof value !== "string") return String(value);
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
