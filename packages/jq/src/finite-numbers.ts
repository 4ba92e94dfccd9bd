import { isArray, isObject, type JsonObject, setKey } from "./values.ts";

/**
 * JSON has no nan and no infinity: on the way out they become null and the largest number, as jq prints them.
 * A value without any is returned as it is, not copied.
 */
export function finiteNumbers(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : toFinite(value);
  if (typeof value !== "object" || value === null) return value ?? null;
  if (isArray(value)) {
    let copy: unknown[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const item = finiteNumbers(value[i]);
      if (item === value[i]) continue;
      copy ??= value.slice();
      copy[i] = item;
    }
    return copy ?? value;
  }
  return isObject(value) ? finiteObject(value) : value;
}

function finiteObject(object: JsonObject): JsonObject {
  let copy: JsonObject | undefined;
  for (const key of Object.keys(object)) {
    const item = finiteNumbers(object[key]);
    if (item === object[key]) continue;
    copy ??= { ...object };
    setKey(copy, key, item);
  }
  return copy ?? object;
}

function toFinite(value: number): number | null {
  if (Number.isNaN(value)) return null;
  return value > 0 ? Number.MAX_VALUE : -Number.MAX_VALUE;
}
