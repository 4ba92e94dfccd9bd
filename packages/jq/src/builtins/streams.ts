import { JqError } from "../errors.ts";
import { type Filter, go, type PathEmit, type Signal, stop } from "../evaluate/filter.ts";
import { recurseInto, recursePaths } from "../evaluate/forms/access.ts";
import { isTruthy } from "../values.ts";
import {
  type Generation,
  generator,
  type Native,
  type Natives,
  never,
  type Place,
  product,
  required,
  value0,
  whenArgsAre,
} from "./native.ts";
import { unfold } from "./unfold.ts";

/** Generators, and filters that take only some of a generator's outputs. */
export const streamBuiltins: Natives = {
  "range/1": range((bounds) => [0, bounds[0], 1]),
  "range/2": range((bounds) => [bounds[0], bounds[1], 1]),
  "range/3": range((bounds) => [bounds[0], bounds[1], bounds[2]]),
  "first/1": generator((generation, [source]) => takeFirst(generation, required(source), 1)),
  "limit/2": generator((generation, [count, source]) =>
    required(count).each(generation.at.value, generation.env, (n) => {
      const wanted = requireCount(n, "limit doesn't support negative count");
      return wanted > 0 ? takeFirst(generation, required(source), wanted) : go;
    }),
  ),
  "skip/2": generator(({ feed, at, env, emit }, [count, source]) =>
    required(count).each(at.value, env, (n) => {
      let left = requireCount(n, "skip doesn't support negative count");
      return feed(required(source), at.path, at.value, env, (path, value) => {
        left -= 1;
        return left >= 0 ? go : emit(path, value);
      });
    }),
  ),
  "nth/2": generator((generation, [index, source]) =>
    required(index).each(generation.at.value, generation.env, (n) => {
      let left = requireCount(n, "nth doesn't support negative indices");
      const emit: PathEmit = (path, value) => {
        left -= 1;
        return left >= 0 ? go : generation.emit(path, value);
      };
      return takeFirst({ ...generation, emit }, required(source), left + 1);
    }),
  ),
  "last/1": generator(({ feed, at, env, emit }, [source]) => {
    let last: Place | undefined;
    feed(required(source), at.path, at.value, env, (path, value) => {
      last = { path, value };
      return go;
    });
    return last === undefined ? go : emit(last.path, last.value);
  }),
  "repeat/1": generator(({ feed, at, env, emit }, [source]) => {
    for (;;) {
      env.run.step();
      if (feed(required(source), at.path, at.value, env, emit) === stop) return stop;
    }
  }),
  "while/2": generator((generation, [test, next]) =>
    unfold({ ...generation, next: required(next), test, untested: undefined }),
  ),
  "recurse/0": { isSingle: never, build: () => ({ each: () => recurseInto, paths: () => recursePaths }) },
  "recurse/1": generator((generation, [next]) =>
    unfold({ ...generation, next: required(next), test: undefined, untested: undefined }),
  ),
  "recurse/2": generator((generation, [next, test]) =>
    unfold({ ...generation, next: required(next), test, untested: generation.at }),
  ),
  "until/2": until(),
  "input/0": value0(() => {
    throw new JqError("No more inputs");
  }),
  "inputs/0": generator(() => go),
};

function takeFirst({ feed, at, env, emit }: Generation, source: Filter, count: number): Signal {
  let left = count;
  let signal: Signal = go;
  feed(source, at.path, at.value, env, (path, value) => {
    left -= 1;
    signal = emit(path, value);
    return left > 0 ? signal : stop;
  });
  return signal;
}

function until(): Native {
  const many = generator(({ feed, at, env, emit }, [condition, next]) => {
    const visit = (here: Place): Signal => {
      env.run.step();
      return required(condition).each(here.value, env, (isDone) => {
        if (isTruthy(isDone)) return emit(here.path, here.value);
        return feed(required(next), here.path, here.value, env, (path, value) => visit({ path, value }));
      });
    };
    return visit(at);
  });
  return {
    isSingle: whenArgsAre,
    build: (args) => ({
      ...many.build(args),
      one: () => {
        const isDone = required(args[0]).one;
        const next = required(args[1]).one;
        return (input, env) => {
          let value = input;
          while (!isTruthy(isDone(value, env))) {
            env.run.step();
            value = next(value, env);
          }
          return value;
        };
      },
    }),
  };
}

function range(toBounds: (given: readonly unknown[]) => readonly [unknown, unknown, unknown]): Native {
  return {
    isSingle: never,
    build: (args) => ({
      each: () => {
        const bounds = product(args, "firstSlowest");
        return (input, env, emit) =>
          bounds(input, env, (given) => {
            const [from, upTo, by] = toBounds(given);
            if (typeof from !== "number" || typeof upTo !== "number" || typeof by !== "number") {
              throw new JqError("Range bounds must be numeric");
            }
            if (by === 0 || Number.isNaN(by)) return go;
            for (let at = from; by > 0 ? at < upTo : at > upTo; at += by) {
              env.run.step();
              if (emit(at) === stop) return stop;
            }
            return go;
          });
      },
    }),
  };
}

function requireCount(count: unknown, whenNegative: string): number {
  if (typeof count !== "number") throw new JqError("Invalid arguments: a count must be a number");
  if (count < 0) throw new JqError(whenNegative);
  return count;
}
