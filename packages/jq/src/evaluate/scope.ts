import type { Definition, Node } from "../ast.ts";
import type { Filter } from "./filter.ts";

/**
 * What names mean while a program is compiled. `depth` counts the links the environment will have at this point;
 * a definition adds a name but no link, because its body runs in the environment it was written in.
 */
export type Scope = {
  readonly parent: Scope | undefined;
  readonly depth: number;
  readonly name: Name | undefined;
  /** Shared by all scopes of one program; see single.ts. */
  readonly analysis: Analysis;
};

/** Functions found single while a caller of theirs was only assumed to be, and how many analyses are under way. */
export type Analysis = { readonly assumed: Func[]; underWay: number };

export type Name =
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "label"; readonly name: string }
  | { readonly kind: "parameter"; readonly name: string }
  | { readonly kind: "function"; readonly func: Func };

/** A function defined in a program (or in the prelude). Compiled when first called. */
export class Func {
  readonly definition: Definition;
  readonly scope: Scope;
  /** Unknown until analysed; see single.ts. */
  isSingle: boolean | undefined;
  isUnderAnalysis = false;
  #body: Filter | undefined;

  constructor(definition: Definition, outer: Scope) {
    this.definition = definition;
    let scope: Scope = { ...outer, parent: outer, name: { kind: "function", func: this } };
    for (const param of definition.params) {
      scope = declare(scope, { kind: "parameter", name: param.name });
    }
    for (const param of definition.params) {
      if (param.isValue) scope = declare(scope, { kind: "variable", name: param.name });
    }
    this.scope = scope;
  }

  /** The depth of the environment the function was written in. */
  get outerDepth(): number {
    const links = this.definition.params.reduce((sum, param) => sum + (param.isValue ? 2 : 1), 0);
    return this.scope.depth - links;
  }

  body(compile: Compile): Filter {
    this.#body ??= compile(this.definition.body, this.scope);
    return this.#body;
  }
}

export type Compile = (node: Node, scope: Scope) => Filter;

export function emptyScope(): Scope {
  return { parent: undefined, depth: 0, name: undefined, analysis: { assumed: [], underWay: 0 } };
}

export function declare(parent: Scope, name: Name): Scope {
  return { parent, depth: parent.depth + 1, name, analysis: parent.analysis };
}

export function defineFunction(outer: Scope, definition: Definition): Scope {
  return { ...outer, parent: outer, name: { kind: "function", func: new Func(definition, outer) } };
}

/** How many links up the chain a variable or label is, or undefined when it is not defined. */
export function findLink(scope: Scope, kind: "variable" | "label", name: string): number | undefined {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
    if (at.name?.kind === kind && at.name.name === name) return scope.depth - at.depth;
  }
  return undefined;
}

export type Callee =
  | { readonly kind: "parameter"; readonly hops: number }
  | { readonly kind: "function"; readonly func: Func; readonly hops: number };

export function findCallee(scope: Scope, name: string, arity: number): Callee | undefined {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
    const entry = at.name;
    if (entry?.kind === "parameter" && arity === 0 && entry.name === name) {
      return { kind: "parameter", hops: scope.depth - at.depth };
    }
    if (entry?.kind !== "function") continue;
    const { func } = entry;
    if (func.definition.name === name && func.definition.params.length === arity) {
      return { kind: "function", func, hops: scope.depth - func.outerDepth };
    }
  }
  return undefined;
}
