import type { ArithmeticOp } from "./ast.ts";
import { JqError } from "./errors.ts";
import type { Run } from "./run.ts";
import { describe } from "./tojson.ts";
import { equals, isArray, isObject, type JsonObject, setKey } from "./values.ts";

/** The five operators. Each takes any pair of values and fails with jq's words on a pair it has no meaning for. */
export const arithmetic: Record<ArithmeticOp, (left: unknown, right: unknown, run: Run) => unknown> = {
  "+": add,
  "-": subtract,
  "*": multiply,
  "/": divide,
  "%": remainder,
};

export function add(left: unknown, right: unknown, run: Run): unknown {
  if (typeof left === "number" && typeof right === "number") return left + right;
  if (left === null || left === undefined) return right;
  if (right === null || right === undefined) return left;
  if (typeof left === "string" && typeof right === "string") {
    run.checkString(left.length + right.length);
    // Long strings are not copied but joined, so what counts is the shorter side.
    run.chargeText(Math.min(left.length, right.length));
    return left + right;
  }
  if (isArray(left) && isArray(right)) {
    run.checkArray(left.length + right.length);
    return left.concat(right);
  }
  if (isObject(left) && isObject(right)) {
    const sum = { ...left, ...right };
    run.chargeObject(Object.keys(sum).length);
    return sum;
  }
  throw operandError(left, right, "added");
}

function subtract(left: unknown, right: unknown, run: Run): unknown {
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (isArray(left) && isArray(right)) {
    run.allocate(left.length + left.length * right.length);
    return left.filter((item) => !right.some((unwanted) => equals(item, unwanted, run)));
  }
  throw operandError(left, right, "subtracted");
}

function multiply(left: unknown, right: unknown, run: Run): unknown {
  if (typeof left === "number" && typeof right === "number") return left * right;
  if (typeof left === "string" && typeof right === "number") return repeat(left, right, run);
  if (typeof left === "number" && typeof right === "string") return repeat(right, left, run);
  if (isObject(left) && isObject(right)) return mergeDeep(left, right, run);
  throw operandError(left, right, "multiplied");
}

function divide(left: unknown, right: unknown, run: Run): unknown {
  if (typeof left === "number" && typeof right === "number") {
    if (right === 0) throw operandError(left, right, "divided because the divisor is zero");
    return left / right;
  }
  if (typeof left === "string" && typeof right === "string") return splitText(left, right, run);
  throw operandError(left, right, "divided");
}

/** Both sides are cut to 64-bit integers first; the result has the sign of the left one. */
function remainder(left: unknown, right: unknown): unknown {
  if (typeof left !== "number" || typeof right !== "number") throw operandError(left, right, "divided (remainder)");
  if (Number.isNaN(left) || Number.isNaN(right)) return Number.NaN;
  const dividend = Math.trunc(left);
  const divisor = Math.trunc(right);
  if (divisor === 0) throw operandError(left, right, "divided (remainder) because the divisor is zero");
  if (Number.isSafeInteger(dividend) && Number.isSafeInteger(divisor)) return (dividend % divisor) + 0;
  const size = toInt64(divisor);
  return Number(toInt64(dividend) % (size < 0n ? -size : size));
}

const smallestInt64 = -(2n ** 63n);

function toInt64(value: number): bigint {
  if (value >= 2 ** 63) return -smallestInt64 - 1n;
  return value <= -(2 ** 63) ? smallestInt64 : BigInt(value);
}

function repeat(text: string, times: number, run: Run): string | null {
  if (Number.isNaN(times) || times < 0) return null;
  if (text === "" || times < 1) return "";
  const count = Math.trunc(times);
  if (count * text.length >= 2 ** 29) throw new JqError("Repeat string result too long");
  run.checkString(count * text.length);
  run.chargeText(count * text.length);
  return text.repeat(count);
}

function mergeDeep(left: JsonObject, right: JsonObject, run: Run): JsonObject {
  const merged = { ...left };
  run.chargeObject(Object.keys(merged).length);
  for (const key of Object.keys(right)) {
    const value = right[key];
    const existing = Object.hasOwn(merged, key) ? merged[key] : null;
    setKey(merged, key, isObject(existing) && isObject(value) ? mergeDeep(existing, value, run) : value);
  }
  return merged;
}

export function splitText(text: string, separator: string, run: Run): string[] {
  if (text === "") return [];
  run.chargeSearch(text.length, separator.length);
  if (separator === "") run.allocate(text.length);
  const pieces = separator === "" ? [...text] : text.split(separator);
  run.allocate(pieces.length);
  return pieces;
}

function operandError(left: unknown, right: unknown, verb: string): JqError {
  return new JqError(`${describe(left)} and ${describe(right)} cannot be ${verb}`);
}
