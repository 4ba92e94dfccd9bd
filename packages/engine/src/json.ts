/** JSON as it travels: what `JSON.parse` gives and `JSON.stringify` takes. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** The object's own member: a name such as "constructor" finds nothing that the object does not have. */
export const ownMember = <T>(object: { readonly [key: string]: T }, key: string): T | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
