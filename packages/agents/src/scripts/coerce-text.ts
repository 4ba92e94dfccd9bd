import type { Json } from "@downbeat/engine";
import type { Maybe } from "./values.ts";

/** A result as text: nothing is empty, objects and lists are JSON. */
export function coerceText({ raw }: { readonly raw: Maybe<Json> }): string {
  if (raw === null || raw === undefined) return "";
  return typeof raw === "object" ? JSON.stringify(raw) : String(raw);
}
