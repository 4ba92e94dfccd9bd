import {
  type ArithmeticOp,
  type ComparisonOp,
  call,
  type Definition,
  identity,
  literal,
  location,
  type Node,
  type Param,
  type Patterns,
  variable,
} from "./ast.ts";
import { type Token, tokenize } from "./lexer.ts";
import { parseObject } from "./parse-object.ts";
import { parsePatterns } from "./parse-pattern.ts";
import { type Grammar, TokenCursor } from "./token-cursor.ts";

/** Parses a whole program. Nothing but definitions or comments stands for the identity, as in jq. */
export function parse(source: string): Node {
  const parser = new Parser(source, tokenize(source));
  return parser.cursor.atEnd() ? identity : parser.parseProgram();
}

type Level = { readonly ops: ReadonlySet<string>; readonly associates: "left" | "right" | "never" };

/** Loosest first. `//` really binds looser than `=`: `.a = .b // 1` is `(.a = .b) // 1`. */
const levels: readonly Level[] = [
  { ops: new Set(["//"]), associates: "right" },
  { ops: new Set(["=", "|=", "+=", "-=", "*=", "/=", "%=", "//="]), associates: "never" },
  { ops: new Set(["or"]), associates: "left" },
  { ops: new Set(["and"]), associates: "left" },
  { ops: new Set(["==", "!=", "<", "<=", ">", ">="]), associates: "never" },
  { ops: new Set(["+", "-"]), associates: "left" },
  { ops: new Set(["*", "/", "%"]), associates: "left" },
];
const multiplicative = levels.length - 1;

/** One per token list: a string interpolation gets a parser of its own over its nested list. */
class Parser implements Grammar {
  readonly cursor: TokenCursor;

  constructor(source: string, tokens: readonly Token[]) {
    this.cursor = new TokenCursor(source, tokens);
  }

  parseProgram(): Node {
    const node = this.parsePipe();
    if (!this.cursor.atEnd()) this.#failUnexpected();
    return node;
  }

  parsePipe(): Node {
    if (this.cursor.takeKeyword("def")) {
      const definition = this.#parseDefinition();
      return { kind: "define", definition, body: this.cursor.atEnd() ? identity : this.parsePipe() };
    }
    let left = this.#parseCommaItem();
    while (this.cursor.take(",")) left = { kind: "comma", left, right: this.#parseCommaItem() };
    if (!this.cursor.take("|")) return left;
    return { kind: "pipe", left, right: this.parsePipe() };
  }

  /** `E as P | ...`, `label $x | ...` and `def` reach as far right as they can, so nothing follows them here. */
  #parseCommaItem(): Node {
    if (this.cursor.isKeyword("def")) return this.parsePipe();
    if (this.cursor.takeKeyword("label")) {
      const name = this.cursor.expectBinding();
      this.cursor.expect("|");
      return { kind: "label", name, body: this.parsePipe() };
    }
    const source = this.parseExpression();
    if (!this.cursor.takeKeyword("as")) return source;
    const patterns = parsePatterns(this);
    this.cursor.expect("|");
    return { kind: "bind", source, patterns, body: this.parsePipe() };
  }

  parseExpression(): Node {
    return this.#parseLevel(0);
  }

  #parseLevel(index: number): Node {
    const level = levels[index];
    if (level === undefined) return this.#parseOperand();
    let left = this.#parseLevel(index + 1);
    for (let count = 0; ; count++) {
      const op = this.#peekOperator();
      if (op === undefined || !level.ops.has(op)) return left;
      if (level.associates === "never" && count > 0) this.#failUnexpected();
      this.cursor.advance();
      left = binary(op, left, this.#parseLevel(level.associates === "right" ? index : index + 1));
    }
  }

  #peekOperator(): string | undefined {
    const token = this.cursor.peek();
    if (token.kind === "op") return token.text;
    return token.kind === "keyword" && (token.text === "and" || token.text === "or") ? token.text : undefined;
  }

  #parseOperand(): Node {
    if (this.cursor.take("-")) return negate(this.#parseLevel(multiplicative));
    if (this.cursor.isKeyword("def")) return this.parsePipe();
    return this.#parseTry();
  }

  /** `try` takes one postfix term, perhaps negated, never a binary expression. */
  #parseTry(): Node {
    if (this.cursor.take("-")) return negate(this.#parseTry());
    if (!this.cursor.takeKeyword("try")) return this.#parsePostfix();
    const body = this.#parseTry();
    return { kind: "try", body, handler: this.cursor.takeKeyword("catch") ? this.#parseTry() : undefined };
  }

  #parsePostfix(): Node {
    let term = this.#parseTerm();
    for (;;) {
      const token = this.cursor.peek();
      if (token.kind === "field") {
        this.cursor.advance();
        term = { kind: "index", target: term, key: literal(token.text) };
      } else if (this.cursor.isOp("[")) {
        term = this.#parseBracket(term);
      } else if (this.cursor.isOp(".") && this.#isSuffixAfterDot()) {
        this.cursor.advance();
        term = this.cursor.isOp("[")
          ? this.#parseBracket(term)
          : { kind: "index", target: term, key: this.parseString() };
      } else if (this.cursor.takeQuestionMark()) {
        term = { kind: "try", body: term, handler: undefined };
      } else {
        return term;
      }
    }
  }

  #isSuffixAfterDot(): boolean {
    const after = this.cursor.peek(1);
    return after.kind === "string" || after.kind === "format" || (after.kind === "op" && after.text === "[");
  }

  #parseBracket(target: Node): Node {
    this.cursor.expect("[");
    if (this.cursor.take("]")) return { kind: "iterate", target };
    if (this.cursor.take(":")) return { kind: "slice", target, from: undefined, to: this.#parseUntil("]") };
    const key = this.parsePipe();
    if (this.cursor.take("]")) return { kind: "index", target, key };
    this.cursor.expect(":");
    const to = this.cursor.take("]") ? undefined : this.#parseUntil("]");
    return { kind: "slice", target, from: key, to };
  }

  #parseUntil(closing: string): Node {
    const node = this.parsePipe();
    this.cursor.expect(closing);
    return node;
  }

  #parseTerm(): Node {
    const token = this.cursor.peek();
    switch (token.kind) {
      case "number":
        this.cursor.advance();
        return literal(token.value);
      case "string":
        return this.parseString();
      case "format":
        if (this.cursor.peek(1).kind === "string") return this.parseString();
        this.cursor.advance();
        return { kind: "format", format: token.text };
      case "field":
        this.cursor.advance();
        return { kind: "index", target: identity, key: literal(token.text) };
      case "binding":
        this.cursor.advance();
        return token.text === "__loc__" ? location(this.cursor.lineOf(token.at)) : variable(token.text, token.at);
      case "word":
        return this.#parseCall();
      case "keyword":
        return this.#parseKeyword(token.text);
      case "op":
        return this.#parsePunctuation(token.text);
      case "end":
        return this.#failUnexpected();
    }
  }

  #parsePunctuation(op: string): Node {
    if (op === "{") return parseObject(this);
    if (this.cursor.take("(")) return this.#parseUntil(")");
    if (this.cursor.take("[")) {
      return { kind: "array", body: this.cursor.take("]") ? undefined : this.#parseUntil("]") };
    }
    if (this.cursor.take("..")) return { kind: "recurse" };
    if (!this.cursor.take(".")) return this.#failUnexpected();
    const { kind } = this.cursor.peek();
    if (kind !== "string" && kind !== "format") return identity;
    return { kind: "index", target: identity, key: this.parseString() };
  }

  #parseKeyword(keyword: string): Node {
    const { at } = this.cursor.peek();
    switch (keyword) {
      case "if":
        this.cursor.advance();
        return this.#parseIf();
      case "try":
        return this.#parseTry();
      case "reduce":
        this.cursor.advance();
        return this.#parseReduce();
      case "foreach":
        this.cursor.advance();
        return this.#parseForeach();
      case "break":
        this.cursor.advance();
        return { kind: "break", name: this.cursor.expectBinding(), at };
      case "import":
      case "include":
      case "module":
        return this.cursor.fail(`"${keyword}" is not supported: programs have no modules`);
      default:
        return this.#failUnexpected();
    }
  }

  #parseIf(): Node {
    const condition = this.parsePipe();
    this.cursor.expectKeyword("then");
    const then = this.parsePipe();
    if (this.cursor.takeKeyword("elif")) return { kind: "if", condition, then, otherwise: this.#parseIf() };
    const otherwise = this.cursor.takeKeyword("else") ? this.parsePipe() : identity;
    this.cursor.expectKeyword("end");
    return { kind: "if", condition, then, otherwise };
  }

  #parseReduce(): Node {
    const { source, patterns, init } = this.#parseLoopHead();
    return { kind: "reduce", source, patterns, init, update: this.#parseUntil(")") };
  }

  #parseForeach(): Node {
    const { source, patterns, init } = this.#parseLoopHead();
    const update = this.parsePipe();
    const extract = this.cursor.take(";") ? this.parsePipe() : identity;
    this.cursor.expect(")");
    return { kind: "foreach", source, patterns, init, update, extract };
  }

  #parseLoopHead(): { source: Node; patterns: Patterns; init: Node } {
    const source = this.parseExpression();
    this.cursor.expectKeyword("as");
    const patterns = parsePatterns(this);
    this.cursor.expect("(");
    return { source, patterns, init: this.#parseUntil(";") };
  }

  #parseCall(): Node {
    const { text: name, at } = this.cursor.expectWord();
    if (!this.cursor.take("(")) return constants.get(name) ?? call(name, [], at);
    const args = [this.parsePipe()];
    while (this.cursor.take(";")) args.push(this.parsePipe());
    this.cursor.expect(")");
    return call(name, args, at);
  }

  #parseDefinition(): Definition {
    const name = this.cursor.expectWord().text;
    const params: Param[] = [];
    if (this.cursor.take("(")) {
      do params.push(this.#parseParam());
      while (this.cursor.take(";"));
      this.cursor.expect(")");
    }
    this.cursor.expect(":");
    return { name, params, body: this.#parseUntil(";") };
  }

  #parseParam(): Param {
    const token = this.cursor.advance();
    if (token.kind === "binding") return { name: token.text, isValue: true };
    if (token.kind === "word" || token.kind === "keyword") return { name: token.text, isValue: false };
    return this.cursor.failAt(token.at, "expected a parameter name");
  }

  /** A string literal, perhaps with a format before it. */
  parseString(): Node {
    let token = this.cursor.advance();
    let format = "text";
    if (token.kind === "format") {
      format = token.text;
      token = this.cursor.advance();
    }
    if (token.kind !== "string") return this.cursor.failAt(token.at, "expected a string literal");
    const { source } = this.cursor;
    const parts = token.parts.map((part) =>
      typeof part === "string" ? part : new Parser(source, part).parseProgram(),
    );
    const [first] = parts;
    return parts.length === 1 && typeof first === "string" ? literal(first) : { kind: "string", format, parts };
  }

  #failUnexpected(): never {
    return this.cursor.fail(`unexpected ${this.cursor.describeNext()}`);
  }
}

const constants: ReadonlyMap<string, Node> = new Map([
  ["null", literal(null)],
  ["true", literal(true)],
  ["false", literal(false)],
]);

function negate(operand: Node): Node {
  if (operand.kind === "literal" && typeof operand.value === "number") return literal(-operand.value);
  return { kind: "negate", operand };
}

function binary(op: string, left: Node, right: Node): Node {
  if (op === "=") return { kind: "assign", target: left, value: right };
  if (op === "|=") return { kind: "update", target: left, value: right };
  if (op === "//=") return { kind: "updateWith", op: "//", target: left, value: right };
  if (op === "//") return { kind: "alternative", left, right };
  if (op === "and" || op === "or") return { kind: op, left, right };
  if (isComparison(op)) return { kind: "comparison", op, left, right };
  if (isArithmetic(op)) return { kind: "arithmetic", op, left, right };
  const base = op.slice(0, -1);
  if (isArithmetic(base)) return { kind: "updateWith", op: base, target: left, value: right };
  throw new TypeError(`Expected a binary operator, got ${op}`);
}

const isComparison = (op: string): op is ComparisonOp => ["==", "!=", "<", "<=", ">", ">="].includes(op);
const isArithmetic = (op: string): op is ArithmeticOp => ["+", "-", "*", "/", "%"].includes(op);
