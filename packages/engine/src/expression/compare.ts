import { isJsonObject, type Json } from "../json.ts";
import { isList } from "./is-list.ts";
import type { Operator } from "./path.ts";

/** A comparison of a filter; undefined stands for a path that finds nothing, which differs from everything. */
export function compareValues(operator: Operator, left: Json | undefined, right: Json | undefined): boolean {
  if (operator === "!=" || operator === "!==") return !isEqual(left, right);
  if (left === undefined || right === undefined) return operator === "nin" || operator === "noneof";
  switch (operator) {
    case "==":
    case "===":
      return isEqual(left, right);
    case "<":
      return orderOf(left, right) < 0;
    case "<=":
      return orderOf(left, right) <= 0;
    case ">":
      return orderOf(left, right) > 0;
    case ">=":
      return orderOf(left, right) >= 0;
    case "in":
      return contains(right, left);
    case "nin":
      return !contains(right, left);
    case "contains":
      return typeof left === "string" && typeof right === "string" ? left.includes(right) : contains(left, right);
    case "size":
      return (typeof left === "string" || isList(left)) && left.length === right;
    case "empty":
      return (typeof left === "string" || isList(left)) && (left.length === 0) === right;
    case "subsetof":
      return isList(left) && left.every((item) => contains(right, item));
    case "anyof":
      return isList(left) && left.some((item) => contains(right, item));
    case "noneof":
      return isList(left) && !left.some((item) => contains(right, item));
  }
}

function contains(list: Json, item: Json): boolean {
  return isList(list) && list.some((one) => isEqual(one, item));
}

/** Below, at or above zero; NaN, which no comparison accepts, unless both are numbers or both are text. */
function orderOf(left: Json, right: Json): number {
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (typeof left !== "string" || typeof right !== "string") return Number.NaN;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** A number equals the text that spells it: definitions compare ids that arrive as either. */
function isEqual(left: Json | undefined, right: Json | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  if (typeof left === "number" && typeof right === "string") return right.trim() !== "" && left === Number(right);
  if (typeof left === "string" && typeof right === "number") return left === String(right);
  if (isList(left)) {
    return isList(right) && left.length === right.length && left.every((item, index) => isEqual(item, right[index]));
  }
  if (!isJsonObject(left)) return left === right;
  if (!isJsonObject(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isEqual(left[key], right[key]))
  );
}
