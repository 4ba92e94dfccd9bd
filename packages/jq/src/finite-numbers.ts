import type { Meter } from "./meter.ts";
import { isArray, isObject, type JsonObject, setKey } from "./values.ts";

/**
 * JSON has no nan and no infinity: on the way out they become null and the largest number, as jq prints them.
 * A value without any is returned as it is, not copied. Metered, so that no output is larger than the budget.
 */
export function finiteNumbers(value: unknown, meter: Meter): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : toFinite(value);
  if (typeof value === "string") meter.chargeText(value.length);
  if (typeof value !== "object" || value === null) return value ?? null;
  if (isArray(value)) {
    meter.charge(value.length);
    let copy: unknown[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const item = finiteNumbers(value[i], meter);
      if (item === value[i]) continue;
      copy ??= value.slice();
      copy[i] = item;
    }
    return copy ?? value;
  }
  return isObject(value) ? finiteObject(value, meter) : value;
}

function finiteObject(object: JsonObject, meter: Meter): JsonObject {
  let copy: JsonObject | undefined;
  const keys = Object.keys(object);
  meter.charge(keys.length);
  for (const key of keys) {
    const item = finiteNumbers(object[key], meter);
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
