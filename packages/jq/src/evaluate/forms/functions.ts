import type { Node } from "../../ast.ts";
import { natives } from "../../builtins/index.ts";
import { product } from "../../builtins/native.ts";
import { Closure, closureAt, type Env, up } from "../env.ts";
import { EachTailCall, type Filter, OneTailCall, type Recipe, type Signal } from "../filter.ts";
import { findPrelude } from "../prelude.ts";
import { type Compile, defineFunction, type Func, findCallee, type Scope } from "../scope.ts";

export function defineForm(node: Extract<Node, { kind: "define" }>, scope: Scope, compile: Compile): Recipe {
  const body = compile(node.body, defineFunction(scope, node.definition));
  return {
    one: (position) => (position === "last" ? body.oneTail : body.one),
    each: (position) => (position === "last" ? body.eachTail : body.each),
    paths: () => body.paths,
  };
}

type Call = Extract<Node, { kind: "call" }>;

export function callForm(node: Call, scope: Scope, compile: Compile): Recipe {
  const callee = findCallee(scope, node.name, node.args.length);
  if (callee?.kind === "parameter") return parameterForm(callee.hops);
  if (callee !== undefined) return functionForm(callee, node, { scope, compile });
  const native = natives.get(`${node.name}/${node.args.length}`);
  if (native !== undefined) return native.build(node.args.map((arg) => compile(arg, scope)));
  const prelude = findPrelude(node.name, node.args.length);
  if (prelude === undefined) throw new TypeError(`Expected ${node.name} to be defined`);
  return functionForm({ func: prelude, hops: scope.depth }, node, { scope, compile });
}

function parameterForm(hops: number): Recipe {
  return {
    each: () => (value, env, emit) => {
      const { filter, env: outer } = closureAt(env, hops);
      env.run.step();
      return filter.isSingle ? emit(filter.one(value, outer)) : filter.each(value, outer, emit);
    },
    paths: () => (path, value, env, emit) => {
      const { filter, env: outer } = closureAt(env, hops);
      env.run.step();
      return filter.paths(path, value, outer, emit);
    },
  };
}

type Target = { readonly func: Func; readonly hops: number };
type Place = { readonly scope: Scope; readonly compile: Compile };

function functionForm({ func, hops }: Target, node: Call, { scope, compile }: Place): Recipe {
  const closures = node.args.map((arg) => closureMaker(arg, scope, compile));
  const values = node.args.filter((_, i) => func.definition.params[i]?.isValue).map((arg) => compile(arg, scope));
  const bindClosures = (env: Env): Env => {
    let inner = up(env, hops);
    // Closures can refer to one another without end, so each is paid for as memory, not only as a step.
    for (const make of closures) {
      env.run.allocate(closureCost);
      inner = inner.bind(make(env));
    }
    return inner;
  };
  const eachEnv = eachArguments(values, bindClosures);
  return {
    one: (position) => {
      const ones = values.map((value) => value.one);
      const bind = (value: unknown, env: Env): Env => {
        let inner = bindClosures(env);
        for (const one of ones) inner = inner.bind(one(value, env));
        return inner;
      };
      if (position === "last")
        return (value, env) => new OneTailCall(func.body(compile).oneTail, value, bind(value, env));
      return (value, env) => runOne(func.body(compile), value, bind(value, env));
    },
    each: (position) => {
      if (position === "last" && values.length === 0) {
        return (value, env) => new EachTailCall(func.body(compile).eachTail, value, bindClosures(env));
      }
      if (position === "last" && values.every((value) => value.isSingle)) {
        const ones = values.map((value) => value.one);
        return (value, env) => {
          let inner = bindClosures(env);
          for (const one of ones) inner = inner.bind(one(value, env));
          return new EachTailCall(func.body(compile).eachTail, value, inner);
        };
      }
      return (value, env, emit) => eachEnv(value, env, (inner) => runEach(func.body(compile), value, inner, emit));
    },
    paths: () => (path, value, env, emit) =>
      eachEnv(value, env, (inner) => {
        const { run } = env;
        run.enter();
        const signal = func.body(compile).paths(path, value, inner, emit);
        run.depth -= 1;
        return signal;
      }),
  };
}

const closureCost = 4;

/** A parameter handed on as it is keeps its closure: wrapping it again at every level would make recursion quadratic. */
function closureMaker(arg: Node, scope: Scope, compile: Compile): (env: Env) => Closure {
  const callee = arg.kind === "call" ? findCallee(scope, arg.name, arg.args.length) : undefined;
  if (callee?.kind === "parameter") return (env) => closureAt(env, callee.hops);
  const filter = compile(arg, scope);
  return (env) => new Closure(filter, env);
}

type EachEnv = (value: unknown, env: Env, body: (inner: Env) => Signal) => Signal;

/** Calls `body` once for each combination of the `$name` arguments' outputs; the first argument varies slowest. */
function eachArguments(values: readonly Filter[], bindClosures: (env: Env) => Env): EachEnv {
  if (values.length === 0) return (_value, env, body) => body(bindClosures(env));
  return (value, env, body) =>
    product(values, "firstSlowest")(value, env, (outputs) => {
      let inner = bindClosures(env);
      for (const output of outputs) inner = inner.bind(output);
      return body(inner);
    });
}

function runOne(body: Filter, value: unknown, env: Env): unknown {
  const { run } = env;
  run.enter();
  let result = body.oneTail(value, env);
  while (result instanceof OneTailCall) {
    run.step();
    result = result.code(result.value, result.env);
  }
  run.depth -= 1;
  return result;
}

function runEach(body: Filter, value: unknown, env: Env, emit: (value: unknown) => Signal): Signal {
  const { run } = env;
  run.enter();
  let signal = body.eachTail(value, env, emit);
  while (signal instanceof EachTailCall) {
    run.step();
    signal = signal.code(signal.value, signal.env, emit);
  }
  run.depth -= 1;
  return signal;
}
