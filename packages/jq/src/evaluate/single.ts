import type { Node, Patterns } from "../ast.ts";
import { natives } from "../builtins/index.ts";
import { findPrelude } from "./prelude.ts";
import { declare, defineFunction, type Func, findCallee, type Scope } from "./scope.ts";

/** Whether a filter gives exactly one output on every input (or fails, or never ends). */
export function isSingle(node: Node, scope: Scope): boolean {
  switch (node.kind) {
    case "identity":
    case "literal":
    case "format":
    case "variable":
    case "array":
      return true;
    case "recurse":
    case "iterate":
    case "comma":
    case "label":
    case "break":
    case "foreach":
      return false;
    case "string":
      return node.parts.every((part) => typeof part === "string" || isSingle(part, scope));
    case "index":
      return isSingle(node.target, scope) && isSingle(node.key, scope);
    case "slice":
      return [node.target, node.from, node.to].every((part) => part === undefined || isSingle(part, scope));
    case "try":
      return node.handler !== undefined && isSingle(node.body, scope) && isSingle(node.handler, scope);
    case "negate":
      return isSingle(node.operand, scope);
    case "pipe":
    case "alternative":
    case "arithmetic":
    case "comparison":
    case "and":
    case "or":
      return isSingle(node.left, scope) && isSingle(node.right, scope);
    case "update":
      return true;
    case "assign":
    case "updateWith":
      return isSingle(node.value, scope);
    case "if":
      return isSingle(node.condition, scope) && isSingle(node.then, scope) && isSingle(node.otherwise, scope);
    case "reduce":
      return isSingle(node.init, scope);
    case "bind":
      return (
        isSingle(node.source, scope) &&
        arePlainPatterns(node.patterns, scope) &&
        isSingle(node.body, declarePatterns(scope, node.patterns))
      );
    case "define":
      return isSingle(node.body, defineFunction(scope, node.definition));
    case "object":
      return node.entries.every((entry) => isSingle(entry.key, scope) && isSingle(entry.value, scope));
    case "call":
      return isSingleCall(node, scope);
  }
}

function isSingleCall(node: Extract<Node, { kind: "call" }>, scope: Scope): boolean {
  const callee = findCallee(scope, node.name, node.args.length);
  if (callee?.kind === "parameter") return false;
  const native = callee === undefined ? natives.get(`${node.name}/${node.args.length}`) : undefined;
  if (native !== undefined) return native.isSingle(node.args.map((arg) => isSingle(arg, scope)));
  const func = callee?.func ?? findPrelude(node.name, node.args.length);
  if (func === undefined) return true;
  const valuesAreSingle = func.definition.params.every((param, i) => {
    const arg = node.args[i];
    return !param.isValue || arg === undefined || isSingle(arg, scope);
  });
  return valuesAreSingle && isSingleFunction(func);
}

/**
 * A function that calls itself is assumed single while its body is looked at. "Not single" found under that assumption
 * holds anyway, since assuming less could only find more outputs; "single" is taken back when the assumption fails.
 */
function isSingleFunction(func: Func): boolean {
  if (func.isSingle !== undefined) return func.isSingle;
  if (func.isUnderAnalysis) return true;
  const { analysis } = func.scope;
  const before = analysis.assumed.length;
  let result = false;
  func.isUnderAnalysis = true;
  analysis.underWay += 1;
  try {
    result = isSingle(func.definition.body, func.scope);
    func.isSingle = result;
  } finally {
    // Also when the stack overflows: functions outlive the run, and a half-done analysis must not be believed.
    func.isUnderAnalysis = false;
    analysis.underWay -= 1;
    if (!result) for (const other of analysis.assumed.splice(before)) other.isSingle = undefined;
  }
  if (result && analysis.underWay > 0) analysis.assumed.push(func);
  if (analysis.underWay === 0) analysis.assumed.length = 0;
  return result;
}

/** One pattern whose keys are single: binding it cannot give several results or fall back to another pattern. */
export function arePlainPatterns(patterns: Patterns, scope: Scope): boolean {
  return patterns.length === 1 && hasSingleKeys(patterns[0], scope);
}

function hasSingleKeys(pattern: Patterns[number], scope: Scope): boolean {
  if (pattern.kind === "name") return true;
  if (pattern.kind === "list") return pattern.items.every((item) => hasSingleKeys(item, scope));
  return pattern.fields.every(
    (field) => isSingle(field.key, scope) && (field.pattern === undefined || hasSingleKeys(field.pattern, scope)),
  );
}

/** All variables of all alternatives, each once: those an alternative does not mention are null there. */
export function variablesOf(patterns: Patterns): string[] {
  const names = new Set<string>();
  const visit = (pattern: Patterns[number]): void => {
    if (pattern.kind === "name") names.add(pattern.name);
    else if (pattern.kind === "list") pattern.items.forEach(visit);
    else {
      for (const field of pattern.fields) {
        if (field.bind !== undefined) names.add(field.bind);
        if (field.pattern !== undefined) visit(field.pattern);
      }
    }
  };
  patterns.forEach(visit);
  return [...names];
}

export function declarePatterns(scope: Scope, patterns: Patterns): Scope {
  return variablesOf(patterns).reduce((inner, name) => declare(inner, { kind: "variable", name }), scope);
}
