import { getPath } from "../access.ts";
import { JqError } from "../errors.ts";
import type { Env } from "../evaluate/env.ts";
import { type Each, type Filter, go, type Recipe, stop } from "../evaluate/filter.ts";
import { iteratePaths, recursePaths } from "../evaluate/forms/access.ts";
import { extend, keysOf, type Path } from "../paths.ts";
import { Draft, deletePaths, setPath } from "../update.ts";
import { isArray, isObject, isTruthy } from "../values.ts";
import { always, firstOutput, generator, type Native, type Natives, never, required, value1, value2, whenArgsAre } from "./native.ts";

/** Builtins about where values are: paths as arrays of keys, and changes at given paths. */
export const placeBuiltins: Natives = {
  "path/1": {
    isSingle: never,
    build: ([target]) => ({
      each: () => {
        const paths = required(target).paths;
        return (value, env, emit) => paths(null, value, env, (path, found) => emit(keysOf(path, found)));
      },
    }),
  },
  "paths/0": allPaths(() => (value, _env, emit) => emit(value)),
  "paths/1": allPaths(([condition]) => {
    const each = required(condition).each;
    return (value, env, emit) => each(value, env, (holds) => (isTruthy(holds) ? emit(value) : go));
  }),
  "leaf_paths/0": allPaths(() => (value, _env, emit) => (isArray(value) || isObject(value) ? go : emit(value))),
  "getpath/1": {
    isSingle: whenArgsAre,
    build: ([keys]): Recipe => {
      const filter = required(keys);
      return {
        one: () => {
          const getKeys = filter.one;
          return (value, env) => getPath(value, getKeys(value, env));
        },
        each: () => {
          const each = filter.each;
          return (value, env, emit) => each(value, env, (list) => emit(getPath(value, list)));
        },
        paths: () => {
          const each = filter.each;
          return (path, value, env, emit) =>
            each(value, env, (list) => {
              const found = getPath(value, list);
              if (!isArray(list)) throw new JqError("Path must be specified as an array");
              return emit(list.reduce<Path>((at, key) => extend(at, value, key), path), found);
            });
        },
      };
    },
  },
  "setpath/2": value2((input, path, replacement, run) => setPath(input, path, replacement, run)),
  "delpaths/1": value1((input, paths, run) => deletePaths(input, paths, run)),
  "del/1": {
    isSingle: always,
    build: ([target]) => ({
      one: () => {
        const paths = required(target).paths;
        return (input, env) => {
          const doomed: unknown[][] = [];
          paths(null, input, env, (path, found) => {
            doomed.push(keysOf(path, found));
            return go;
          });
          return deletePaths(input, doomed, env.run);
        };
      },
    }),
  },
  "pick/1": {
    isSingle: always,
    build: ([target]) => ({
      one: () => {
        const paths = required(target).paths;
        return (input, env) => {
          const draft = new Draft(null, env.run);
          paths(null, input, env, (path, found) => {
            const keys = keysOf(path, found);
            draft.set(keys, getPath(input, keys));
            return go;
          });
          return draft.result;
        };
      },
    }),
  },
  "map_values/1": {
    isSingle: always,
    build: ([update]) => ({
      one: () => {
        const first = firstOutput(required(update));
        return (input, env) => mapValues(input, env, first);
      },
    }),
  },
  "tostream/0": generator((_feed, _args, at, env, emit) =>
    streamEvents(null, at.value, env, (event) => emit(null, event)),
  ),
};

/** Paths to everything below the input that `accept` lets through, once for each time it does. */
function allPaths(makeAccept: (args: readonly Filter[]) => Each): Native {
  return {
    isSingle: never,
    build: (args) => ({
      each: () => {
        const accept = makeAccept(args);
        return (value, env, emit) =>
          recursePaths(null, value, env, (path, found) =>
            path === null ? go : accept(found, env, () => emit(keysOf(path, found))),
          );
      },
    }),
  };
}

/** `.[] |= f` without going through paths: elements for which f is empty are dropped. */
function mapValues(input: unknown, env: Env, first: ReturnType<typeof firstOutput>): unknown {
  const draft = new Draft(input, env.run);
  const doomed: unknown[][] = [];
  iteratePaths(null, input, env, (path, value) => {
    const next = first(value, env, undefined);
    const keys = [path?.key];
    if (next === undefined) doomed.push(keys);
    else draft.set(keys, next);
    return go;
  });
  return deletePaths(draft.result, doomed, env.run);
}

type EventEmit = (event: unknown) => ReturnType<typeof iteratePaths>;

/** `[path, leaf]` for each leaf and `[path]` after the last child of each container: jq's streaming form. */
function streamEvents(path: Path, value: unknown, env: Env, emit: EventEmit): ReturnType<EventEmit> {
  const size = isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 0;
  if (size === 0) return emit([keysOf(path, value), value]);
  let last: Path = null;
  const signal = iteratePaths(path, value, env, (at, child) => {
    last = at;
    return streamEvents(at, child, env, emit);
  });
  if (signal === stop) return stop;
  return emit([keysOf(last, value)]);
}
