import { getAt } from "../access.ts";
import type { Pattern, Patterns } from "../ast.ts";
import type { Env } from "./env.ts";
import type { Signal } from "./filter.ts";
import type { Compile, Scope } from "./scope.ts";
import { arePlainPatterns, variablesOf } from "./single.ts";

/** How `as` patterns bind. `bindOne` is there when a value can be bound in exactly one way. */
export type Binder = {
  readonly bindOne: ((value: unknown, env: Env) => Env) | undefined;
  /** One function for each `?//` alternative; each calls `body` for every way its pattern binds the value. */
  readonly alternatives: readonly Bind[];
};
export type Bind = (value: unknown, env: Env, body: (env: Env) => Signal) => Signal;

export function compilePatterns(patterns: Patterns, scope: Scope, compile: Compile): Binder {
  const [first] = patterns;
  if (patterns.length === 1 && first.kind === "name") {
    return { bindOne: (value, env) => env.bind(value), alternatives: [(value, env, body) => body(env.bind(value))] };
  }
  const context = { names: variablesOf(patterns), scope, compile };
  const alternatives = patterns.map((pattern): Bind => {
    const fill = compileEachFill(pattern, context);
    return (value, env, body) => {
      const slots: unknown[] = context.names.map(() => null);
      return fill(value, env, slots, () => body(bindAll(env, slots)));
    };
  });
  if (!arePlainPatterns(patterns, scope)) return { bindOne: undefined, alternatives };
  const fill = compileFill(first, context);
  const bindOne = (value: unknown, env: Env): Env => {
    const slots: unknown[] = context.names.map(() => null);
    fill(value, env, slots);
    return bindAll(env, slots);
  };
  return { bindOne, alternatives };
}

type Context = { readonly names: readonly string[]; readonly scope: Scope; readonly compile: Compile };
type Fill = (value: unknown, env: Env, slots: unknown[]) => void;
type EachFill = (value: unknown, env: Env, slots: unknown[], done: () => Signal) => Signal;

const bindAll = (env: Env, values: readonly unknown[]): Env =>
  values.reduce<Env>((link, value) => link.bind(value), env);

function compileFill(pattern: Pattern, context: Context): Fill {
  if (pattern.kind === "name") {
    const slot = context.names.indexOf(pattern.name);
    return (value, _env, slots) => {
      slots[slot] = value;
    };
  }
  if (pattern.kind === "list") {
    const fills = pattern.items.map((item) => compileFill(item, context));
    return (value, env, slots) => {
      for (const [i, fill] of fills.entries()) fill(getAt(value, i, env.run), env, slots);
    };
  }
  const fields = pattern.fields.map((field) => ({
    getKey: context.compile(field.key, context.scope).one,
    slot: field.bind === undefined ? -1 : context.names.indexOf(field.bind),
    fill: field.pattern === undefined ? undefined : compileFill(field.pattern, context),
  }));
  return (value, env, slots) => {
    for (const { getKey, slot, fill } of fields) {
      const found = getAt(value, getKey(value, env), env.run);
      if (slot >= 0) slots[slot] = found;
      fill?.(found, env, slots);
    }
  };
}

/** As compileFill for patterns whose computed keys may have several outputs, each giving a binding of its own. */
function compileEachFill(pattern: Pattern, context: Context): EachFill {
  if (pattern.kind === "name") {
    const slot = context.names.indexOf(pattern.name);
    return (value, _env, slots, done) => {
      slots[slot] = value;
      return done();
    };
  }
  if (pattern.kind === "list") {
    return chain(
      pattern.items.map((item, i) => {
        const fill = compileEachFill(item, context);
        return (value, env, slots, done) => fill(getAt(value, i, env.run), env, slots, done);
      }),
    );
  }
  return chain(
    pattern.fields.map((field) => {
      const key = context.compile(field.key, context.scope);
      const slot = field.bind === undefined ? -1 : context.names.indexOf(field.bind);
      const fill = field.pattern === undefined ? undefined : compileEachFill(field.pattern, context);
      return (value, env, slots, done) =>
        key.each(value, env, (wanted) => {
          const found = getAt(value, wanted, env.run);
          if (slot >= 0) slots[slot] = found;
          return fill === undefined ? done() : fill(found, env, slots, done);
        });
    }),
  );
}

function chain(fills: readonly EachFill[]): EachFill {
  return (value, env, slots, done) => {
    const from = (at: number): Signal => {
      const fill = fills[at];
      return fill === undefined ? done() : fill(value, env, slots, () => from(at + 1));
    };
    return from(0);
  };
}
