import type { Model, Schema } from "@downbeat/engine";
import type { Json } from "../support/client.ts";

/** A value of the wrong kind, and where it stands: `tasks.0.startDelay`. */
export type WrongValue = { readonly way: readonly string[]; readonly value: unknown };

const wrongByType: Readonly<Record<string, readonly unknown[]>> = {
  string: [{}, [], ["x"]],
  integer: ["x", "1.5.2", {}, [1], true, 1e300, "99999999999999999999"],
  boolean: ["maybe", {}, [true]],
  array: ["x", 5, { 0: "x" }, true],
  object: ["x", 5, [], ["x"], true],
};

/** For every property of a model, and of the models inside it, each value it must not take. */
export function* wrongValues(
  model: Model<unknown>,
  way: readonly string[] = [],
  within: readonly string[] = [],
): Generator<WrongValue> {
  if (within.includes(model.modelName)) return;
  const inside = [...within, model.modelName];
  for (const [name, { schema }] of Object.entries(
    model.fields() as Readonly<Record<string, { readonly schema: Schema }>>,
  )) {
    yield* wrongValuesOf(schema, [...way, name], inside);
  }
}

/** The same for a schema that is no model: the properties it lists, and what it is itself. */
function* wrongValuesOf(schema: Schema, way: readonly string[], within: readonly string[] = []): Generator<WrongValue> {
  if (typeof schema === "function") {
    yield* wrongByKind("object", way);
    yield* wrongValues(schema, way, within);
    return;
  }
  const { type, enum: names, items, additionalProperties: values, properties = {} } = schema as Json;
  if (typeof type === "string") yield* wrongByKind(type, way);
  if (Array.isArray(names))
    yield* ["NEVER", "", String(names[0]).toLowerCase(), `${names[0]} `].map((value) => ({ way, value }));
  if (isSchema(items)) yield* wrongValuesOf(items, [...way, "0"], within);
  if (isSchema(values)) yield* wrongValuesOf(values, [...way, "key"], within);
  for (const [name, member] of Object.entries(properties as Record<string, Schema>))
    yield* wrongValuesOf(member, [...way, name], within);
}

const wrongByKind = (type: string, way: readonly string[]): WrongValue[] =>
  (wrongByType[type] ?? []).map((value) => ({ way, value }));

const isSchema = (value: unknown): value is Schema =>
  (typeof value === "object" || typeof value === "function") && value !== null;

/** A copy with the value in its place; lists and objects on the way are made where they are missing. */
export function withValue(base: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  if (step === "0") return [withValue(Array.isArray(base) ? base[0] : undefined, rest, value)];
  const object = typeof base === "object" && base !== null ? (base as Json) : {};
  return { ...object, [step]: withValue(object[step], rest, value) };
}
