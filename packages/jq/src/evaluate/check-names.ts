import type { Node, Pattern } from "../ast.ts";
import { natives } from "../builtins/index.ts";
import { JqSyntaxError } from "../errors.ts";
import { findPrelude } from "./prelude.ts";
import { declare, defineFunction, type Func, findCallee, findLink, type Scope } from "./scope.ts";
import { declarePatterns } from "./single.ts";

/** Fails on the first function, variable or label that is not defined, whether or not it would ever be reached. */
export function checkNames(root: Node, scope: Scope, source: string): void {
  const fail = (what: string, at: number): never => {
    throw new JqSyntaxError(`${what} is not defined`, { source, position: at });
  };

  const checkAll = (nodes: readonly (Node | undefined)[], here: Scope): void => {
    for (const node of nodes) if (node !== undefined) check(node, here);
  };

  const checkPattern = (pattern: Pattern, here: Scope): void => {
    if (pattern.kind === "list") for (const item of pattern.items) checkPattern(item, here);
    if (pattern.kind !== "fields") return;
    for (const field of pattern.fields) {
      check(field.key, here);
      if (field.pattern !== undefined) checkPattern(field.pattern, here);
    }
  };

  const check = (node: Node, here: Scope): void => {
    switch (node.kind) {
      case "identity":
      case "recurse":
      case "literal":
      case "format":
        return;
      case "string":
        return checkAll(
          node.parts.map((part) => (typeof part === "string" ? undefined : part)),
          here,
        );
      case "index":
        return checkAll([node.target, node.key], here);
      case "slice":
        return checkAll([node.target, node.from, node.to], here);
      case "iterate":
        return check(node.target, here);
      case "try":
        return checkAll([node.body, node.handler], here);
      case "negate":
        return check(node.operand, here);
      case "pipe":
      case "comma":
      case "arithmetic":
      case "comparison":
      case "and":
      case "or":
      case "alternative":
        return checkAll([node.left, node.right], here);
      case "assign":
      case "update":
      case "updateWith":
        return checkAll([node.target, node.value], here);
      case "if":
        return checkAll([node.condition, node.then, node.otherwise], here);
      case "reduce":
      case "foreach":
      case "bind":
        return checkBinding(node, here);
      case "define": {
        const inner = defineFunction(here, node.definition);
        check(node.definition.body, functionScope(inner));
        return check(node.body, inner);
      }
      case "call":
        if (!isDefined(node.name, node.args.length, here)) fail(`${node.name}/${node.args.length}`, node.at);
        return checkAll(node.args, here);
      case "variable":
        if (findLink(here, "variable", node.name) === undefined) fail(`$${node.name}`, node.at);
        return;
      case "label":
        return check(node.body, declare(here, { kind: "label", name: node.name }));
      case "break":
        if (findLink(here, "label", node.name) === undefined) fail(`$*label-${node.name}`, node.at);
        return;
      case "array":
        return checkAll([node.body], here);
      case "object":
        return checkAll(
          node.entries.flatMap((entry) => [entry.key, entry.value]),
          here,
        );
    }
  };

  const checkBinding = (node: Extract<Node, { kind: "reduce" | "foreach" | "bind" }>, here: Scope): void => {
    const inner = declarePatterns(here, node.patterns);
    check(node.source, here);
    for (const pattern of node.patterns) checkPattern(pattern, here);
    if (node.kind === "bind") return check(node.body, inner);
    check(node.init, here);
    check(node.update, inner);
    if (node.kind === "foreach") check(node.extract, inner);
  };

  check(root, scope);
}

function isDefined(name: string, arity: number, scope: Scope): boolean {
  if (findCallee(scope, name, arity) !== undefined) return true;
  return natives.has(`${name}/${arity}`) || findPrelude(name, arity) !== undefined;
}

function functionScope(scope: Scope): Scope {
  const func: Func | undefined = scope.name?.kind === "function" ? scope.name.func : undefined;
  return func?.scope ?? scope;
}
