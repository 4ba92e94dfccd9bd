import { JqError } from "../errors.ts";
import { go, type Recipe } from "../evaluate/filter.ts";
import { describe } from "../tojson.ts";
import { isTruthy, type Kind, kindOf } from "../values.ts";
import { always, type Native, type Natives, never, required, value0, value1 } from "./native.ts";

/** Filters that let their input through or not, and the ways to fail. */
export const selectionBuiltins: Natives = {
  "empty/0": { isSingle: never, build: () => ({ each: () => () => go, paths: () => () => go }) },
  "error/0": value0(fail),
  "error/1": value1((_input, message) => fail(message)),
  "not/0": value0((input) => !isTruthy(input)),
  "type/0": value0((input) => kindOf(input)),
  "select/1": {
    isSingle: never,
    build: ([condition]): Recipe => {
      const test = required(condition);
      return {
        each: () => {
          if (test.isSingle) {
            const one = test.one;
            return (value, env, emit) => (isTruthy(one(value, env)) ? emit(value) : go);
          }
          const each = test.each;
          return (value, env, emit) => each(value, env, (found) => (isTruthy(found) ? emit(value) : go));
        },
        paths: () => {
          const each = test.each;
          return (path, value, env, emit) => each(value, env, (found) => (isTruthy(found) ? emit(path, value) : go));
        },
      };
    },
  },
  "values/0": when((value) => value !== null),
  "nulls/0": whenKind("null"),
  "booleans/0": whenKind("boolean"),
  "numbers/0": whenKind("number"),
  "strings/0": whenKind("string"),
  "arrays/0": whenKind("array"),
  "objects/0": whenKind("object"),
  "iterables/0": when((value) => typeof value === "object" && value !== null),
  "scalars/0": when((value) => typeof value !== "object" || value === null),
  "finites/0": when((value) => typeof value === "number" && Number.isFinite(value)),
  "normals/0": when(isNormal),
  "isnormal/0": value0((input) => isNormal(requireNumber(input))),
  "isinfinite/0": value0((input) => Math.abs(requireNumber(input)) === Number.POSITIVE_INFINITY),
  "isnan/0": value0((input) => Number.isNaN(requireNumber(input))),
  "isfinite/0": value0((input) => typeof input === "number" && !Number.isNaN(input) && Number.isFinite(input)),
};

function fail(value: unknown): never {
  throw new JqError(value);
}

function when(test: (value: unknown) => boolean): Native {
  return {
    isSingle: never,
    build: () => ({
      each: () => (value, _env, emit) => (test(value) ? emit(value) : go),
      paths: () => (path, value, _env, emit) => (test(value) ? emit(path, value) : go),
    }),
  };
}

function whenKind(kind: Kind): Native {
  return when((value) => kindOf(value) === kind);
}

function isNormal(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && Math.abs(value) >= 2 ** -1022;
}

export function requireNumber(value: unknown): number {
  if (typeof value === "number") return value;
  throw new JqError(`${describe(value)} number required`);
}

/** The input itself, for builtins whose effect does not exist here, such as printing a message. */
export const passThrough: Native = {
  isSingle: always,
  build: () => ({ one: () => (value) => value, paths: () => (path, value, _env, emit) => emit(path, value) }),
};
