import { add } from "../arithmetic.ts";
import type { Env } from "../evaluate/env.ts";
import { type Emit, type Filter, go, type One, type Signal, stop } from "../evaluate/filter.ts";
import { iterate } from "../evaluate/forms/access.ts";
import { equals, isArray, isObject, isTruthy, type JsonObject, setKey } from "../values.ts";
import { toText } from "./formats.ts";
import { always, type Native, type Natives, required } from "./native.ts";

/** Builtins that take in all outputs of a generator and give one answer. */
export const quantifierBuiltins: Natives = {
  "any/0": question(() => iterate, truthy, true),
  "all/0": question(() => iterate, truthy, false),
  "any/1": question(
    () => iterate,
    ([condition]) => required(condition).each,
    true,
  ),
  "all/1": question(
    () => iterate,
    ([condition]) => required(condition).each,
    false,
  ),
  "any/2": question(
    ([source]) => required(source).each,
    ([, condition]) => required(condition).each,
    true,
  ),
  "all/2": question(
    ([source]) => required(source).each,
    ([, condition]) => required(condition).each,
    false,
  ),
  "isempty/1": single(([source]) => {
    const each = required(source).each;
    return (value, env) => {
      let isEmpty = true;
      each(value, env, () => {
        isEmpty = false;
        return stop;
      });
      return isEmpty;
    };
  }),
  "IN/1": single(([source]) => {
    const each = required(source).each;
    return (value, env) =>
      finds(
        (found) => each(value, env, found),
        (candidate) => equals(candidate, value, env.run),
      );
  }),
  "IN/2": single(([source, candidates]) => {
    const sources = required(source).each;
    const others = required(candidates).each;
    return (value, env) =>
      finds(
        (found) => sources(value, env, found),
        (left) =>
          finds(
            (found) => others(value, env, found),
            (right) => equals(left, right, env.run),
          ),
      );
  }),
  "add/0": single(() => (value, env) => sum((emit) => iterate(value, env, emit), env)),
  "add/1": single(([source]) => {
    const each = required(source).each;
    return (value, env) => sum((emit) => each(value, env, emit), env);
  }),
  "INDEX/1": single(([key]) => indexer(() => iterate, required(key))),
  "INDEX/2": single(([rows, key]) => indexer(() => required(rows).each, required(key))),
};

type Source = (value: unknown, env: Env, emit: Emit) => Signal;

/** Rows by the text of their key; of rows with the same key the last stays. */
function indexer(makeRows: () => Source, key: Filter): One {
  const rows = makeRows();
  const keys = key.each;
  return (value, env) => {
    const index: JsonObject = {};
    rows(value, env, (row) =>
      keys(row, env, (found) => {
        env.run.step();
        setKey(index, toText(found, env.run), row);
        return go;
      }),
    );
    return index;
  };
}

function truthy(): Source {
  return (value, _env, emit) => emit(value);
}

/** `any` looks for an output that holds and `all` for one that does not; either stops at the first it finds. */
function question(
  source: (args: readonly Filter[]) => Source,
  condition: (args: readonly Filter[]) => Source,
  wanted: boolean,
): Native {
  return single((args) => {
    const sources = source(args);
    const conditions = condition(args);
    return (value, env) => {
      const isFound = finds(
        (found) => sources(value, env, (item) => conditions(item, env, found)),
        (holds) => isTruthy(holds) === wanted,
      );
      return isFound === wanted;
    };
  });
}

function single(make: (args: readonly Filter[]) => One): Native {
  return { isSingle: always, build: (args) => ({ one: () => make(args) }) };
}

function finds(source: (emit: Emit) => Signal, test: (value: unknown) => boolean): boolean {
  let isFound = false;
  source((value) => {
    if (!test(value)) return go;
    isFound = true;
    return stop;
  });
  return isFound;
}

/** Sums in place once the total is an array or object of our own: adding n lists one by one would copy n times. */
function sum(source: (emit: Emit) => Signal, env: Env): unknown {
  let total: unknown = null;
  let isOurs = false;
  source((value) => {
    if (isOurs && isArray(total) && isArray(value)) {
      env.run.checkArray(value.length);
      for (const item of value) total.push(item);
    } else if (isOurs && isObject(total) && isObject(value)) {
      for (const key of Object.keys(value)) setKey(total, key, value[key]);
      env.run.step();
    } else {
      const before = total;
      total = add(total, value, env.run);
      isOurs = total !== before && total !== value;
    }
    return go;
  });
  return total;
}
