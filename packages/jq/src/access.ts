import { JqError } from "./errors.ts";
import type { Meter } from "./meter.ts";
import { codePointLength, sliceCodePoints } from "./text.ts";
import { describe } from "./tojson.ts";
import { equals, getKey, isArray, isObject, type JsonObject, kindOf } from "./values.ts";

/** `value[key]` with jq's rules: null gives null, negative indices count from the end, an array key searches. */
export function getAt(value: unknown, key: unknown, meter: Meter): unknown {
  if (typeof key === "string") {
    if (isObject(value)) return getKey(value, key);
  } else if (typeof key === "number") {
    if (isArray(value)) return getElement(value, key);
  } else if (isObject(key)) {
    if (isArray(value)) {
      const { start, end } = sliceBounds(key, value.length, "array");
      meter.charge(end - start);
      return value.slice(start, end);
    }
    if (typeof value === "string") {
      meter.chargeText(value.length);
      const { start, end } = sliceBounds(key, codePointLength(value), "string");
      return sliceCodePoints(value, start, end);
    }
  } else if (isArray(key) && isArray(value)) {
    return indicesOfSubarray(value, key, meter);
  }
  if (value === null || value === undefined) {
    if (typeof key === "string" || typeof key === "number" || isObject(key)) return null;
  }
  throw indexError(value, key);
}

function getElement(array: readonly unknown[], index: number): unknown {
  const whole = Math.trunc(index);
  return array[whole < 0 ? whole + array.length : whole] ?? null;
}

export function indexError(value: unknown, key: unknown): JqError {
  const what = typeof key === "string" && key.length < 30 ? `string "${key}"` : kindOf(key);
  return new JqError(`Cannot index ${kindOf(value)} with ${what}`);
}

export const iterationError = (value: unknown): JqError => new JqError(`Cannot iterate over ${describe(value)}`);

/** Both ends within 0..length, the start rounded down and the end up; null, absent and nan mean the whole side. */
export function sliceBounds(
  slice: JsonObject,
  length: number,
  kind: "array" | "string",
): { readonly start: number; readonly end: number } {
  const from = getKey(slice, "start");
  const to = getKey(slice, "end");
  if ((from !== null && typeof from !== "number") || (to !== null && typeof to !== "number")) {
    throw new JqError(`Start and end indices of an ${kind} slice must be numbers`);
  }
  const start = Math.floor(clampBound(from === null || Number.isNaN(from) ? 0 : from, length));
  const end = Math.ceil(clampBound(to === null || Number.isNaN(to) ? length : to, length));
  return { start, end: Math.max(start, end) };
}

function clampBound(bound: number, length: number): number {
  return Math.max(0, Math.min(length, bound < 0 ? bound + length : bound));
}

/** Where `needle` starts as a run of elements; an empty needle is found nowhere. */
export function indicesOfSubarray(array: readonly unknown[], needle: readonly unknown[], meter: Meter): number[] {
  const found: number[] = [];
  if (needle.length === 0) return found;
  for (let at = 0; at + needle.length <= array.length; at++) {
    meter.charge(8);
    if (needle.every((item, i) => equals(item, array[at + i], meter))) found.push(at);
  }
  return found;
}

export function hasKey(value: unknown, key: unknown): boolean {
  if (isObject(value) && typeof key === "string") return Object.hasOwn(value, key);
  if (isArray(value) && typeof key === "number") return key >= 0 && Math.trunc(key) < value.length;
  if (value === null) return false;
  throw new JqError(`Cannot check whether ${kindOf(value)} has a ${kindOf(key)} key`);
}

export function getPath(value: unknown, path: unknown, meter: Meter): unknown {
  if (!isArray(path)) throw new JqError("Path must be specified as an array");
  let found = value;
  for (const key of path) {
    if (found === null) return null;
    found = getAt(found, key, meter);
  }
  return found;
}

export function contains(value: unknown, part: unknown, meter: Meter): boolean {
  if (kindOf(value) !== kindOf(part)) {
    throw new JqError(`${describe(value)} and ${describe(part)} cannot have their containment checked`);
  }
  return includesPart(value, part, meter);
}

function includesPart(value: unknown, part: unknown, meter: Meter): boolean {
  meter.charge(8);
  if (isObject(value) && isObject(part)) {
    return Object.keys(part).every((key) => Object.hasOwn(value, key) && includesPart(value[key], part[key], meter));
  }
  if (isArray(value) && isArray(part)) {
    return part.every((wanted) => value.some((item) => includesPart(item, wanted, meter)));
  }
  if (typeof value !== "string" || typeof part !== "string") return equals(value, part, meter);
  meter.chargeSearch(value.length, part.length);
  return value.includes(part);
}
