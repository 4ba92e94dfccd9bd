import { getAt, iterationError } from "../../access.ts";
import type { Node } from "../../ast.ts";
import { extend, type Path, requirePathTo } from "../../paths.ts";
import { isArray, isObject } from "../../values.ts";
import type { Env } from "../env.ts";
import { type Emit, go, type One, type PathEmit, type Paths, type Recipe, type Signal, stop } from "../filter.ts";
import type { Compile, Scope } from "../scope.ts";

export const identityForm: Recipe = {
  one: () => (value) => value,
  paths: () => (path, value, _env, emit) => emit(path, value),
};

export const recurseForm: Recipe = {
  each: () => (value, env, emit) => recurseInto(value, env, emit),
  paths: () => (path, value, env, emit) => recursePaths(path, value, env, emit),
};

export function indexForm(node: Extract<Node, { kind: "index" }>, scope: Scope, compile: Compile): Recipe {
  const target = compile(node.target, scope);
  const key = compile(node.key, scope);
  return {
    one: () => {
      if (node.key.kind === "literal" && typeof node.key.value === "string") {
        const getField = fieldGetter(node.key.value);
        if (node.target.kind === "identity") return getField;
        const getTarget = target.one;
        return (value, env) => getField(getTarget(value, env), env);
      }
      const getTarget = target.one;
      const getKey = key.one;
      return (value, env) => {
        const wanted = getKey(value, env);
        return getAt(getTarget(value, env), wanted, env.run);
      };
    },
    each: () => {
      const keys = key.each;
      const targets = target.each;
      return (value, env, emit) =>
        keys(value, env, (wanted) => targets(value, env, (found) => emit(getAt(found, wanted, env.run))));
    },
    paths: () => {
      const keys = key.each;
      const targets = target.paths;
      return (path, value, env, emit) =>
        keys(value, env, (wanted) =>
          targets(path, value, env, (at, found) => emit(extend(at, found, wanted), getAt(found, wanted, env.run))),
        );
    },
  };
}

/** Plain property reads are safe for names no object inherits; the others take the careful way. */
export function fieldGetter(name: string): One {
  if (name in Object.prototype) return (value, env) => getAt(value, name, env.run);
  return (value, env) => {
    if (isObject(value)) {
      const found = value[name];
      return found === undefined ? null : found;
    }
    return getAt(value, name, env.run);
  };
}

export function sliceForm(node: Extract<Node, { kind: "slice" }>, scope: Scope, compile: Compile): Recipe {
  const target = compile(node.target, scope);
  const nothing: Node = { kind: "literal", value: null };
  const from = compile(node.from ?? nothing, scope);
  const to = compile(node.to ?? nothing, scope);
  return {
    one: () => {
      const getTarget = target.one;
      const getFrom = from.one;
      const getTo = to.one;
      return (value, env) => {
        const slice = { start: getFrom(value, env), end: getTo(value, env) };
        return getAt(getTarget(value, env), slice, env.run);
      };
    },
    each: () => {
      const targets = target.each;
      return (value, env, emit) =>
        from.each(value, env, (start) =>
          to.each(value, env, (end) => targets(value, env, (found) => emit(getAt(found, { start, end }, env.run)))),
        );
    },
    paths: () => {
      const targets = target.paths;
      return (path, value, env, emit) =>
        from.each(value, env, (start) =>
          to.each(value, env, (end) =>
            targets(path, value, env, (at, found) => {
              const slice = { start, end };
              return emit(extend(at, found, slice), getAt(found, slice, env.run));
            }),
          ),
        );
    },
  };
}

export function iterateForm(node: Extract<Node, { kind: "iterate" }>, scope: Scope, compile: Compile): Recipe {
  const target = compile(node.target, scope);
  return {
    each: () => {
      if (node.target.kind === "identity") return iterate;
      if (target.isSingle) {
        const getTarget = target.one;
        return (value, env, emit) => iterate(getTarget(value, env), env, emit);
      }
      const targets = target.each;
      return (value, env, emit) => targets(value, env, (found) => iterate(found, env, emit));
    },
    paths: () => {
      const targets = target.paths;
      return (path, value, env, emit) => targets(path, value, env, (at, found) => iteratePaths(at, found, env, emit));
    },
  };
}

export function iterate(value: unknown, env: Env, emit: Emit): Signal {
  const { run } = env;
  if (isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      run.step();
      if (emit(value[i] ?? null) === stop) return stop;
    }
    return go;
  }
  if (!isObject(value)) throw iterationError(value);
  for (const key of Object.keys(value)) {
    run.step();
    if (emit(value[key] ?? null) === stop) return stop;
  }
  return go;
}

export const iteratePaths: Paths = (path: Path, value: unknown, env: Env, emit: PathEmit): Signal => {
  const { run } = env;
  requirePathTo(path, value);
  if (isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      run.step();
      if (emit({ parent: path, key: i }, value[i] ?? null) === stop) return stop;
    }
    return go;
  }
  if (!isObject(value)) throw iterationError(value);
  for (const key of Object.keys(value)) {
    run.step();
    if (emit({ parent: path, key }, value[key] ?? null) === stop) return stop;
  }
  return go;
};

/** The value, then everything below it, parents first. */
export function recurseInto(value: unknown, env: Env, emit: Emit): Signal {
  if (emit(value) === stop) return stop;
  if (typeof value !== "object" || value === null) return go;
  return iterate(value, env, (child) => recurseInto(child, env, emit));
}

export function recursePaths(path: Path, value: unknown, env: Env, emit: PathEmit): Signal {
  if (emit(path, value) === stop) return stop;
  if (typeof value !== "object" || value === null) return go;
  return iteratePaths(path, value, env, (at, child) => recursePaths(at, child, env, emit));
}
