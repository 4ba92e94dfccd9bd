import { CERTAIN, POSSIBLE } from "./search-probe.ts";
import type { Word } from "./search-text.ts";
import { type TripleBit, triplesOf } from "./signature.ts";
import { BLOCK_BYTES, BLOCK_SIZE } from "./text-block.ts";

/** Beside what a probe says. */
export const NO = 0;
/** By the number of the execution, whether it has the words: `NO`, `POSSIBLE` or `CERTAIN`. */
export type Verdicts = Uint8Array;

/** What is read of every block; see text-block.ts. */
export type Block = {
  readonly block: number;
  readonly usualTriples: string;
  readonly words: string;
  readonly hasSlots: boolean;
};

/** What is read of a block when it is needed. */
export interface BlockReads {
  slots(block: number): Uint16Array;
  /** Signatures that have all bits, as bits; undefined when there are none. The caller may change it. */
  signaturesWith(block: number, bits: readonly number[]): Uint8Array | undefined;
  /** Executions that have the words of a line. */
  having(block: number, line: number): Uint8Array;
}

/** Bits for the executions of a block. */
type Bits = Uint8Array;

type Piece = {
  readonly triples: readonly TripleBit[];
  /** Set when it may be part of a common word. */
  readonly word: string | undefined;
};

/** What words are looked for by. */
export type BlockQuestion = {
  readonly pieces: readonly Piece[];
  /** Words that may be parts of common ones; undefined when one of them cannot be. */
  readonly words: readonly string[] | undefined;
};

export function blockQuestion(words: readonly Word[]): BlockQuestion {
  const whole = wholeWords(words);
  return {
    pieces: words.flat().map((piece, index) => ({ triples: triplesOf(piece), word: whole?.[index] })),
    words: whole,
  };
}

/** Looks for words in the texts of a block and notes what is found. */
export function judgeBlock(verdicts: Verdicts, block: Block, question: BlockQuestion, reads: BlockReads): void {
  const possible = possibleIn(block, question, reads);
  if (possible === undefined) return;
  const certain = question.words && certainIn(block, question.words, possible, reads);
  const first = block.block * BLOCK_SIZE;
  mark(verdicts, first, possible, POSSIBLE);
  if (certain !== undefined) mark(verdicts, first, certain, CERTAIN);
}

/** Bits that tell which texts of the block may have a piece: none when any may, or when it is known of each. */
export function tellingBits(block: Block, { triples, word }: Piece): readonly number[] {
  if (word !== undefined && isCommon(block, word)) return [];
  const telling = triples.filter(({ triple }) => !isAmongTriples(block.usualTriples, triple));
  return [...new Set(telling.map(({ bit }) => bit))];
}

/** Lines of common words of which the word is a part. */
export function linesWith({ words }: Block, word: string): readonly number[] {
  if (!words.includes(word)) return [];
  return words.split("\n").flatMap((line, index) => (line.includes(word) ? [index] : []));
}

function possibleIn(block: Block, { pieces }: BlockQuestion, reads: BlockReads): Bits | undefined {
  const slots = block.hasSlots ? reads.slots(block.block) : undefined;
  const possible = slots === undefined ? new Uint8Array(BLOCK_BYTES).fill(0xff) : placesOf(slots);
  for (const piece of pieces) {
    const bits = tellingBits(block, piece);
    if (bits.length === 0) continue;
    const signatures = reads.signaturesWith(block.block, bits);
    if (signatures === undefined) return undefined;
    if (!keepCommon(possible, slots === undefined ? signatures : placesOf(slots, signatures))) return undefined;
  }
  return possible;
}

/** Those that surely have all words, undefined when that is not known. Takes from the possible ones what surely has not. */
function certainIn(block: Block, words: readonly string[], possible: Bits, reads: BlockReads): Bits | undefined {
  let certain: Bits | undefined = new Uint8Array(BLOCK_BYTES).fill(0xff);
  for (const word of words) {
    const lines = linesWith(block, word);
    if (lines.length === 0) {
      certain = undefined;
      continue;
    }
    const having = new Uint8Array(BLOCK_BYTES);
    for (const line of lines) addAll(having, reads.having(block.block, line));
    // Of a common word it is known of each text whether it has it, be it as a part of another.
    if (isCommon(block, word)) keepCommon(possible, having);
    if (certain !== undefined) keepCommon(certain, having);
  }
  return certain;
}

function isCommon({ words }: Block, word: string): boolean {
  for (let at = words.indexOf(word); at >= 0; at = words.indexOf(word, at + 1))
    if (isEnd(words[at - 1]) && isEnd(words[at + word.length])) return true;
  return false;
}

const isEnd = (character: string | undefined): boolean =>
  character === undefined || character === "\n" || character === " ";

function wholeWords(words: readonly Word[]): readonly string[] | undefined {
  const whole = words.flatMap(([piece = "", ...others]) => (others.length > 0 || /\s/.test(piece) ? [] : [piece]));
  return whole.length === words.length && !whole.includes("") ? whole : undefined;
}

/** Whether a triple is among these, which are three characters each. */
function isAmongTriples(triples: string, triple: string): boolean {
  for (let at = triples.indexOf(triple); at >= 0; at = triples.indexOf(triple, at + 1)) if (at % 3 === 0) return true;
  return false;
}

/** Bits for the executions that these signatures, or all of them, are of. */
function placesOf(slots: Uint16Array, signatures?: Uint8Array): Bits {
  const places = new Uint8Array(BLOCK_BYTES);
  for (const [slot, place] of slots.entries())
    if (signatures === undefined || ((signatures[slot >> 3] ?? 0) & (1 << (slot & 7))) !== 0)
      places[place >> 3] = (places[place >> 3] ?? 0) | (1 << (place & 7));
  return places;
}

/** False when nothing is left. */
export function keepCommon(bits: Uint8Array, others: Uint8Array): boolean {
  let any = 0;
  for (let at = 0; at < bits.length; at++) {
    const common = (bits[at] ?? 0) & (others[at] ?? 0);
    bits[at] = common;
    any |= common;
  }
  return any !== 0;
}

function addAll(bits: Uint8Array, others: Uint8Array): void {
  for (let at = 0; at < bits.length; at++) bits[at] = (bits[at] ?? 0) | (others[at] ?? 0);
}

function mark(verdicts: Verdicts, first: number, bits: Bits, verdict: number): void {
  for (let at = 0; at < bits.length; at++)
    for (let left = bits[at] ?? 0; left !== 0; left &= left - 1)
      verdicts[first + at * 8 + 31 - Math.clz32(left & -left)] = verdict;
}
