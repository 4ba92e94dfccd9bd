import type { Env } from "../evaluate/env.ts";
import { type Filter, go, type PathEmit, type Recipe, type Signal, stop } from "../evaluate/filter.ts";
import type { Path } from "../paths.ts";
import type { Run } from "../run.ts";

/** A builtin written in TypeScript. `isSingle` is told which arguments are single; `build` gets them compiled. */
export type Native = {
  readonly isSingle: (args: readonly boolean[]) => boolean;
  readonly build: (args: readonly Filter[]) => Recipe;
};

/** Builtins by "name/arity". */
export type Natives = Readonly<Record<string, Native>>;

export const always = (): boolean => true;
export const never = (): boolean => false;
export const whenArgsAre = (args: readonly boolean[]): boolean => args.every((isSingle) => isSingle);

/** A function of the input alone. */
export function value0(apply: (input: unknown, run: Run) => unknown): Native {
  return {
    isSingle: always,
    build: () => ({
      one: () => (input, env) => {
        pay(input, env.run);
        return apply(input, env.run);
      },
    }),
  };
}

/** Any builtin may read a string given to it from end to end. */
function pay(value: unknown, run: Run): void {
  if (typeof value === "string") run.chargeText(value.length);
}

/** A function of the input and an argument; runs once for each output of the argument. */
export function value1(apply: (input: unknown, a: unknown, run: Run) => unknown): Native {
  return {
    isSingle: whenArgsAre,
    build: ([a]) => {
      const filter = required(a);
      return {
        one: () => {
          const first = filter.one;
          return (input, env) => {
            const argument = first(input, env);
            pay(input, env.run);
            pay(argument, env.run);
            return apply(input, argument, env.run);
          };
        },
        each: () => {
          const first = filter.each;
          return (input, env, emit) =>
            first(input, env, (argument) => {
              pay(input, env.run);
              pay(argument, env.run);
              return emit(apply(input, argument, env.run));
            });
        },
      };
    },
  };
}

/** As value1 with two arguments. The last argument varies slowest, as in jq. */
export function value2(apply: (input: unknown, a: unknown, b: unknown, run: Run) => unknown): Native {
  return valueN((input, args, run) => apply(input, args[0], args[1], run));
}

export function value3(apply: (input: unknown, args: readonly unknown[], run: Run) => unknown): Native {
  return valueN(apply);
}

function valueN(apply: (input: unknown, args: readonly unknown[], run: Run) => unknown): Native {
  return {
    isSingle: whenArgsAre,
    build: (args) => ({
      one: () => {
        const values = evaluateAll(args);
        return (input, env) => apply(input, values(input, env), env.run);
      },
      each: () => {
        const outputs = product(args, "lastSlowest");
        return (input, env, emit) => outputs(input, env, (values) => emit(apply(input, values, env.run)));
      },
    }),
  };
}

/** One output of each of several single filters. The last is evaluated first, as in jq: that decides which error shows. */
export function evaluateAll(filters: readonly Filter[]): (input: unknown, env: Env) => unknown[] {
  const ones = filters.map((filter) => filter.one);
  return (input, env) => {
    const values: unknown[] = ones.map(() => null);
    for (let i = ones.length - 1; i >= 0; i--) values[i] = ones[i]?.(input, env);
    return values;
  };
}

type EachList = (input: unknown, env: Env, emit: (values: readonly unknown[]) => Signal) => Signal;

/** All combinations of the outputs of several filters on the same input. */
export function product(filters: readonly Filter[], order: "firstSlowest" | "lastSlowest"): EachList {
  const eachs = filters.map((filter) => filter.each);
  const positions = filters.map((_, i) => i);
  if (order === "lastSlowest") positions.reverse();
  return (input, env, emit) => {
    const values: unknown[] = filters.map(() => null);
    const fill = (at: number): Signal => {
      const position = positions[at];
      const each = position === undefined ? undefined : eachs[position];
      if (position === undefined || each === undefined) return emit([...values]);
      return each(input, env, (value) => {
        values[position] = value;
        return fill(at + 1);
      });
    };
    return fill(0);
  };
}

/** For a native that runs the same whether or not an argument is single: takes the outputs one by one. */
export function firstOutput(filter: Filter): (input: unknown, env: Env, whenNone: unknown) => unknown {
  if (filter.isSingle) {
    const one = filter.one;
    return (input, env) => one(input, env);
  }
  const each = filter.each;
  return (input, env, whenNone) => {
    let found = whenNone;
    each(input, env, (value) => {
      found = value;
      return stop;
    });
    return found;
  };
}

export function collect(filter: Filter): (input: unknown, env: Env) => unknown[] {
  if (filter.isSingle) {
    const one = filter.one;
    return (input, env) => [one(input, env)];
  }
  const each = filter.each;
  return (input, env) => {
    const outputs: unknown[] = [];
    each(input, env, (value) => {
      outputs.push(value);
      return go;
    });
    return outputs;
  };
}

export function required<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError("Expected a builtin to get its arguments");
  return value;
}

/**
 * Runs a filter for its outputs, with paths or without. A builtin written against a feed serves both: without paths
 * every path is null and ignored.
 */
export type Feed = (filter: Filter, path: Path, value: unknown, env: Env, emit: PathEmit) => Signal;

const feedValues: Feed = (filter, _path, value, env, emit) => filter.each(value, env, (output) => emit(null, output));
const feedPaths: Feed = (filter, path, value, env, emit) => filter.paths(path, value, env, emit);

export type Place = { readonly path: Path; readonly value: unknown };
export type Generation = { readonly feed: Feed; readonly at: Place; readonly env: Env; readonly emit: PathEmit };
type Generate = (generation: Generation, args: readonly Filter[]) => Signal;

/** A builtin with any number of outputs that passes on places found by its arguments, such as `limit` or `recurse`. */
export function generator(generate: Generate): Native {
  return {
    isSingle: never,
    build: (args) => ({
      each: () => (value, env, emit) =>
        generate({ feed: feedValues, at: { path: null, value }, env, emit: (_path, output) => emit(output) }, args),
      paths: () => (path, value, env, emit) => generate({ feed: feedPaths, at: { path, value }, env, emit }, args),
    }),
  };
}
