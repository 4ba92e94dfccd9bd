import type { Json } from "@downbeat/engine";

const DEEPEST = 32;

/** Data of strangers becomes part of executions: it may not be nested without end. */
export function checkNesting(value: Json): void {
  if (isDeeper(value, DEEPEST)) throw new Error(`External tool data exceeds the maximum nesting depth of ${DEEPEST}`);
}

function isDeeper(value: Json, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((one) => isDeeper(one as Json, depth - 1));
}
