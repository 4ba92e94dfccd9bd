import { JqError } from "../errors.ts";

/** A place in the text of a pattern. Steps over whole code points. */
export class PatternText {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  atEnd(): boolean {
    return this.#at >= this.#source.length;
  }

  peek(): string {
    return this.#source[this.#at] ?? "";
  }

  isNext(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }

  take(text: string): boolean {
    if (!this.isNext(text)) return false;
    this.#at += text.length;
    return true;
  }

  /** `pattern` must be sticky. */
  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found === null) return undefined;
    this.#at += found[0].length;
    return found;
  }

  next(): number {
    const code = this.#source.codePointAt(this.#at);
    if (code === undefined) throw new JqError("Regex failure: end pattern at escape");
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }

  back(count: number): void {
    this.#at -= count;
  }

  skipSpaceAndComments(): void {
    this.match(/(?:\s|#[^\n]*)*/y);
  }

  /** The character an escape stands for, read after its backslash. Letters without a meaning stand for themselves. */
  nextEscapedCode(): number {
    const hex = this.match(/x\{([0-9a-fA-F]{1,8})\}|x([0-9a-fA-F]{0,2})/y);
    if (hex !== undefined) return checkedCode(Number.parseInt(hex[1] ?? (hex[2] || "0"), 16));
    const octal = this.match(/[0-7]{1,3}/y);
    if (octal !== undefined) return checkedCode(Number.parseInt(octal[0], 8));
    const control = this.match(/c([@-_a-z])/y);
    if (control !== undefined) return (control[1] ?? "@").toUpperCase().charCodeAt(0) ^ 64;
    const code = this.next();
    return controlEscapes.get(code) ?? code;
  }
}

function checkedCode(code: number): number {
  if (code > 0x10ffff) throw new JqError("Regex failure: too big wide-char value");
  return code;
}

const controlEscapes: ReadonlyMap<number, number> = new Map(
  Object.entries({ t: 9, n: 10, v: 11, f: 12, r: 13, a: 7, e: 27 }).map(([letter, code]) => [
    letter.charCodeAt(0),
    code,
  ]),
);
