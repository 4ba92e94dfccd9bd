import type { Json, JsonObject } from "@downbeat/engine";
import type { Maybe } from "./values.ts";

/** The context a run starts with: the caller's, or an empty one. */
export function resolveContext(input: { readonly ctx: Maybe<Json> }): JsonObject {
  const { ctx } = input;
  return typeof ctx === "object" && ctx !== null && !Array.isArray(ctx) ? (ctx as JsonObject) : {};
}
