import { arithmetic } from "../../arithmetic.ts";
import type { ComparisonOp, Node } from "../../ast.ts";
import { JqError } from "../../errors.ts";
import type { Meter } from "../../meter.ts";
import { describe } from "../../tojson.ts";
import { compare, equals, isTruthy } from "../../values.ts";
import { go, type Recipe } from "../filter.ts";
import type { Compile, Scope } from "../scope.ts";

export function arithmeticForm(node: Extract<Node, { kind: "arithmetic" }>, scope: Scope, compile: Compile): Recipe {
  const left = compile(node.left, scope);
  const right = compile(node.right, scope);
  const apply = arithmetic[node.op];
  return {
    one: () => {
      const getLeft = left.one;
      const getRight = right.one;
      return (value, env) => {
        const b = getRight(value, env);
        return apply(getLeft(value, env), b, env.run);
      };
    },
    each: () => {
      const lefts = left.each;
      const rights = right.each;
      return (value, env, emit) => rights(value, env, (b) => lefts(value, env, (a) => emit(apply(a, b, env.run))));
    },
  };
}

const comparisons: Record<ComparisonOp, (left: unknown, right: unknown, meter: Meter) => boolean> = {
  "==": equals,
  "!=": (left, right, meter) => !equals(left, right, meter),
  "<": (left, right, meter) => compare(left, right, meter) < 0,
  "<=": (left, right, meter) => compare(left, right, meter) <= 0,
  ">": (left, right, meter) => compare(left, right, meter) > 0,
  ">=": (left, right, meter) => compare(left, right, meter) >= 0,
};

export function comparisonForm(node: Extract<Node, { kind: "comparison" }>, scope: Scope, compile: Compile): Recipe {
  const left = compile(node.left, scope);
  const right = compile(node.right, scope);
  const apply = comparisons[node.op];
  return {
    one: () => {
      const getLeft = left.one;
      const getRight = right.one;
      return (value, env) => {
        const b = getRight(value, env);
        return apply(getLeft(value, env), b, env.run);
      };
    },
    each: () => {
      const lefts = left.each;
      const rights = right.each;
      return (value, env, emit) => rights(value, env, (b) => lefts(value, env, (a) => emit(apply(a, b, env.run))));
    },
  };
}

/** `and` and `or` skip the right side when the left decides. */
export function logicForm(node: Extract<Node, { kind: "and" | "or" }>, scope: Scope, compile: Compile): Recipe {
  const left = compile(node.left, scope);
  const right = compile(node.right, scope);
  const decisive = node.kind === "or";
  return {
    one: () => {
      const getLeft = left.one;
      const getRight = right.one;
      return (value, env) => (isTruthy(getLeft(value, env)) === decisive ? decisive : isTruthy(getRight(value, env)));
    },
    each: () => {
      const lefts = left.each;
      const rights = right.each;
      return (value, env, emit) =>
        lefts(value, env, (a) =>
          isTruthy(a) === decisive ? emit(decisive) : rights(value, env, (b) => emit(isTruthy(b))),
        );
    },
  };
}

export function negateForm(node: Extract<Node, { kind: "negate" }>, scope: Scope, compile: Compile): Recipe {
  const operand = compile(node.operand, scope);
  return {
    one: () => {
      const get = operand.one;
      return (value, env) => negate(get(value, env));
    },
    each: () => {
      const operands = operand.each;
      return (value, env, emit) => operands(value, env, (found) => emit(negate(found)));
    },
  };
}

function negate(value: unknown): number {
  if (typeof value === "number") return -value;
  throw new JqError(`${describe(value)} cannot be negated`);
}

/** `a // b`: the outputs of a that are neither null nor false, or b when there are none. A failure of a is a failure. */
export function alternativeForm(node: Extract<Node, { kind: "alternative" }>, scope: Scope, compile: Compile): Recipe {
  const left = compile(node.left, scope);
  const right = compile(node.right, scope);
  return {
    one: (position) => {
      const getLeft = left.one;
      const getRight = position === "last" ? right.oneTail : right.one;
      return (value, env) => {
        const found = getLeft(value, env);
        return isTruthy(found) ? found : getRight(value, env);
      };
    },
    each: (position) => {
      const lefts = left.each;
      const rights = position === "last" ? right.eachTail : right.each;
      return (value, env, emit) => {
        let isFound = false;
        const signal = lefts(value, env, (found) => {
          if (!isTruthy(found)) return go;
          isFound = true;
          return emit(found);
        });
        return isFound ? signal : rights(value, env, emit);
      };
    },
    paths: () => {
      const lefts = left.paths;
      const rights = right.paths;
      return (path, value, env, emit) => {
        let isFound = false;
        const signal = lefts(path, value, env, (at, found) => {
          if (!isTruthy(found)) return go;
          isFound = true;
          return emit(at, found);
        });
        return isFound ? signal : rights(path, value, env, emit);
      };
    },
  };
}
