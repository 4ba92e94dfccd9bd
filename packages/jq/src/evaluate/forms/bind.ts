import type { Node } from "../../ast.ts";
import { lost, type Path } from "../../paths.ts";
import type { Run } from "../../run.ts";
import { Draft } from "../../update.ts";
import { type Bind, compilePatterns } from "../destructure.ts";
import { Env } from "../env.ts";
import { type Each, type Filter, go, type Recipe, type Signal } from "../filter.ts";
import { guard } from "../guard.ts";
import { compileEdit } from "../in-place.ts";
import type { Compile, Scope } from "../scope.ts";
import { declarePatterns } from "../single.ts";

export function bindForm(node: Extract<Node, { kind: "bind" }>, scope: Scope, compile: Compile): Recipe {
  const source = compile(node.source, scope);
  const body = compile(node.body, declarePatterns(scope, node.patterns));
  const binder = compilePatterns(node.patterns, scope, compile);
  const { bindOne, alternatives } = binder;
  return {
    one: (position) => {
      const getSource = source.one;
      const run = position === "last" ? body.oneTail : body.one;
      if (bindOne === undefined) throw new TypeError("Expected a single pattern");
      return (value, env) => run(value, bindOne(getSource(value, env), env));
    },
    each: (position) => {
      if (bindOne === undefined) return eachAlternative(source.each, alternatives, body.each);
      if (source.isSingle) {
        const getSource = source.one;
        const run = position === "last" ? body.eachTail : body.each;
        return (value, env, emit) => run(value, bindOne(getSource(value, env), env), emit);
      }
      const sources = source.each;
      const run = body.each;
      return (value, env, emit) => sources(value, env, (found) => run(value, bindOne(found, env), emit));
    },
    paths: () => {
      const sources = source.each;
      const run = body.paths;
      return (path, value, env, emit) =>
        sources(value, env, (found) =>
          tryInTurn({
            run: env.run,
            alternatives,
            emit,
            attempt: (bind, pass) => bind(found, env, (inner) => run(path, value, inner, pass)),
          }),
        );
    },
  };
}

function eachAlternative(sources: Each, alternatives: readonly Bind[], body: Each): Each {
  return (value, env, emit) =>
    sources(value, env, (found) =>
      tryInTurn({
        run: env.run,
        alternatives,
        emit,
        attempt: (bind, pass) => bind(found, env, (inner) => body(value, inner, pass)),
      }),
    );
}

type Attempts<Output extends unknown[]> = {
  readonly run: Run;
  readonly alternatives: readonly Bind[];
  readonly emit: (...output: Output) => Signal;
  readonly attempt: (bind: Bind, emit: (...output: Output) => Signal) => Signal;
};

/** `?//`: when an alternative fails, in its pattern or in the body, the next one is tried; the last may fail. */
function tryInTurn<Output extends unknown[]>({ run, alternatives, emit, attempt }: Attempts<Output>): Signal {
  const from = (at: number): Signal => {
    const bind = alternatives[at];
    if (bind === undefined) return go;
    if (at === alternatives.length - 1) return attempt(bind, emit);
    return guard({ run, emit, body: (pass) => attempt(bind, pass), recover: () => from(at + 1) });
  };
  return from(0);
}

type Step = (state: unknown, env: Env) => unknown;

/** The state after one update: its last output, or null when it has none. */
function lastOutput(update: Filter): Step {
  if (update.isSingle) return update.one;
  const updates = update.each;
  return (state, env) => {
    let next: unknown = null;
    updates(state, env, (output) => {
      next = output;
      return go;
    });
    return next;
  };
}

export function reduceForm(node: Extract<Node, { kind: "reduce" }>, scope: Scope, compile: Compile): Recipe {
  const source = compile(node.source, scope);
  const init = compile(node.init, scope);
  const update = compile(node.update, declarePatterns(scope, node.patterns));
  const { bindOne, alternatives } = compilePatterns(node.patterns, scope, compile);

  const makeLoop = (): ((value: unknown, env: Env, start: unknown) => unknown) => {
    const sources = source.each;
    const edit = compileEdit(node.update, declarePatterns(scope, node.patterns), compile);
    if (edit !== undefined && bindOne !== undefined) {
      return (value, env, start) => {
        const state = new Draft(start, env.run);
        sources(value, env, (found) => {
          env.run.step();
          edit(state, bindOne(found, env));
          return go;
        });
        return state.result;
      };
    }
    const advance = lastOutput(update);
    return (value, env, start) => {
      let state = start;
      sources(value, env, (found) => {
        env.run.step();
        if (bindOne !== undefined) {
          state = advance(state, bindOne(found, env));
          return go;
        }
        return tryInTurn({
          run: env.run,
          alternatives,
          emit: () => go,
          attempt: (bind) =>
            bind(found, env, (inner) => {
              state = advance(state, inner);
              return go;
            }),
        });
      });
      return state;
    };
  };
  return {
    one: () => {
      const getInit = init.one;
      const loop = makeLoop();
      return (value, env) => loop(value, env, getInit(value, env));
    },
    each: () => {
      const inits = init.each;
      const loop = makeLoop();
      return (value, env, emit) => inits(value, env, (start) => emit(loop(value, env, start)));
    },
    paths: () => reducePaths(node, scope, compile),
  };
}

/** The state carries its path along, so `reduce ("a", "b") as $k (.; .[$k])` is a path like any other. */
function reducePaths(
  node: Extract<Node, { kind: "reduce" }>,
  scope: Scope,
  compile: Compile,
): ReturnType<NonNullable<Recipe["paths"]>> {
  const sources = compile(node.source, scope).each;
  const inits = compile(node.init, scope).paths;
  const update = compile(node.update, declarePatterns(scope, node.patterns)).paths;
  const { alternatives } = compilePatterns(node.patterns, scope, compile);
  return (path, value, env, emit) =>
    inits(path, value, env, (startPath, start) => {
      let at: Path = startPath;
      let state = start;
      sources(value, env, (found) =>
        tryInTurn({
          run: env.run,
          alternatives,
          emit: () => go,
          attempt: (bind) =>
            bind(found, env, (inner) => {
              env.run.step();
              const [from, input] = [at, state];
              at = lost;
              state = null;
              return update(from, input, inner, (nextPath, next) => {
                at = nextPath;
                state = next;
                return go;
              });
            }),
        }),
      );
      return emit(at, state);
    });
}

export function foreachForm(node: Extract<Node, { kind: "foreach" }>, scope: Scope, compile: Compile): Recipe {
  const inner = declarePatterns(scope, node.patterns);
  const source = compile(node.source, scope);
  const init = compile(node.init, scope);
  const update = compile(node.update, inner);
  const extract = compile(node.extract, inner);
  const { alternatives } = compilePatterns(node.patterns, scope, compile);
  return {
    each: () => {
      const sources = source.each;
      const updates = update.each;
      const extracts = extract.each;
      return (value, env, emit) =>
        init.each(value, env, (start) => {
          let state = start;
          return sources(value, env, (found) =>
            tryInTurn({
              run: env.run,
              alternatives,
              emit,
              attempt: (bind, pass) =>
                bind(found, env, (bound) => {
                  env.run.step();
                  const input = state;
                  state = null;
                  return updates(input, bound, (next) => {
                    state = next;
                    return extracts(next, bound, pass);
                  });
                }),
            }),
          );
        });
    },
    paths: () => {
      const sources = source.paths;
      const updates = update.paths;
      const extracts = extract.paths;
      return (path, value, env, emit) =>
        init.paths(path, value, env, (startPath, start) => {
          let at: Path = startPath;
          let state = start;
          return sources(path, value, env, (foundPath, found) =>
            tryInTurn({
              run: env.run,
              alternatives,
              emit,
              attempt: (bind, pass) =>
                bind(found, env, (bound) => {
                  env.run.step();
                  const [from, input] = [at, state];
                  const inner = withPath(bound, found, foundPath);
                  state = null;
                  at = lost;
                  return updates(from, input, inner, (nextPath, next) => {
                    at = nextPath;
                    state = next;
                    return extracts(nextPath, next, inner, pass);
                  });
                }),
            }),
          );
        });
    },
  };
}

/** Notes where the loop variable came from, when it is bound to the source's output as a whole. */
function withPath(bound: Env, found: unknown, path: Path): Env {
  return Object.is(bound.value, found) ? new Env(bound.run, bound.parent, found, path) : bound;
}
