import { JqError } from "./errors.ts";
import { type JsonObject, setKey } from "./values.ts";

/** Parses one JSON text. jq also takes nan and Infinity and loose numbers, and words its complaints its own way. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The native parser is the fast path only; the lenient one below decides, and names the fault if there is one.
    return new JsonReader(text).readDocument();
  }
}

/** A decimal number without surrounding space, as `tonumber` takes it. */
export function parseNumber(text: string): number | undefined {
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}

const literals: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["null", null],
  ["nan", Number.NaN],
  ["NaN", Number.NaN],
  ["-NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);

/** This reader recurses; well-formed text of any depth is taken by the native parser before it. */
const maxDepth = 2_000;

/** Keeps its place in the text; made for one parse. */
class JsonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text.startsWith("\ufeff") ? text.slice(1) : text;
  }

  readDocument(): unknown {
    this.#skipSpace();
    if (this.#at >= this.#text.length) throw new JqError(`Expected JSON value (while parsing '${this.#text}')`);
    const value = this.#readValue(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) {
      throw new JqError(`Unexpected extra JSON values (while parsing '${this.#text}')`);
    }
    return value;
  }

  #readValue(depth: number): unknown {
    if (depth > maxDepth) this.#fail("Exceeds depth limit for parsing");
    this.#skipSpace();
    const next = this.#text[this.#at];
    if (next === "[") return this.#readArray(depth);
    if (next === "{") return this.#readObject(depth);
    if (next === '"') return this.#readString();
    if (next === undefined) this.#fail("Unfinished JSON term");
    if (next === "]" || next === "}") this.#failAfter(`Unmatched '${next}'`);
    if (next === ",") this.#failAfter("Expected value before ','");
    if (next === ":") this.#failAfter("Expected string key before ':'");
    return this.#readWord();
  }

  #readArray(depth: number): unknown[] {
    const items: unknown[] = [];
    this.#at += 1;
    this.#skipSpace();
    if (this.#take("]")) return items;
    for (;;) {
      items.push(this.#readValue(depth + 1));
      this.#skipSpace();
      if (this.#take("]")) return items;
      this.#expectComma();
      if (this.#text[this.#at] === "]") this.#failAfter("Expected another array element");
    }
  }

  #readObject(depth: number): JsonObject {
    const object: JsonObject = {};
    this.#at += 1;
    this.#skipSpace();
    if (this.#take("}")) return object;
    for (;;) {
      const key = this.#readValue(depth + 1);
      if (typeof key !== "string") this.#failAfter("Object keys must be strings");
      this.#skipSpace();
      if (!this.#take(":")) this.#failAfter("Objects must consist of key:value pairs");
      setKey(object, key, this.#readValue(depth + 1));
      this.#skipSpace();
      if (this.#take("}")) return object;
      this.#expectComma();
      if (this.#text[this.#at] === "}") this.#failAfter("Expected another key-value pair");
    }
  }

  #expectComma(): void {
    if (this.#at >= this.#text.length) this.#fail("Unfinished JSON term");
    const found = this.#text[this.#at];
    if (found === "]" || found === "}" || found === ":") this.#failAfter(`Unmatched '${found}'`);
    if (!this.#take(",")) this.#failAfter("Expected separator between values");
    this.#skipSpace();
  }

  #readString(): string {
    const start = this.#at;
    this.#at += 1;
    for (;;) {
      const next = this.#text[this.#at];
      if (next === undefined) this.#fail("Unfinished string");
      this.#at += next === "\\" ? 2 : 1;
      if (next === '"') break;
    }
    const quoted = this.#text.slice(start, this.#at);
    try {
      return String(JSON.parse(escapeControls(quoted)));
    } catch {
      return this.#fail("Invalid escape");
    }
  }

  #readWord(): unknown {
    const start = this.#at;
    while (this.#at < this.#text.length && !/[\s[\]{},:"]/.test(this.#text.charAt(this.#at))) this.#at += 1;
    const word = this.#text.slice(start, this.#at);
    if (literals.has(word)) return literals.get(word);
    const number = parseNumber(word);
    if (number !== undefined) return number;
    if (word.startsWith("'")) this.#failAfter("Invalid string literal; expected \", but got '");
    return this.#failAfter(/^(?:t|f|nu)/.test(word) ? "Invalid literal" : "Invalid numeric literal");
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    while (this.#at < this.#text.length && " \t\r\n".includes(this.#text.charAt(this.#at))) this.#at += 1;
  }

  #failAfter(message: string): never {
    this.#at += 1;
    return this.#fail(message);
  }

  #fail(message: string): never {
    const end = this.#at > this.#text.length ? " at EOF" : "";
    const before = this.#text.slice(0, this.#at);
    const line = before.split("\n").length;
    const column = before.length - (before.lastIndexOf("\n") + 1);
    const eof = end === "" && this.#at === this.#text.length && /^Unfinished/.test(message) ? " at EOF" : end;
    throw new JqError(`${message}${eof} at line ${line}, column ${column} (while parsing '${this.#text}')`);
  }
}

/** jq takes raw control characters inside strings; the native string parser does not. */
function escapeControls(quoted: string): string {
  return quoted.replace(/[\u0000-\u001f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
