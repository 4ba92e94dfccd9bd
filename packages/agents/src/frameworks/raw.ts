import { isJsonObject, type Json, type JsonObject, ownMember } from "@downbeat/engine";

/**
 * Reading of a framework's own configuration. Each setting may have several names (`max_tokens`, `maxTokens`): the first
 * that holds a value of the right kind counts, and a value of another kind counts as absent, since rawConfig is whatever
 * an SDK could serialise.
 */

export const findText = (raw: JsonObject, ...names: readonly string[]): string | undefined =>
  findAs(raw, names, (value) => (typeof value === "string" && value !== "" ? value : undefined));

export const findNumber = (raw: JsonObject, ...names: readonly string[]): number | undefined =>
  findAs(raw, names, (value) => (typeof value === "number" ? value : undefined));

export const findObject = (raw: JsonObject, ...names: readonly string[]): JsonObject | undefined =>
  findAs(raw, names, (value) => (isJsonObject(value) ? value : undefined));

/** The members of a list that are objects; all lists of these names one after the other. */
export const listObjects = (raw: JsonObject, ...names: readonly string[]): readonly JsonObject[] =>
  names.flatMap((name) => {
    const value = ownMember(raw, name);
    return Array.isArray(value) ? value.filter(isJsonObject) : [];
  });

export const isOn = (raw: JsonObject, ...names: readonly string[]): boolean =>
  names.some((name) => ownMember(raw, name) === true);

/** The same object without the members that are undefined. */
export function withoutUndefined(members: { readonly [name: string]: Json | undefined }): JsonObject {
  const given = Object.entries(members).filter((member): member is [string, Json] => member[1] !== undefined);
  return Object.fromEntries(given);
}

/** A list or an object, or undefined when there is nothing in it. */
export const ifAny = <T extends readonly Json[] | JsonObject>(value: T): T | undefined =>
  Object.keys(value).length === 0 ? undefined : value;

function findAs<T>(
  raw: JsonObject,
  names: readonly string[],
  read: (value: Json | undefined) => T | undefined,
): T | undefined {
  for (const name of names) {
    const found = read(ownMember(raw, name));
    if (found !== undefined) return found;
  }
  return undefined;
}
