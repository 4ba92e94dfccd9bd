import { JqSyntaxError } from "./errors.ts";

/**
 * `field` is `.name` in one piece (so `. name` is not a field), `binding` is `$name`, `format` is `@name`.
 * A string literal is one token whose parts are text and nested token lists, one list per `\( )`.
 */
export type Token =
  | { readonly kind: "number"; readonly value: number; readonly at: number; readonly end: number }
  | { readonly kind: "string"; readonly parts: readonly StringPart[]; readonly at: number; readonly end: number }
  | {
      readonly kind: "field" | "binding" | "format" | "word" | "keyword" | "op" | "end";
      readonly text: string;
      readonly at: number;
      readonly end: number;
    };

export type StringPart = string | readonly Token[];

const keywords: ReadonlySet<string> = new Set(
  "def if then elif else end as reduce foreach try catch label break import include module and or __loc__".split(" "),
);
const space = /[ \t\r\n]+/y;
const number = /(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y;
const field = /\.[a-zA-Z_][a-zA-Z_0-9]*/y;
const word = /(?:[a-zA-Z_][a-zA-Z_0-9]*::)*[a-zA-Z_][a-zA-Z_0-9]*/y;
const binding = /\$(?:[a-zA-Z_][a-zA-Z_0-9]*::)*[a-zA-Z_][a-zA-Z_0-9]*/y;
const format = /@[a-zA-Z0-9_]+/y;
const operator = /\?\/\/=?|\/\/=|!=|==|<=|>=|\|=|\+=|-=|\*=|\/=|%=|\/\/|\.\.|[.?=;,:|+\-*/%$<>()[\]{}]/y;
const maxNesting = 500;

export function tokenize(source: string): Token[] {
  return new Lexer(source).readUntilEnd();
}

/** Walks the source once; one per source text. */
class Lexer {
  readonly #source: string;
  #at = 0;
  #nesting = 0;

  constructor(source: string) {
    this.#source = source;
  }

  readUntilEnd(): Token[] {
    const tokens: Token[] = [];
    for (;;) {
      const token = this.#next();
      tokens.push(token);
      if (token.kind === "end") return tokens;
    }
  }

  #next(): Token {
    this.#skipBlank();
    const at = this.#at;
    if (at >= this.#source.length) return { kind: "end", text: "", at, end: at };
    if (this.#source[at] === '"') return this.#readString();
    const digits = this.#match(number);
    if (digits !== undefined) return { kind: "number", value: Number(digits), at, end: this.#at };
    const name = this.#match(field);
    if (name !== undefined) return { kind: "field", text: name.slice(1), at, end: this.#at };
    const variable = this.#match(binding);
    if (variable !== undefined) return { kind: "binding", text: variable.slice(1), at, end: this.#at };
    const formatName = this.#match(format);
    if (formatName !== undefined) return { kind: "format", text: formatName.slice(1), at, end: this.#at };
    const text = this.#match(word);
    if (text !== undefined) return { kind: keywords.has(text) ? "keyword" : "word", text, at, end: this.#at };
    const op = this.#match(operator);
    if (op === undefined) return this.#fail(`unexpected character ${JSON.stringify(this.#source[at])}`, at);
    return { kind: "op", text: op, at, end: this.#at };
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  /** A backslash in a comment hides the next character, so an escaped line end continues the comment. */
  #skipBlank(): void {
    for (;;) {
      this.#match(space);
      if (this.#source[this.#at] !== "#") return;
      while (this.#at < this.#source.length && this.#source[this.#at] !== "\n") {
        if (this.#source[this.#at] === "\\") this.#at += this.#source.startsWith("\r\n", this.#at + 1) ? 2 : 1;
        this.#at += 1;
      }
    }
  }

  #readString(): Token {
    const at = this.#at;
    const parts: StringPart[] = [];
    let text = "";
    this.#at += 1;
    for (;;) {
      const character = this.#source[this.#at];
      if (character === undefined) return this.#fail("unterminated string literal", at);
      if (character === '"') break;
      if (character !== "\\") {
        text += character;
        this.#at += 1;
      } else if (this.#source[this.#at + 1] === "(") {
        if (text !== "") parts.push(text);
        text = "";
        parts.push(this.#readInterpolation());
      } else {
        text += this.#readEscape();
      }
    }
    this.#at += 1;
    if (text !== "" || parts.length === 0) parts.push(text);
    return { kind: "string", parts, at, end: this.#at };
  }

  #readInterpolation(): Token[] {
    const at = this.#at;
    this.#at += 2;
    this.#nesting += 1;
    if (this.#nesting > maxNesting) this.#fail("string literal nested too deeply", at);
    const tokens: Token[] = [];
    let open = 0;
    for (;;) {
      const token = this.#next();
      if (token.kind === "end") return this.#fail("unterminated string interpolation", at);
      if (token.kind === "op" && token.text === "(") open += 1;
      if (token.kind === "op" && token.text === ")") {
        if (open === 0) {
          this.#nesting -= 1;
          tokens.push({ kind: "end", text: "", at: token.at, end: token.end });
          return tokens;
        }
        open -= 1;
      }
      tokens.push(token);
    }
  }

  #readEscape(): string {
    const at = this.#at;
    const simple = simpleEscapes.get(this.#source[at + 1] ?? "");
    if (simple !== undefined) {
      this.#at += 2;
      return simple;
    }
    const unit = this.#readUnicodeUnit();
    if (unit === undefined) return this.#fail("invalid escape in string literal", at);
    if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit);
    const afterHigh = this.#at;
    const low = unit < 0xdc00 ? this.#readUnicodeUnit() : undefined;
    if (low !== undefined && low >= 0xdc00 && low <= 0xdfff) return String.fromCharCode(unit, low);
    this.#at = afterHigh;
    return "\ufffd";
  }

  #readUnicodeUnit(): number | undefined {
    const digits = /^\\u([0-9a-fA-F]{4})/.exec(this.#source.slice(this.#at, this.#at + 6))?.[1];
    if (digits === undefined) return undefined;
    this.#at += 6;
    return Number.parseInt(digits, 16);
  }

  #fail(message: string, at: number): never {
    throw new JqSyntaxError(`syntax error: ${message}`, { source: this.#source, position: at });
  }
}

const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);
