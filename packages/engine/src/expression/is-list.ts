import type { Json } from "../json.ts";

/** `Array.isArray` that also narrows read-only lists. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
