import type { Meter } from "./meter.ts";

/** Values are plain JSON: the guards below are the only way code narrows them, so no casts are needed elsewhere. */
export type JsonObject = { [key: string]: unknown };
export type Kind = "null" | "boolean" | "number" | "string" | "array" | "object";

export const isArray = (value: unknown): value is unknown[] => Array.isArray(value);
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const isTruthy = (value: unknown): boolean => value !== null && value !== false && value !== undefined;

export function kindOf(value: unknown): Kind {
  switch (typeof value) {
    case "number":
      return "number";
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? "array" : "object";
    default:
      return "null";
  }
}

/** Reads an own property only, so that "constructor" or "__proto__" never reach the prototype. */
export function getKey(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? (object[key] ?? null) : null;
}

/** Writes an own property even when the key is "__proto__", which plain assignment would turn into a prototype change. */
export function setKey(object: JsonObject, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

const kindOrder: Record<Kind, number> = { null: 0, boolean: 1, number: 3, string: 4, array: 5, object: 6 };

/** jq's total order: null, false, true, numbers, strings by code point, arrays, objects (sorted keys, then values). */
export function compare(left: unknown, right: unknown, meter: Meter): number {
  if (typeof left === "number" && typeof right === "number") return compareNumbers(left, right);
  if (typeof left === "string" && typeof right === "string") {
    meter.chargeText(Math.min(left.length, right.length));
    return compareStrings(left, right);
  }
  const kind = kindOf(left);
  const order = kindOrder[kind] - kindOrder[kindOf(right)];
  if (order !== 0) return order;
  if (kind === "boolean") return Number(left) - Number(right);
  if (isArray(left) && isArray(right)) return compareArrays(left, right, meter);
  if (isObject(left) && isObject(right)) return compareObjects(left, right, meter);
  return 0;
}

export function equals(left: unknown, right: unknown, meter: Meter): boolean {
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    if (typeof left === "string" && typeof right === "string") meter.chargeText(Math.min(left.length, right.length));
    return left === right || ((left ?? null) === null && (right ?? null) === null);
  }
  if (isArray(left)) {
    if (!isArray(right) || left.length !== right.length) return false;
    meter.charge(left.length);
    for (let i = 0; i < left.length; i++) if (!equals(left[i], right[i], meter)) return false;
    return true;
  }
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  meter.charge(keys.length * 4);
  if (keys.length !== Object.keys(right).length) return false;
  for (const key of keys) if (!Object.hasOwn(right, key) || !equals(left[key], right[key], meter)) return false;
  return true;
}

/** Not a number sorts below every number, itself included: that is how jq keeps the order total. */
function compareNumbers(left: number, right: number): number {
  if (left < right) return -1;
  if (left === right) return 0;
  return Number.isNaN(left) ? -1 : 1;
}

/** UTF-16 order differs from code point order only between surrogates and U+E000..U+FFFF; those are shifted here. */
function compareStrings(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const a = left.charCodeAt(i);
    const b = right.charCodeAt(i);
    if (a !== b) return codePointRank(a) - codePointRank(b);
  }
  return left.length - right.length;
}

function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

function compareArrays(left: readonly unknown[], right: readonly unknown[], meter: Meter): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    if ((i & 7) === 0) meter.charge(8);
    const order = compare(left[i], right[i], meter);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareObjects(left: JsonObject, right: JsonObject, meter: Meter): number {
  const leftKeys = sortedKeys(left);
  meter.charge(leftKeys.length * 8);
  const order = compareArrays(leftKeys, sortedKeys(right), meter);
  if (order !== 0) return order;
  for (const key of leftKeys) {
    const difference = compare(left[key], right[key], meter);
    if (difference !== 0) return difference;
  }
  return 0;
}

export const sortedKeys = (object: JsonObject): string[] => Object.keys(object).sort(compareStrings);
