import { getAt, getPath } from "../access.ts";
import { JqError } from "../errors.ts";
import type { Env } from "../evaluate/env.ts";
import { type Each, type Filter, go, type Recipe, stop } from "../evaluate/filter.ts";
import { iteratePaths, recursePaths } from "../evaluate/forms/access.ts";
import { extend, keysOf, type Path } from "../paths.ts";
import { Draft, deletePaths, setPath } from "../update.ts";
import { isArray, isObject, isTruthy } from "../values.ts";
import {
  always,
  firstOutput,
  generator,
  type Native,
  type Natives,
  never,
  required,
  value1,
  value2,
  whenArgsAre,
} from "./native.ts";

/** Builtins about where values are: paths as arrays of keys, and changes at given paths. */
export const placeBuiltins: Natives = {
  "path/1": {
    isSingle: never,
    build: ([target]) => ({
      each: () => {
        const paths = required(target).paths;
        return (value, env, emit) => paths(null, value, env, (path, found) => emit(keysOf(path, found, env.run)));
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
          return (value, env) => getPath(value, getKeys(value, env), env.run);
        },
        each: () => {
          const each = filter.each;
          return (value, env, emit) => each(value, env, (list) => emit(getPath(value, list, env.run)));
        },
        paths: () => {
          const each = filter.each;
          return (path, value, env, emit) =>
            each(value, env, (list) => {
              const found = getPath(value, list, env.run);
              if (!isArray(list)) throw new JqError("Path must be specified as an array");
              return emit(
                list.reduce<Path>((at, key) => extend(at, value, key), path),
                found,
              );
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
            doomed.push(keysOf(path, found, env.run));
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
            const keys = keysOf(path, found, env.run);
            draft.set(keys, getPath(input, keys, env.run));
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
  "tostream/0": generator(({ at, env, emit }) => streamEvents(null, at.value, env, (event) => emit(null, event))),
  "fromstream/1": {
    isSingle: never,
    build: ([events]) => ({
      each: () => {
        const each = required(events).each;
        return (value, env, emit) => {
          let draft = new Draft(null, env.run);
          return each(value, env, (event) => {
            const { keys, isClosing } = readEvent(event, env);
            if (!isClosing) draft.set(keys, getAt(event, 1, env.run));
            // A leaf completes a value when it is the value; a closing event when it closes the outermost container.
            if (keys.length !== (isClosing ? 1 : 0)) return go;
            const { result } = draft;
            draft = new Draft(null, env.run);
            return emit(result);
          });
        };
      },
    }),
  },
};

function readEvent(event: unknown, env: Env): { readonly keys: unknown[]; readonly isClosing: boolean } {
  const keys = getAt(event, 0, env.run);
  if (!isArray(event) || !isArray(keys)) throw new JqError("Invalid streaming format");
  return { keys, isClosing: event.length < 2 };
}

/** Paths to everything below the input that `accept` lets through, once for each time it does. */
function allPaths(makeAccept: (args: readonly Filter[]) => Each): Native {
  return {
    isSingle: never,
    build: (args) => ({
      each: () => {
        const accept = makeAccept(args);
        return (value, env, emit) =>
          recursePaths(null, value, env, (path, found) =>
            path === null ? go : accept(found, env, () => emit(keysOf(path, found, env.run))),
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
  if (size === 0) return emit([keysOf(path, value, env.run), value]);
  let last: Path = null;
  const signal = iteratePaths(path, value, env, (at, child) => {
    last = at;
    return streamEvents(at, child, env, emit);
  });
  if (signal === stop) return stop;
  return emit([keysOf(last, value, env.run)]);
}
