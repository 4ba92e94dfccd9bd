import { iterationError } from "../access.ts";
import { JqError } from "../errors.ts";
import type { Env } from "../evaluate/env.ts";
import type { Filter } from "../evaluate/filter.ts";
import type { Run } from "../run.ts";
import { describe } from "../tojson.ts";
import { compare, isArray } from "../values.ts";
import { always, collect, type Native, type Natives, required, value0 } from "./native.ts";

/** Builtins that put elements in order, and those defined by order. */
export const sortingBuiltins: Natives = {
  "sort/0": value0((input, run) => sorted(requireArray(input, "sorted"), run).map(({ item }) => item)),
  "sort_by/1": byKey((keyed, run) => inOrder(keyed, run).map(({ item }) => item)),
  "group_by/1": byKey((keyed, run) => groups(inOrder(keyed, run), run).map((group) => group.map(({ item }) => item))),
  "unique/0": value0((input, run) => firsts(groups(sorted(requireArray(input, "sorted"), run), run))),
  "unique_by/1": byKey((keyed, run) => firsts(groups(inOrder(keyed, run), run))),
  "min/0": value0((input, run) => extreme(selfKeyed(requireArray(input, "iterated over")), -1, run)),
  "max/0": value0((input, run) => extreme(selfKeyed(requireArray(input, "iterated over")), 1, run)),
  "min_by/1": byKey((keyed, run) => extreme(keyed, -1, run)),
  "max_by/1": byKey((keyed, run) => extreme(keyed, 1, run)),
};

type Keyed = { readonly item: unknown; readonly key: unknown };

function byKey(finish: (keyed: readonly Keyed[], run: Run) => unknown): Native {
  return {
    isSingle: always,
    build: ([key]) => ({
      one: () => {
        const toKeyed = keyer(required(key));
        return (input, env) => {
          if (!isArray(input)) throw iterationError(input);
          env.run.allocate(input.length);
          return finish(toKeyed(input, env), env.run);
        };
      },
    }),
  };
}

/** All outputs of the key filter count, in turn. A single one need not be wrapped in a list to compare the same. */
function keyer(key: Filter): (input: readonly unknown[], env: Env) => Keyed[] {
  if (key.isSingle) {
    const one = key.one;
    return (input, env) => input.map((item) => ({ item, key: one(item, env) }));
  }
  const outputs = collect(key);
  return (input, env) => input.map((item) => ({ item, key: outputs(item, env) }));
}

const selfKeyed = (input: readonly unknown[]): Keyed[] => input.map((item) => ({ item, key: item }));

function sorted(input: readonly unknown[], run: Run): Keyed[] {
  run.allocate(input.length);
  return inOrder(selfKeyed(input), run);
}

function inOrder(keyed: readonly Keyed[], run: Run): Keyed[] {
  run.allocate(Math.ceil(keyed.length * Math.log2(keyed.length + 1)));
  return keyed.toSorted((a, b) => compare(a.key, b.key, run));
}

function groups(inOrderOfKey: readonly Keyed[], run: Run): Keyed[][] {
  const found: Keyed[][] = [];
  let current: Keyed[] | undefined;
  for (const entry of inOrderOfKey) {
    if (current?.[0] !== undefined && compare(current[0].key, entry.key, run) === 0) {
      current.push(entry);
    } else {
      current = [entry];
      found.push(current);
    }
  }
  return found;
}

const firsts = (grouped: readonly Keyed[][]): unknown[] => grouped.map((group) => group[0]?.item);

/** The first of the smallest or the last of the largest, as jq has it. */
function extreme(keyed: readonly Keyed[], sign: -1 | 1, run: Run): unknown {
  let best: Keyed | undefined;
  for (const entry of keyed) {
    const order = best === undefined ? 0 : compare(entry.key, best.key, run);
    if (best === undefined || (sign < 0 ? order < 0 : order >= 0)) best = entry;
  }
  return best?.item ?? null;
}

function requireArray(input: unknown, verb: string): unknown[] {
  if (isArray(input)) return input;
  throw new JqError(`${describe(input)} cannot be ${verb}, as it is not an array`);
}
