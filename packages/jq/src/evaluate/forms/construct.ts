import type { Node } from "../../ast.ts";
import { applyFormat } from "../../builtins/formats.ts";
import { evaluateAll, product } from "../../builtins/native.ts";
import { JqError } from "../../errors.ts";
import { pathOfResult } from "../../paths.ts";
import { describe } from "../../tojson.ts";
import { type JsonObject, setKey } from "../../values.ts";
import { type Env, up } from "../env.ts";
import { type Filter, go, type One, type Recipe } from "../filter.ts";
import { type Compile, findLink, type Scope } from "../scope.ts";

export function literalForm(node: Extract<Node, { kind: "literal" }>): Recipe {
  const { value } = node;
  return { one: () => () => value };
}

export function variableForm(node: Extract<Node, { kind: "variable" }>, scope: Scope): Recipe {
  const hops = findLink(scope, "variable", node.name) ?? 0;
  return {
    one: () => {
      if (hops === 0) return (_value, env) => env.value;
      return (_value, env) => up(env, hops).value;
    },
    paths: () => (path, value, env, emit) => {
      const link = up(env, hops);
      return emit(link.path === undefined ? pathOfResult(path, value, link.value) : link.path, link.value);
    },
  };
}

export function formatForm(node: Extract<Node, { kind: "format" }>): Recipe {
  return { one: () => (value, env) => applyFormat(node.format, value, env.run) };
}

export function stringForm(node: Extract<Node, { kind: "string" }>, scope: Scope, compile: Compile): Recipe {
  const { format } = node;
  const filters: Filter[] = [];
  const parts = node.parts.map((part) => {
    if (typeof part === "string") return part;
    filters.push(compile(part, scope));
    return filters.length - 1;
  });
  const join = (values: readonly unknown[], env: Env): string => {
    let text = "";
    let longest = 0;
    for (const part of parts) {
      const piece = typeof part === "string" ? part : applyFormat(format, values[part], env.run);
      longest = Math.max(longest, piece.length);
      text += piece;
    }
    env.run.checkString(text.length);
    env.run.chargeText(text.length - longest);
    return text;
  };
  return {
    one: () => {
      const values = evaluateAll(filters);
      return (value, env) => join(values(value, env), env);
    },
    each: () => {
      const outputs = product(filters, "lastSlowest");
      return (value, env, emit) => outputs(value, env, (values) => emit(join(values, env)));
    },
  };
}

export function arrayForm(node: Extract<Node, { kind: "array" }>, scope: Scope, compile: Compile): Recipe {
  if (node.body === undefined) return { one: () => () => [] };
  const body = compile(node.body, scope);
  return {
    one: () => {
      if (body.isSingle) {
        const one = body.one;
        return (value, env) => [one(value, env)];
      }
      const each = body.each;
      return (value, env) => {
        const items: unknown[] = [];
        each(value, env, (item) => {
          env.run.step();
          items.push(item);
          return go;
        });
        return items;
      };
    },
  };
}

export function objectForm(node: Extract<Node, { kind: "object" }>, scope: Scope, compile: Compile): Recipe {
  const entries = node.entries.map((entry) => ({
    key: compile(entry.key, scope),
    value: compile(entry.value, scope),
    name: entry.key.kind === "literal" ? entry.key.value : undefined,
  }));
  return {
    one: () => {
      const writers = entries.map(({ key, value, name }) => entryWriter(key, value, name));
      return (value, env) => {
        const object: JsonObject = {};
        for (const write of writers) write(object, value, env);
        return object;
      };
    },
    each: () => {
      const filters = entries.flatMap(({ key, value }) => [key, value]);
      const outputs = product(filters, "firstSlowest");
      return (value, env, emit) =>
        outputs(value, env, (values) => {
          const object: JsonObject = {};
          for (let i = 0; i < values.length; i += 2) setKey(object, requireKey(values[i], env), values[i + 1]);
          return emit(object);
        });
    },
  };
}

function entryWriter(
  key: Filter,
  value: Filter,
  name: unknown,
): (object: JsonObject, input: unknown, env: Env) => void {
  const getValue: One = value.one;
  if (typeof name === "string" && name !== "__proto__") {
    return (object, input, env) => {
      object[name] = getValue(input, env);
    };
  }
  const getKey: One = key.one;
  return (object, input, env) => setKey(object, requireKey(getKey(input, env), env), getValue(input, env));
}

function requireKey(key: unknown, env: Env): string {
  if (typeof key !== "string") throw new JqError(`Cannot use ${describe(key)} as object key`);
  env.run.chargeText(key.length);
  return key;
}
