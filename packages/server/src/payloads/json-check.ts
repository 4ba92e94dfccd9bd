import { isUtf8 } from "node:buffer";

/** What is read is not the JSON it should be. */
export class NotJson extends Error {}

const [QUOTE, BACKSLASH, COMMA, COLON, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [
  34, 92, 44, 58, 123, 125, 91, 93,
];
const [MINUS, PLUS, DOT, ZERO, NINE, LOWER_E, UPPER_E, LOWER_U] = [45, 43, 46, 48, 57, 101, 69, 117];
const FIRST_PRINTABLE = 32;

type Place =
  | "value"
  | "first-item"
  | "first-key"
  | "key"
  | "colon"
  | "after-value"
  | "text"
  | "escape"
  | "hex"
  | "word"
  | "minus"
  | "zero"
  | "digits"
  | "point"
  | "fraction"
  | "exponent"
  | "exponent-sign"
  | "exponent-digits"
  | "end";

const numbersThatMayEnd = new Set<Place>(["zero", "digits", "fraction", "exponent-digits"]);
const words: Readonly<Record<number, string>> = { 116: "true", 102: "false", 110: "null" };

/**
 * Checks one JSON object as its bytes go by, holding none of them: a payload of any size is known to be good before
 * anyone reads it. What follows the object is not looked at.
 */
export class JsonCheck {
  readonly #maxDepth: number;
  /** Open containers, true for objects. */
  readonly #open: boolean[] = [];
  #place: Place = "value";
  #isKey = false;
  #left = 0;
  #word = "";
  #unfinished: Uint8Array = new Uint8Array(0);

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
  }

  get isComplete(): boolean {
    return this.#place === "end";
  }

  /** Reads on; gives where in the chunk the object ends, or undefined when more is to come. Throws NotJson. */
  write(chunk: Uint8Array, from = 0): number | undefined {
    for (let at = from; at < chunk.length; at++) {
      if (this.#place === "text") at = this.#skipText(chunk, at);
      const code = chunk[at];
      if (code === undefined) break;
      this.#take(code);
      if (this.#place === "end") {
        this.#checkText(chunk.subarray(from, at + 1), true);
        return at + 1;
      }
    }
    this.#checkText(chunk.subarray(from), false);
    return undefined;
  }

  /** Most of a large payload is text: this loop decides the speed. */
  #skipText(chunk: Uint8Array, from: number): number {
    let at = from;
    for (; at < chunk.length; at++) {
      const code = chunk[at] as number;
      if (code === QUOTE || code === BACKSLASH || code < FIRST_PRINTABLE) break;
    }
    return at;
  }

  #take(code: number): void {
    switch (this.#place) {
      case "text":
        return this.#takeText(code);
      case "escape":
        return this.#takeEscape(code);
      case "hex":
        if (!isHex(code)) throw new NotJson("Expected four hexadecimal digits after \\u");
        if (--this.#left === 0) this.#place = "text";
        return;
      case "word":
        if (code !== this.#word.charCodeAt(this.#word.length - this.#left)) throw this.#unexpected(code);
        if (--this.#left === 0) this.#place = "after-value";
        return;
      case "minus":
      case "zero":
      case "digits":
      case "point":
      case "fraction":
      case "exponent":
      case "exponent-sign":
      case "exponent-digits":
        return this.#takeNumber(code);
      default:
        if (code !== 32 && code !== 10 && code !== 13 && code !== 9) this.#takeStructure(code);
    }
  }

  #takeText(code: number): void {
    if (code === BACKSLASH) this.#place = "escape";
    else if (code !== QUOTE) throw new NotJson("Expected control characters in texts to be escaped");
    else this.#place = this.#isKey ? "colon" : "after-value";
  }

  #takeEscape(code: number): void {
    if (code === LOWER_U) {
      this.#place = "hex";
      this.#left = 4;
    } else if ('"\\/bfnrt'.includes(String.fromCharCode(code))) this.#place = "text";
    else throw this.#unexpected(code);
  }

  #takeStructure(code: number): void {
    switch (this.#place) {
      case "first-key":
        if (code === CLOSE_BRACE) return this.#close(code);
        return this.#takeKey(code);
      case "key":
        return this.#takeKey(code);
      case "colon":
        if (code !== COLON) throw this.#unexpected(code);
        this.#place = "value";
        return;
      case "after-value":
        if (code !== COMMA) return this.#close(code);
        this.#place = this.#open.at(-1) === true ? "key" : "value";
        return;
      case "first-item":
        if (code === CLOSE_BRACKET) return this.#close(code);
        return this.#takeValue(code);
      default:
        return this.#takeValue(code);
    }
  }

  #takeKey(code: number): void {
    if (code !== QUOTE) throw this.#unexpected(code);
    this.#isKey = true;
    this.#place = "text";
  }

  #takeValue(code: number): void {
    if (this.#open.length === 0 && code !== OPEN_BRACE) throw new NotJson("Expected a JSON object");
    const word = words[code];
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      this.#open.push(code === OPEN_BRACE);
      if (this.#open.length > this.#maxDepth) throw new NotJson(`Expected at most ${this.#maxDepth} levels`);
      this.#place = code === OPEN_BRACE ? "first-key" : "first-item";
    } else if (code === QUOTE) {
      this.#isKey = false;
      this.#place = "text";
    } else if (word !== undefined) {
      this.#word = word;
      this.#left = word.length - 1;
      this.#place = "word";
    } else if (code === MINUS) this.#place = "minus";
    else if (code === ZERO) this.#place = "zero";
    else if (isDigit(code)) this.#place = "digits";
    else throw this.#unexpected(code);
  }

  #takeNumber(code: number): void {
    const next = nextInNumber(this.#place, code);
    if (next !== undefined) {
      this.#place = next;
      return;
    }
    if (!numbersThatMayEnd.has(this.#place)) throw this.#unexpected(code);
    this.#place = "after-value";
    this.#take(code);
  }

  #close(code: number): void {
    const isObject = this.#open.pop();
    if (code !== (isObject === true ? CLOSE_BRACE : CLOSE_BRACKET)) throw this.#unexpected(code);
    this.#place = this.#open.length === 0 ? "end" : "after-value";
  }

  /** Texts are UTF-8; a character may be cut in two by the end of a chunk. */
  #checkText(chunk: Uint8Array, isLast: boolean): void {
    const all = this.#unfinished.length === 0 ? chunk : Buffer.concat([this.#unfinished, chunk]);
    const whole = isLast ? all.length : all.length - unfinishedBytes(all);
    if (!isUtf8(all.subarray(0, whole))) throw new NotJson("Expected texts to be UTF-8");
    this.#unfinished = Uint8Array.from(all.subarray(whole));
  }

  #unexpected = (code: number): NotJson =>
    new NotJson(`Unexpected ${JSON.stringify(String.fromCharCode(code))} in JSON`);
}

function nextInNumber(place: Place, code: number): Place | undefined {
  const isExponent = code === LOWER_E || code === UPPER_E;
  switch (place) {
    case "minus":
      return code === ZERO ? "zero" : isDigit(code) ? "digits" : undefined;
    case "zero":
    case "digits":
      if (isDigit(code)) return place === "digits" ? "digits" : undefined;
      return code === DOT ? "point" : isExponent ? "exponent" : undefined;
    case "point":
      return isDigit(code) ? "fraction" : undefined;
    case "fraction":
      return isDigit(code) ? "fraction" : isExponent ? "exponent" : undefined;
    case "exponent":
      if (code === PLUS || code === MINUS) return "exponent-sign";
      return isDigit(code) ? "exponent-digits" : undefined;
    default:
      return isDigit(code) ? "exponent-digits" : undefined;
  }
}

/** How many bytes at the end begin a character that is not all there. */
function unfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;
const isHex = (code: number): boolean => isDigit(code) || ((code | 32) >= 97 && (code | 32) <= 102);
