import { isJsonObject, type Json } from "../json.ts";
import { isList } from "./is-list.ts";
import type { FunctionName } from "./path.ts";
import { renderText } from "./render-text.ts";

/** What a path function gives; undefined when it does not apply to the value. */
export function applyFunction(name: FunctionName, value: Json, args: readonly Json[]): Json | undefined {
  switch (name) {
    case "length":
    case "size":
      if (isList(value)) return value.length;
      return isJsonObject(value) ? Object.keys(value).length : undefined;
    case "keys":
      return isJsonObject(value) ? Object.keys(value) : undefined;
    case "first":
      return isList(value) ? value[0] : undefined;
    case "last":
      return isList(value) ? value.at(-1) : undefined;
    case "concat":
      return isList(value) || args.length > 0 ? concat(value, args) : undefined;
    default:
      return finite(aggregate(name, numbersOf(value, args)));
  }
}

/** Functions whose result is a floating point number even when it is whole: `6.0`, not `6`. */
export function isFloatingFunction(name: FunctionName): boolean {
  return name === "min" || name === "max" || name === "avg" || name === "sum" || name === "stddev";
}

function finite(value: number | undefined): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

function concat(value: Json, args: readonly Json[]): string {
  const texts = isList(value) ? value.filter((item) => typeof item === "string") : [];
  return texts.join("") + args.map(renderText).join("");
}

function numbersOf(value: Json, args: readonly Json[]): readonly number[] {
  const candidates = [...(isList(value) ? value : []), ...args.flatMap((arg) => (isList(arg) ? arg : [arg]))];
  return candidates.filter((item) => typeof item === "number");
}

function aggregate(name: "min" | "max" | "avg" | "sum" | "stddev", numbers: readonly number[]): number | undefined {
  if (numbers.length === 0) return undefined;
  const total = numbers.reduce((sum, number) => sum + number, 0);
  const mean = total / numbers.length;
  switch (name) {
    case "min":
      return numbers.reduce((least, number) => Math.min(least, number));
    case "max":
      return numbers.reduce((greatest, number) => Math.max(greatest, number));
    case "avg":
      return mean;
    case "sum":
      return total;
    case "stddev":
      return Math.sqrt(numbers.reduce((sum, number) => sum + (number - mean) ** 2, 0) / numbers.length);
  }
}
