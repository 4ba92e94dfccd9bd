import { literal, type Node, type Pattern, type PatternField, type Patterns } from "./ast.ts";
import { describe } from "./tojson.ts";
import type { Grammar } from "./token-cursor.ts";

/** What follows `as`: one pattern, or several joined by `?//`. */
export function parsePatterns(grammar: Grammar): Patterns {
  const patterns: [Pattern, ...Pattern[]] = [parsePattern(grammar)];
  while (grammar.cursor.take("?//")) patterns.push(parsePattern(grammar));
  return patterns;
}

function parsePattern(grammar: Grammar): Pattern {
  const { cursor } = grammar;
  if (cursor.take("[")) {
    const items = [parsePattern(grammar)];
    while (cursor.take(",")) items.push(parsePattern(grammar));
    cursor.expect("]");
    return { kind: "list", items };
  }
  if (cursor.take("{")) {
    const fields = [parseField(grammar)];
    while (cursor.take(",")) fields.push(parseField(grammar));
    cursor.expect("}");
    return { kind: "fields", fields };
  }
  return { kind: "name", name: cursor.expectBinding() };
}

function parseField(grammar: Grammar): PatternField {
  const { cursor } = grammar;
  const token = cursor.peek();
  if (token.kind === "binding") {
    cursor.advance();
    const pattern = cursor.take(":") ? parsePattern(grammar) : undefined;
    return { key: literal(token.text), bind: token.text, pattern };
  }
  const key = parseFieldKey(grammar);
  cursor.expect(":");
  return { key, bind: undefined, pattern: parsePattern(grammar) };
}

function parseFieldKey(grammar: Grammar): Node {
  const token = grammar.cursor.peek();
  if (token.kind === "word" || token.kind === "keyword") {
    grammar.cursor.advance();
    return literal(token.text);
  }
  if (token.kind === "string" || token.kind === "format") return grammar.parseString();
  return parseComputedKey(grammar);
}

/** `(expr)`. A constant that can never be a key is refused at once, as jq does. */
export function parseComputedKey(grammar: Grammar): Node {
  const { at } = grammar.cursor.peek();
  grammar.cursor.expect("(");
  const key = grammar.parsePipe();
  grammar.cursor.expect(")");
  if (key.kind === "literal" && typeof key.value !== "string") {
    grammar.cursor.failAt(at + 1, `Cannot use ${describe(key.value)} as object key`);
  }
  return key;
}
