import type { Node } from "../../ast.ts";
import { lost } from "../../paths.ts";
import { isArray, isObject, isTruthy } from "../../values.ts";
import { closureAt, up } from "../env.ts";
import { type Each, go, type Recipe, stop } from "../filter.ts";
import { costOfError, guard, isCatchable } from "../guard.ts";
import { type Compile, declare, findCallee, findLink, type Scope } from "../scope.ts";
import { fieldGetter, iterate } from "./access.ts";

export function pipeForm(node: Extract<Node, { kind: "pipe" }>, scope: Scope, compile: Compile): Recipe {
  const left = compile(node.left, scope);
  const right = compile(node.right, scope);
  return {
    one: (position) => {
      const first = left.one;
      const second = position === "last" ? right.oneTail : right.one;
      return (value, env) => second(first(value, env), env);
    },
    each: (position) => {
      const last = position === "last" ? right.eachTail : right.each;
      if (left.isSingle) {
        const first = left.one;
        return (value, env, emit) => last(first(value, env), env, emit);
      }
      const hops = parameterHops(node.left, scope);
      if (position === "last" && hops !== undefined) return pipeFromParameter(hops, right.each, last);
      const firsts = left.each;
      if (right.isSingle) {
        const second = right.one;
        return (value, env, emit) => firsts(value, env, (found) => emit(second(found, env)));
      }
      const seconds = right.each;
      return (value, env, emit) => firsts(value, env, (found) => seconds(found, env, emit));
    },
    paths: () => {
      const firsts = left.paths;
      const seconds = right.paths;
      return (path, value, env, emit) => firsts(path, value, env, (at, found) => seconds(at, found, env, emit));
    },
  };
}

function parameterHops(node: Node, scope: Scope): number | undefined {
  const callee = node.kind === "call" ? findCallee(scope, node.name, node.args.length) : undefined;
  return callee?.kind === "parameter" ? callee.hops : undefined;
}

/**
 * In `def f(g): ... g | f(g)` only the run tells whether g is single. If it is, the right side is the last step of the
 * body after all, and the recursion needs no stack. The same goes for a condition that is a parameter.
 */
function pipeFromParameter(hops: number, right: Each, rightTail: Each): Each {
  return (value, env, emit) => {
    const closure = closureAt(env, hops);
    env.run.step();
    if (closure.filter.isSingle) return rightTail(closure.filter.one(value, closure.env), env, emit);
    return closure.filter.each(value, closure.env, (found) => right(found, env, emit));
  };
}

export function commaForm(node: Extract<Node, { kind: "comma" }>, scope: Scope, compile: Compile): Recipe {
  const left = compile(node.left, scope);
  const right = compile(node.right, scope);
  return {
    each: (position) => {
      const firsts = left.each;
      const seconds = position === "last" ? right.eachTail : right.each;
      return (value, env, emit) => (firsts(value, env, emit) === stop ? stop : seconds(value, env, emit));
    },
    paths: () => {
      const firsts = left.paths;
      const seconds = right.paths;
      return (path, value, env, emit) =>
        firsts(path, value, env, emit) === stop ? stop : seconds(path, value, env, emit);
    },
  };
}

export function ifForm(node: Extract<Node, { kind: "if" }>, scope: Scope, compile: Compile): Recipe {
  const condition = compile(node.condition, scope);
  const then = compile(node.then, scope);
  const otherwise = compile(node.otherwise, scope);
  return {
    one: (position) => {
      const test = condition.one;
      const yes = position === "last" ? then.oneTail : then.one;
      const no = position === "last" ? otherwise.oneTail : otherwise.one;
      return (value, env) => (isTruthy(test(value, env)) ? yes(value, env) : no(value, env));
    },
    each: (position) => {
      if (condition.isSingle) {
        const test = condition.one;
        const yes = position === "last" ? then.eachTail : then.each;
        const no = position === "last" ? otherwise.eachTail : otherwise.each;
        return (value, env, emit) => (isTruthy(test(value, env)) ? yes(value, env, emit) : no(value, env, emit));
      }
      const tests = condition.each;
      const yes = then.each;
      const no = otherwise.each;
      const many: Each = (value, env, emit) =>
        tests(value, env, (found) => (isTruthy(found) ? yes(value, env, emit) : no(value, env, emit)));
      const hops = parameterHops(node.condition, scope);
      if (position === "inner" || hops === undefined) return many;
      const yesTail = then.eachTail;
      const noTail = otherwise.eachTail;
      return (value, env, emit) => {
        const closure = closureAt(env, hops);
        env.run.step();
        if (!closure.filter.isSingle) return many(value, env, emit);
        const holds = isTruthy(closure.filter.one(value, closure.env));
        return holds ? yesTail(value, env, emit) : noTail(value, env, emit);
      };
    },
    paths: () => {
      const tests = condition.each;
      const yes = then.paths;
      const no = otherwise.paths;
      return (path, value, env, emit) =>
        tests(value, env, (found) => (isTruthy(found) ? yes(path, value, env, emit) : no(path, value, env, emit)));
    },
  };
}

export function tryForm(node: Extract<Node, { kind: "try" }>, scope: Scope, compile: Compile): Recipe {
  const body = compile(node.body, scope);
  const handler = node.handler === undefined ? undefined : compile(node.handler, scope);
  return {
    one: () => {
      const attempt = body.one;
      const recover = handler?.one;
      return (value, env) => {
        const { depth } = env.run;
        try {
          return attempt(value, env);
        } catch (error) {
          if (recover === undefined || !isCatchable(error)) throw error;
          env.run.depth = depth;
          env.run.charge(costOfError);
          return recover(error.value, env);
        }
      };
    },
    each: () => {
      const quick = handler === undefined ? quietAccess(node.body) : undefined;
      if (quick !== undefined) return quick;
      const attempt = body.each;
      const recover = handler?.each;
      return (value, env, emit) =>
        guard({
          run: env.run,
          emit,
          body: (pass) => attempt(value, env, pass),
          recover: (error) => (recover === undefined ? go : recover(error.value, env, emit)),
        });
    },
    paths: () => {
      const attempt = body.paths;
      const recover = handler?.paths;
      return (path, value, env, emit) =>
        guard({
          run: env.run,
          emit,
          body: (pass) => attempt(path, value, env, pass),
          recover: (error) => (recover === undefined ? go : recover(lost, error.value, env, emit)),
        });
    },
  };
}

/** `.a?` and `.[]?` on a value of the wrong kind are everyday cases: they test the kind instead of throwing. */
function quietAccess(body: Node): Each | undefined {
  if (body.kind === "iterate" && body.target.kind === "identity") {
    return (value, env, emit) => (isArray(value) || isObject(value) ? iterate(value, env, emit) : go);
  }
  if (body.kind !== "index" || body.target.kind !== "identity" || body.key.kind !== "literal") return undefined;
  if (typeof body.key.value !== "string") return undefined;
  const getField = fieldGetter(body.key.value);
  return (value, env, emit) => (isObject(value) || value === null ? emit(getField(value, env)) : go);
}

/** Leaves everything up to its label. Not a jq error: `try` does not see it. */
class BreakSignal extends Error {
  readonly label: unknown;

  constructor(label: unknown) {
    super("break outside its label");
    this.label = label;
  }
}

export function labelForm(node: Extract<Node, { kind: "label" }>, scope: Scope, compile: Compile): Recipe {
  const body = compile(node.body, declare(scope, { kind: "label", name: node.name }));
  return {
    each: () => {
      const run = body.each;
      return (value, env, emit) => {
        const { depth } = env.run;
        const label = {};
        try {
          return run(value, env.bind(label), emit);
        } catch (error) {
          if (!(error instanceof BreakSignal) || error.label !== label) throw error;
          env.run.depth = depth;
          return go;
        }
      };
    },
    paths: () => {
      const run = body.paths;
      return (path, value, env, emit) => {
        const { depth } = env.run;
        const label = {};
        try {
          return run(path, value, env.bind(label), emit);
        } catch (error) {
          if (!(error instanceof BreakSignal) || error.label !== label) throw error;
          env.run.depth = depth;
          return go;
        }
      };
    },
  };
}

export function breakForm(node: Extract<Node, { kind: "break" }>, scope: Scope): Recipe {
  const hops = findLink(scope, "label", node.name) ?? 0;
  return {
    each: () => (_value, env) => {
      throw new BreakSignal(up(env, hops).value);
    },
  };
}
