import type { Node } from "./ast.ts";
import { JqSyntaxError } from "./errors.ts";
import type { Token } from "./lexer.ts";

/** The parts of the grammar that object and pattern syntax need from the parser around them. */
export interface Grammar {
  readonly cursor: TokenCursor;
  parsePipe(): Node;
  parseExpression(): Node;
  parseString(): Node;
}

/** A place in one token list, with the small questions a parser asks of it. */
export class TokenCursor {
  readonly source: string;
  readonly #tokens: Token[];
  #next = 0;

  constructor(source: string, tokens: readonly Token[]) {
    this.source = source;
    this.#tokens = [...tokens];
  }

  peek(ahead = 0): Token {
    const token = this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)];
    if (token === undefined) return this.failAt(this.source.length, "unexpected end");
    return token;
  }

  advance(): Token {
    const token = this.peek();
    if (token.kind !== "end") this.#next += 1;
    return token;
  }

  /** Takes only the `?` of `?//` or `?//=`, leaving the rest as the next token. */
  takeQuestionMark(): boolean {
    const token = this.peek();
    if (token.kind !== "op" || !token.text.startsWith("?")) return false;
    if (token.text === "?") this.#next += 1;
    else this.#tokens[this.#next] = { kind: "op", text: token.text.slice(1), at: token.at + 1, end: token.end };
    return true;
  }

  atEnd(): boolean {
    return this.peek().kind === "end";
  }

  isOp(op: string): boolean {
    const token = this.peek();
    return token.kind === "op" && token.text === op;
  }

  isKeyword(keyword: string): boolean {
    const token = this.peek();
    return token.kind === "keyword" && token.text === keyword;
  }

  take(op: string): boolean {
    if (!this.isOp(op)) return false;
    this.advance();
    return true;
  }

  takeKeyword(keyword: string): boolean {
    if (!this.isKeyword(keyword)) return false;
    this.advance();
    return true;
  }

  expect(op: string): void {
    if (!this.take(op)) this.fail(`expected "${op}", found ${this.describeNext()}`);
  }

  expectKeyword(keyword: string): void {
    if (!this.takeKeyword(keyword)) this.fail(`expected "${keyword}", found ${this.describeNext()}`);
  }

  expectWord(): { readonly text: string; readonly at: number } {
    const token = this.advance();
    return token.kind === "word" ? token : this.failAt(token.at, "expected a name");
  }

  expectBinding(): string {
    const token = this.advance();
    return token.kind === "binding" ? token.text : this.failAt(token.at, "expected a $name");
  }

  describeNext(): string {
    const token = this.peek();
    if (token.kind === "end") return "end of program";
    return JSON.stringify(this.source.slice(token.at, token.end));
  }

  lineOf(at: number): number {
    return this.source.slice(0, at).split("\n").length;
  }

  fail(message: string): never {
    return this.failAt(this.peek().at, message);
  }

  failAt(at: number, message: string): never {
    throw new JqSyntaxError(`syntax error: ${message}`, { source: this.source, position: at });
  }
}
