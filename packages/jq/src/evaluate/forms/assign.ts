import { arithmetic } from "../../arithmetic.ts";
import type { Node } from "../../ast.ts";
import { firstOutput } from "../../builtins/native.ts";
import { keysOf } from "../../paths.ts";
import { Draft, deletePaths } from "../../update.ts";
import { isTruthy } from "../../values.ts";
import type { Env } from "../env.ts";
import { type Filter, go, type Paths, type Recipe } from "../filter.ts";
import type { Compile, Scope } from "../scope.ts";

/** `paths = value`: one result for each output of the value, which is computed from the input, not from the old value. */
export function assignForm(node: Extract<Node, { kind: "assign" }>, scope: Scope, compile: Compile): Recipe {
  const target = compile(node.target, scope);
  return forEachValue(compile(node.value, scope), () => {
    const paths = target.paths;
    return (input, replacement, env) => {
      const draft = new Draft(input, env.run);
      paths(null, input, env, (path, found) => {
        draft.set(keysOf(path, found, env.run), replacement);
        return go;
      });
      return draft.result;
    };
  });
}

/** `paths op= value`, for the five operators and `//`. */
export function updateWithForm(node: Extract<Node, { kind: "updateWith" }>, scope: Scope, compile: Compile): Recipe {
  const target = compile(node.target, scope);
  const apply =
    node.op === "//" ? (old: unknown, given: unknown) => (isTruthy(old) ? old : given) : arithmetic[node.op];
  return forEachValue(compile(node.value, scope), () => {
    const paths = target.paths;
    return (input, given, env) => modify(paths, input, env, (old) => apply(old, given, env.run));
  });
}

/** `paths |= filter`: the first output replaces the old value; a filter without outputs deletes the path. */
export function updateForm(node: Extract<Node, { kind: "update" }>, scope: Scope, compile: Compile): Recipe {
  const target = compile(node.target, scope);
  const update = compile(node.value, scope);
  return {
    one: () => {
      const paths = target.paths;
      const first = firstOutput(update);
      return (input, env) => modify(paths, input, env, (old) => first(old, env, undefined));
    },
  };
}

type Change = (input: unknown, given: unknown, env: Env) => unknown;

function forEachValue(value: Filter, makeChange: () => Change): Recipe {
  return {
    one: () => {
      const getValue = value.one;
      const change = makeChange();
      return (input, env) => change(input, getValue(input, env), env);
    },
    each: () => {
      const values = value.each;
      const change = makeChange();
      return (input, env, emit) => values(input, env, (given) => emit(change(input, given, env)));
    },
  };
}

/** Paths are found in the input as it was; old values are read from the result so far. Deletions come last, together. */
function modify(paths: Paths, input: unknown, env: Env, change: (old: unknown) => unknown): unknown {
  const draft = new Draft(input, env.run);
  const doomed: unknown[][] = [];
  paths(null, input, env, (path, found) => {
    const keys = keysOf(path, found, env.run);
    const next = change(draft.get(keys));
    if (next === undefined) doomed.push(keys);
    else draft.set(keys, next);
    return go;
  });
  return doomed.length === 0 ? draft.result : deletePaths(draft.result, doomed, env.run);
}
