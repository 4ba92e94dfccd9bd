import type { Node } from "../ast.ts";
import { preludeSource } from "../builtins/prelude.ts";
import { parse } from "../parser.ts";
import { emptyScope, Func } from "./scope.ts";

let functions: ReadonlyMap<string, Func> | undefined;

/** A builtin written in jq. Parsed at first use and shared by all programs: it closes over nothing of theirs. */
export function findPrelude(name: string, arity: number): Func | undefined {
  functions ??= loadPrelude();
  return functions.get(`${name}/${arity}`);
}

function loadPrelude(): ReadonlyMap<string, Func> {
  const loaded = new Map<string, Func>();
  const scope = emptyScope();
  for (let node: Node = parse(preludeSource); node.kind === "define"; node = node.body) {
    const { definition } = node;
    loaded.set(`${definition.name}/${definition.params.length}`, new Func(definition, scope));
  }
  return loaded;
}
