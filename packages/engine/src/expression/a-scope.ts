import type { Json, JsonObject } from "../json.ts";
import { RawJson } from "./raw-json.ts";
import type { Lazy, Node, Scope } from "./scope.ts";

/** A scope for tests over these roots. */
export function aScope(
  roots: { readonly [name: string]: Node },
  options: {
    readonly missing?: "parent" | "null";
    readonly constants?: { readonly [name: string]: string };
    readonly environment?: JsonObject;
  } = {},
): Scope {
  const { missing = "parent", constants = {}, environment = {} } = options;
  return {
    root: (name) => (Object.hasOwn(roots, name) ? roots[name] : undefined),
    constant: (name) => constants[name],
    environment: (name) => environment[name],
    missing,
  };
}

/** A lazy node for tests; `asked` lists the keys fetched and "*" for a use as a whole. */
export function aLazy(members: { readonly [key: string]: Node }, asked: string[] = []): Lazy {
  return {
    lazy: true,
    get: (key) => {
      asked.push(key);
      return Object.hasOwn(members, key) ? members[key] : undefined;
    },
    whole: () => {
      asked.push("*");
      return JSON.parse(JSON.stringify(members)) as Json;
    },
  };
}

/** A payload as the store holds it. */
export function stored(value: Json): RawJson {
  return new RawJson(JSON.stringify(value));
}
