import { JqAbort } from "../errors.ts";
import { type Filter, go, type Signal, stop } from "../evaluate/filter.ts";
import { isTruthy } from "../values.ts";
import type { Generation, Place } from "./native.ts";

export type Unfolding = Generation & {
  /** Leads from a place to the next ones. */
  readonly next: Filter;
  /** Places for which it does not hold are left out, with all they lead to. */
  readonly test: Filter | undefined;
  /** A place that counts without being tested. */
  readonly untested: Place | undefined;
};

/** A place, then those `next` leads to, and so on, parents first: the core of `recurse` and `while`. */
export function unfold(unfolding: Unfolding): Signal {
  const { at, test } = unfolding;
  return test?.isSingle === false ? branch(unfolding, at) : walk(unfolding, at);
}

/** A test with several outputs: the place counts once for each that holds. */
function branch(unfolding: Unfolding, here: Place): Signal {
  const { feed, next, test, untested, env, emit } = unfolding;
  env.run.step();
  const visit = (): Signal => {
    if (emit(here.path, here.value) === stop) return stop;
    return feed(next, here.path, here.value, env, (path, value) => branch(unfolding, { path, value }));
  };
  if (test === undefined || here === untested) return visit();
  return test.each(here.value, env, (holds) => (isTruthy(holds) ? visit() : go));
}

/**
 * The last place `next` leads to is visited in a loop and only those before it by recursion, so a chain of any length
 * needs no stack. The price is that `next` runs on for one output before a place is visited.
 */
function walk(unfolding: Unfolding, start: Place): Signal {
  const { test, untested, env, emit } = unfolding;
  let here: Place | undefined = start;
  while (here !== undefined) {
    env.run.step();
    if (test !== undefined && here !== untested && !isTruthy(test.one(here.value, env))) return go;
    if (emit(here.path, here.value) === stop) return stop;
    const last: Place | typeof stop | undefined = visitAllButLast(unfolding, here);
    if (last === stop) return stop;
    here = last;
  }
  return go;
}

function visitAllButLast(unfolding: Unfolding, here: Place): Place | typeof stop | undefined {
  const { feed, next, env } = unfolding;
  const { depth } = env.run;
  let last: Place | undefined;
  let isVisiting = false;
  try {
    const signal = feed(next, here.path, here.value, env, (path, value) => {
      const before = last;
      last = { path, value };
      if (before === undefined) return go;
      isVisiting = true;
      const result = walk(unfolding, before);
      isVisiting = false;
      return result;
    });
    return signal === stop ? stop : last;
  } catch (error) {
    // When `next` fails after an output, that output is still to be visited first.
    const isOver = error instanceof JqAbort || error instanceof RangeError;
    if (isVisiting || last === undefined || isOver) throw error;
    env.run.depth = depth;
    if (walk(unfolding, last) === stop) return stop;
    throw error;
  }
}
