import { isJsonObject, type Json } from "../json.ts";
import { compareValues } from "./compare.ts";
import { isList } from "./is-list.ts";
import type { Filter, Operand, Path, Step } from "./path.ts";
import { applyFunction } from "./path-functions.ts";

/** One reading of one path. */
type Reading = {
  /** Reads a path of the whole document, for `$` inside a filter or an argument list. */
  readonly readRoot: (path: Path) => Json;
  /** Values that may still be visited; the reading finds nothing once they are used up. */
  visitsLeft: number;
};

/**
 * Bounds the work of a path like `..*..*`, whose cost is a power of the depth of the data: callers choose the data, and
 * through `${a.${b}}` even the path. A payload of 10 MB searched once stays below it, and using it up takes a third of a second.
 */
export const maxVisits = 2_000_000;

/**
 * Applies the steps of a path that need the value itself. A path that may match several values gives the list of them;
 * any other gives its value, or undefined when there is none.
 */
export function select(value: Json, path: Path, reading: Reading): Json | undefined {
  let found: readonly Json[] = [value];
  let isMany = false;
  for (const [index, step] of path.rest.entries()) {
    if (step.kind === "function") {
      const input = isMany ? found : found[0];
      const result = input === undefined ? undefined : callFunction(step, input, value, reading);
      found = result === undefined ? [] : [result];
      isMany = false;
    } else if (step.kind === "names" && index === path.rest.length - 1) {
      found = found.filter(isJsonObject).map((object) => pickNames(object, step.names));
    } else {
      found = found.flatMap((one) => applyStep(one, step, reading));
      isMany ||= step.kind !== "name" && step.kind !== "index";
    }
    if (reading.visitsLeft <= 0) return undefined;
  }
  return isMany ? found : found[0];
}

/** The member or element of a value; undefined when it has none of that key. */
export function childOf(value: Json, key: string | number): Json | undefined {
  if (typeof key === "number") return isList(value) ? value.at(key) : undefined;
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function applyStep(value: Json, step: Exclude<Step, { kind: "function" }>, reading: Reading): readonly Json[] {
  reading.visitsLeft -= 1;
  if (reading.visitsLeft <= 0) return [];
  switch (step.kind) {
    case "name":
      return present([childOf(value, step.name)]);
    case "index":
      return present([childOf(value, step.index)]);
    case "names":
      return present(step.names.map((name) => childOf(value, name)));
    case "indices":
      return present(step.indices.map((index) => childOf(value, index)));
    case "slice":
      return isList(value) ? value.slice(step.from, step.to) : [];
    case "wildcard":
      return membersOf(value);
    case "descend":
      return withDescendants(value, reading);
    case "filter":
      // An object is tested itself, a list element by element.
      return (isList(value) ? value : isJsonObject(value) ? [value] : []).filter((one) =>
        passes(step.filter, one, reading),
      );
  }
}

function present(values: readonly (Json | undefined)[]): readonly Json[] {
  return values.filter((value) => value !== undefined);
}

function membersOf(value: Json): readonly Json[] {
  if (isList(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}

/** With a stack of its own: data may be nested deeper than calls can be. */
function withDescendants(value: Json, reading: Reading): readonly Json[] {
  const found: Json[] = [];
  const open: Json[] = [value];
  for (let next = open.pop(); next !== undefined && reading.visitsLeft > 0; next = open.pop()) {
    reading.visitsLeft -= 1;
    found.push(next);
    for (const member of membersOf(next).toReversed()) open.push(member);
  }
  return found;
}

function pickNames(object: { readonly [key: string]: Json }, names: readonly string[]): Json {
  const picked = names.filter((name) => Object.hasOwn(object, name));
  return Object.fromEntries(picked.map((name) => [name, object[name] ?? null]));
}

function callFunction(
  step: Extract<Step, { kind: "function" }>,
  input: Json,
  current: Json,
  reading: Reading,
): Json | undefined {
  const args = present(step.arguments.map((argument) => operandValue(argument, current, reading)));
  return applyFunction(step.name, input, args);
}

function passes(filter: Filter, value: Json, reading: Reading): boolean {
  reading.visitsLeft -= 1;
  switch (filter.kind) {
    case "any":
      return filter.of.some((one) => passes(one, value, reading));
    case "all":
      return filter.of.every((one) => passes(one, value, reading));
    case "not":
      return !passes(filter.of, value, reading);
    case "exists": {
      const found = operandValue({ ...filter, kind: "path" }, value, reading);
      return found !== undefined && !(filter.path.many && isList(found) && found.length === 0);
    }
    case "compare": {
      const left = operandValue(filter.left, value, reading);
      const right = operandValue(filter.right, value, reading);
      return compareValues(filter.operator, left, right);
    }
  }
}

function operandValue(operand: Operand, current: Json, reading: Reading): Json | undefined {
  if (operand.kind === "literal") return operand.value;
  const { path } = operand;
  if (operand.from === "$") return reading.readRoot(path);
  let base: Json | undefined = current;
  for (const key of path.plain) {
    if (base === undefined) break;
    base = childOf(base, key);
  }
  if (base === undefined) return path.many ? [] : undefined;
  return select(base, path, reading);
}
