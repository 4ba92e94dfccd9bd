import { contains, getAt, hasKey, indexError, indicesOfSubarray, iterationError } from "../access.ts";
import { add } from "../arithmetic.ts";
import { JqError } from "../errors.ts";
import { go } from "../evaluate/filter.ts";
import { iterate } from "../evaluate/forms/access.ts";
import type { Run } from "../run.ts";
import { codePointLength, indicesOf } from "../text.ts";
import { describe, formatJson, formatNumber } from "../tojson.ts";
import { compare, getKey, isArray, isObject, isTruthy, type JsonObject, setKey, sortedKeys } from "../values.ts";
import { always, collect, type Natives, required, value0, value1 } from "./native.ts";

/** What arrays and objects have in common: size, keys, entries, search. */
export const collectionBuiltins: Natives = {
  "length/0": value0(length),
  "keys/0": value0((input, run) => keys(input, run, sortedKeys)),
  "keys_unsorted/0": value0((input, run) => keys(input, run, Object.keys)),
  "has/1": value1((input, key) => hasKey(input, key)),
  "in/1": value1((input, container) => hasKey(container, input)),
  "contains/1": value1((input, part, run) => contains(input, part, run)),
  "inside/1": value1((input, container, run) => contains(container, input, run)),
  "map/1": {
    isSingle: always,
    build: ([each]) => ({
      one: () => {
        const filter = required(each);
        const one = filter.isSingle ? filter.one : undefined;
        return (input, env) => {
          const items: unknown[] = [];
          iterate(input, env, (item) => {
            if (one !== undefined) {
              items.push(one(item, env));
              return go;
            }
            return filter.each(item, env, (output) => {
              env.run.step();
              items.push(output);
              return go;
            });
          });
          return items;
        };
      },
    }),
  },
  "to_entries/0": value0(toEntries),
  "from_entries/0": value0(fromEntries),
  "with_entries/1": {
    isSingle: always,
    build: ([each]) => ({
      one: () => {
        const outputs = collect(required(each));
        return (input, env) =>
          fromEntries(
            toEntries(input, env.run).flatMap((entry) => outputs(entry, env)),
            env.run,
          );
      },
    }),
  },
  "flatten/0": value0((input, run) => flatten(input, Number.POSITIVE_INFINITY, run)),
  "flatten/1": value1((input, depth, run) => {
    if (typeof depth !== "number") throw new JqError("flatten depth must be a number");
    if (depth < 0) throw new JqError("flatten depth must not be negative");
    return flatten(input, depth, run);
  }),
  "reverse/0": value0((input, run) => {
    if (typeof input === "string") return [...input].reverse().join("");
    if (input === null) return [];
    if (!isArray(input)) throw indexError(input, length(input));
    run.charge(input.length);
    return input.toReversed();
  }),
  "join/1": value1(join),
  "indices/1": value1(indices),
  "index/1": value1((input, wanted, run) => firstOrNull(indices(input, wanted, run), 0)),
  "rindex/1": value1((input, wanted, run) => firstOrNull(indices(input, wanted, run), -1)),
  "transpose/0": value0(transpose),
  "bsearch/1": value1(bsearch),
  "toarray/0": value0((input) => (isArray(input) ? input : [input])),
};

function length(input: unknown): number {
  if (input === null) return 0;
  if (typeof input === "string") return codePointLength(input);
  if (typeof input === "number") return Math.abs(input);
  if (isArray(input)) return input.length;
  if (isObject(input)) return Object.keys(input).length;
  throw new JqError(`${describe(input)} has no length`);
}

function keys(input: unknown, run: Run, keysOfObject: (object: JsonObject) => string[]): unknown[] {
  if (isObject(input)) {
    const names = keysOfObject(input);
    run.allocate(names.length);
    return names;
  }
  if (!isArray(input)) throw new JqError(`${describe(input)} has no keys`);
  run.allocate(input.length);
  return input.map((_, i) => i);
}

function toEntries(input: unknown, run: Run): JsonObject[] {
  if (!isObject(input)) {
    if (!isArray(input)) throw new JqError(`${describe(input)} has no keys`);
    run.allocate(input.length);
    return input.map((value, key) => ({ key, value }));
  }
  const names = Object.keys(input);
  run.allocate(names.length);
  return names.map((key) => ({ key, value: input[key] }));
}

function fromEntries(input: unknown, run: Run): JsonObject {
  if (!isArray(input) && !isObject(input)) throw iterationError(input);
  const entries = Object.values(input);
  run.allocate(entries.length);
  const object: JsonObject = {};
  for (const entry of entries) setKey(object, entryKey(entry, run), entryValue(entry));
  return object;
}

/** `key`, also when it is false; else the first of the other spellings that is neither null nor false. */
function entryKey(entry: unknown, run: Run): string {
  const key = getAt(entry, "key", run);
  const found = key ?? ["k", "name", "Name", "K", "Key"].map((name) => getAt(entry, name, run)).find(isTruthy) ?? null;
  if (typeof found === "string") return found;
  if (typeof found === "object" && found !== null) {
    throw new JqError(`Cannot use ${describe(found)} as object key`);
  }
  return formatJson(found);
}

function entryValue(entry: unknown): unknown {
  if (!isObject(entry)) return null;
  const name = ["value", "v", "Value", "V"].find((candidate) => Object.hasOwn(entry, candidate));
  return name === undefined ? null : getKey(entry, name);
}

function flatten(input: unknown, depth: number, run: Run): unknown[] {
  if (!isArray(input) && !isObject(input)) throw iterationError(input);
  const flat: unknown[] = [];
  // Lists still to be read to their end, the innermost last: nesting must not use up the stack.
  const open = [{ items: Object.values(input), next: 0 }];
  for (let list = open.at(-1); list !== undefined; list = open.at(-1)) {
    run.step();
    if (list.next >= list.items.length) {
      open.pop();
      continue;
    }
    const item: unknown = list.items[list.next];
    list.next += 1;
    if (isArray(item) && open.length <= depth) open.push({ items: item, next: 0 });
    else flat.push(item);
  }
  return flat;
}

function join(input: unknown, separator: unknown, run: Run): unknown {
  if (!isArray(input) && !isObject(input)) throw iterationError(input);
  let text: unknown = null;
  for (const item of Object.values(input)) {
    run.step();
    const piece =
      typeof item === "number" ? formatNumber(item) : typeof item === "boolean" ? String(item) : (item ?? "");
    text = add(text === null ? "" : add(text, separator, run), piece, run);
  }
  return text ?? "";
}

/** A run of elements in an array, a piece of text in a string, or one element. */
function indices(input: unknown, wanted: unknown, run: Run): unknown {
  if (input === null) return null;
  if (typeof input === "string" && typeof wanted === "string") {
    run.chargeSearch(input.length, wanted.length);
    const found = indicesOf(input, wanted);
    run.allocate(found.length);
    return found;
  }
  if (isArray(input)) return indicesOfSubarray(input, isArray(wanted) ? wanted : [wanted], run);
  return getAt(input, wanted, run);
}

function firstOrNull(found: unknown, at: number): unknown {
  return isArray(found) ? (found.at(at) ?? null) : null;
}

function transpose(input: unknown, run: Run): unknown[] {
  if (!isArray(input)) throw iterationError(input);
  const width = input.reduce<number>((widest, row) => Math.max(widest, length(row)), 0);
  run.allocate(width * input.length);
  return Array.from({ length: width }, (_, column) => input.map((row) => getAt(row, column, run)));
}

/** The index of the target in a sorted array, or -1 - (where it would go). */
function bsearch(input: unknown, target: unknown, run: Run): number {
  if (!isArray(input)) throw new JqError(`${describe(input)} cannot be searched from`);
  let low = 0;
  let high = input.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const order = compare(input[middle], target, run);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return -1 - low;
}
