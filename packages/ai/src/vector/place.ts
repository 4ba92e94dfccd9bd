import type { JsonObject } from "@downbeat/engine";
import { input } from "../input.ts";
import type { Place } from "./port.ts";

const NAME = /^[a-zA-Z0-9_-]+$/;

/** The index and namespace of a task's input; names reach databases as names of things, so few signs are allowed. */
export function readPlace(from: JsonObject, defaultNamespace?: string): Place {
  const namespace = input.text(from, "namespace") ?? defaultNamespace ?? "";
  const index = input.text(from, "index") ?? "";
  if (!NAME.test(namespace)) throw new Error("Invalid namespace");
  if (!NAME.test(index)) throw new Error("Invalid index name");
  return { index, namespace };
}

/** How many documents a search gives: under either of its names. */
export const readLimit = (from: JsonObject): number =>
  Math.max(1, input.integer(from, "maxResults") ?? input.integer(from, "llmMaxResults") ?? 1);
