import { JsonCheck, NotJson } from "./json-check.ts";

const KEY = Buffer.from("outputData");
const [QUOTE, BACKSLASH, COLON, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [34, 92, 58, 123, 125, 91, 93];
const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;

/**
 * Divides the body of a task result as it arrives: its `outputData` goes one way, checked on the way, everything else is
 * kept, with an empty object in that place. Only the rest is ever in memory.
 */
export class ResultSplitter {
  readonly #maxDepth: number;
  readonly #rest: Buffer[] = [];
  #restBytes = 0;
  #check: JsonCheck | undefined;
  #hasOutput = false;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  /** The text that was read last on the top level, and whether its colon has come. */
  #text: number[] = [];
  #isAfterColon = false;

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
  }

  /** Gives what of the chunk belongs to the output. Throws NotJson when that is no JSON object. */
  write(chunk: Buffer): Buffer[] {
    const output: Buffer[] = [];
    for (let at = 0; at < chunk.length; ) {
      if (this.#check === undefined) {
        at = this.#writeRest(chunk, at);
      } else {
        const end = this.#check.write(chunk, at);
        output.push(chunk.subarray(at, end));
        if (end !== undefined) this.#check = undefined;
        at = end ?? chunk.length;
      }
    }
    return output;
  }

  /** Bytes kept so far. */
  get restBytes(): number {
    return this.#restBytes;
  }

  /** The body without its output. */
  end(): { readonly rest: string; readonly hasOutput: boolean } {
    if (this.#check !== undefined) throw new NotJson("Expected the end of outputData");
    return { rest: Buffer.concat(this.#rest).toString(), hasOutput: this.#hasOutput };
  }

  /** Up to where the output begins, or the end of the chunk. */
  #writeRest(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      if (this.#isOutputAt(chunk[at] as number)) {
        if (this.#hasOutput) throw new NotJson("Expected outputData once, got it twice");
        this.#hasOutput = true;
        this.#keep(chunk.subarray(from, at));
        this.#keep(Buffer.from("{}"));
        this.#check = new JsonCheck(this.#maxDepth);
        this.#isAfterColon = false;
        return at;
      }
    }
    this.#keep(chunk.subarray(from));
    return chunk.length;
  }

  #keep(bytes: Buffer): void {
    this.#rest.push(bytes);
    this.#restBytes += bytes.length;
  }

  /** Whether the value of `outputData` begins here, and is an object. */
  #isOutputAt(code: number): boolean {
    if (this.#isInText) {
      this.#takeText(code);
      return false;
    }
    if (isSpace(code)) return false;
    if (code === OPEN_BRACE && this.#isAfterColon && this.#depth === 1 && KEY.equals(Buffer.from(this.#text)))
      return true;
    this.#isAfterColon = code === COLON;
    if (code === QUOTE) {
      this.#isInText = true;
      this.#text = [];
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) this.#depth++;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) this.#depth--;
    return false;
  }

  #takeText(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (code === BACKSLASH) this.#isEscaped = true;
    else if (code === QUOTE) {
      this.#isInText = false;
      return;
    }
    if (this.#text.length <= KEY.length) this.#text.push(code);
  }
}
