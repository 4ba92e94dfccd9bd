import { type Entry, identity, literal, location, type Node, variable } from "./ast.ts";
import { parseComputedKey } from "./parse-pattern.ts";
import type { Grammar } from "./token-cursor.ts";

/** `{ ... }` with every short form: `{a}`, `{$x}`, `{"a b"}`, `{$__loc__}`, `{@base64 "x": 1}`, `{(expr): 1}`. */
export function parseObject(grammar: Grammar): Node {
  const { cursor } = grammar;
  cursor.expect("{");
  const entries: Entry[] = [];
  if (cursor.take("}")) return { kind: "object", entries };
  do entries.push(parseEntry(grammar));
  while (cursor.take(","));
  cursor.expect("}");
  return { kind: "object", entries };
}

function parseEntry(grammar: Grammar): Entry {
  const { cursor } = grammar;
  const token = cursor.peek();
  if (token.kind === "binding") return parseVariableEntry(grammar, token);
  if (token.kind === "number") cursor.fail("May need parentheses around object key expression");
  if (cursor.isOp("(")) {
    const key = parseComputedKey(grammar);
    cursor.expect(":");
    return { key, value: parseValue(grammar) };
  }
  const key = parseName(grammar);
  if (cursor.take(":")) return { key, value: parseValue(grammar) };
  return { key, value: { kind: "index", target: identity, key } };
}

function parseVariableEntry(grammar: Grammar, token: { readonly text: string; readonly at: number }): Entry {
  const { cursor } = grammar;
  cursor.advance();
  if (token.text === "__loc__") return { key: literal("__loc__"), value: location(cursor.lineOf(token.at)) };
  const value = variable(token.text, token.at);
  // `{$x: 1}` uses the value of $x as the key; `{$x}` uses its name.
  return cursor.take(":") ? { key: value, value: parseValue(grammar) } : { key: literal(token.text), value };
}

function parseName(grammar: Grammar): Node {
  const { cursor } = grammar;
  const token = cursor.peek();
  if (token.kind === "word" || token.kind === "keyword") {
    cursor.advance();
    return literal(token.text);
  }
  if (token.kind === "string" || token.kind === "format") return grammar.parseString();
  return cursor.fail(`expected an object key, found ${cursor.describeNext()}`);
}

/** Values may hold pipes but no commas: a comma ends the entry. */
function parseValue(grammar: Grammar): Node {
  const left = grammar.parseExpression();
  return grammar.cursor.take("|") ? { kind: "pipe", left, right: parseValue(grammar) } : left;
}
