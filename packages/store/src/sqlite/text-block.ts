import { SIGNATURE_BITS, setBitsOf, tripleAt } from "./signature.ts";

/**
 * What is known of the texts of 2048 executions whose numbers lie side by side, laid out so that a word is looked for in
 * all of them at once. Their signatures are turned over: a slice has one bit of every signature, so that a word needs
 * only the slices of its own bits. Triples that nearly all texts have would tell nothing, and would hide others that share
 * their bits: they are named once and not in the slices. And words that many texts have are kept with those that have
 * them: when a word is part of such a one its texts need not be read.
 */
export type TextBlock = {
  /** Whose text each signature is of, from the first execution of the block. Empty: one of each. */
  readonly slots: Uint16Array;
  /** Triples that any of the texts may have, one after the other. */
  readonly usualTriples: string;
  /** By the bit; a bit that no signature has is not there. */
  readonly slices: ReadonlyMap<number, Uint8Array>;
  /** Common words. Those in a line are in the same texts. */
  readonly words: string;
  /** For each line, bits for the executions that have its words. */
  readonly havingWords: Uint8Array;
};

export const BLOCK_BITS = 11;
export const BLOCK_SIZE = 1 << BLOCK_BITS;
/** Bytes with a bit for every execution of a block. */
export const BLOCK_BYTES = BLOCK_SIZE / 8;

/** Multiples of it are spread evenly, whatever their number. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;
const SAMPLE = 128;

/** Places of texts by which it is known what many have. Not at regular distances: what is done in turns would be in all or none. */
export const samplePlaces = (size: number): readonly number[] =>
  Array.from({ length: SAMPLE }, (_, n) => Math.floor(((n * GOLDEN) % 1) * size));

export const blockOf = (no: number): number => Math.floor(no / BLOCK_SIZE);

export class TextBlockBuilder {
  readonly #words: readonly string[];
  readonly #usual: ReadonlySet<number>;
  readonly #having: readonly Uint8Array[];
  readonly #slots: number[] = [];
  readonly #slotsByBit: number[][] = Array.from({ length: SIGNATURE_BITS }, () => []);

  /** `sample`: some of the texts that will be added. */
  constructor(sample: readonly string[]) {
    this.#words = commonWords(sample);
    this.#usual = usualTriples(sample);
    this.#having = this.#words.map(() => new Uint8Array(BLOCK_BYTES));
  }

  /** `place`: of the execution in the block. */
  add(place: number, text: string): void {
    for (const bits of setBitsOf(text, (triple) => this.#usual.has(triple))) {
      const slot = this.#slots.push(place) - 1;
      for (const bit of bits) this.#slotsByBit[bit]?.push(slot);
    }
    for (const [index, word] of this.#words.entries()) {
      const having = this.#having[index];
      if (having !== undefined && text.includes(word)) setBit(having, place);
    }
  }

  finish(): TextBlock {
    const slices = new Map<number, Uint8Array>();
    const bytes = Math.ceil(this.#slots.length / 8);
    for (const [bit, slots] of this.#slotsByBit.entries()) {
      if (slots.length === 0) continue;
      const slice = new Uint8Array(bytes);
      for (const slot of slots) setBit(slice, slot);
      slices.set(bit, slice);
    }
    const lines = new Map<string, { readonly words: string[]; readonly having: Uint8Array }>();
    for (const [index, word] of this.#words.entries()) {
      const having = this.#having[index] ?? new Uint8Array(BLOCK_BYTES);
      const key = Buffer.from(having).toString("latin1");
      const line = lines.get(key);
      if (line === undefined) lines.set(key, { words: [word], having });
      else line.words.push(word);
    }
    const isUsual = this.#slots.length === BLOCK_SIZE && this.#slots.every((place, slot) => place === slot);
    return {
      slots: Uint16Array.from(isUsual ? [] : this.#slots),
      usualTriples: [...this.#usual].map(textOfTriple).join(""),
      slices,
      words: [...lines.values()].map(({ words }) => words.join(" ")).join("\n"),
      havingWords: Buffer.concat([...lines.values()].map(({ having }) => having)),
    };
  }
}

/** A word that is in this share of the texts is a common one. */
const COMMON = 1 / 32;
/** Each costs a look into every text. */
const MOST_WORDS = 128;
/** Longer ones are hardly common, and looked for by their parts. */
const LONGEST_WORD = 40;

/** Triples that are in this share of the texts are usual. */
const USUAL = 0.9;

function usualTriples(texts: readonly string[]): Set<number> {
  const counts = new Map<number, number>();
  for (const text of texts) {
    const triples = new Set<number>();
    for (let at = 0; at < text.length - 2; at++) triples.add(tripleAt(text, at));
    for (const triple of triples) counts.set(triple, (counts.get(triple) ?? 0) + 1);
  }
  return new Set([...counts].filter(([, count]) => count >= texts.length * USUAL).map(([triple]) => triple));
}

const textOfTriple = (triple: number): string =>
  String.fromCharCode(Math.floor(triple / 2 ** 32), Math.floor(triple / 2 ** 16) & 0xffff, triple & 0xffff);

/** Words that are in many of these texts. */
function commonWords(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .filter(([word, count]) => count > 1 && count >= texts.length * COMMON && word.length <= LONGEST_WORD)
    .sort(([, one], [, other]) => other - one)
    .slice(0, MOST_WORDS)
    .map(([word]) => word);
}

/** Words with the marks inside them, as in `kind=order-17`, and their parts. Without white space, which stands between them. */
function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  for (const [word] of text.matchAll(/[^\s,{}[\]]+/g)) {
    words.add(word);
    for (const [part] of word.matchAll(/[\p{L}\p{N}]{2,}/gu)) words.add(part);
  }
  return words;
}

/** A block's columns, as they are stored. Texts are UTF-16: what is cut out of them, or sent, may be half a character. */
export type BlockColumns = Readonly<Record<"slots" | "usualTriples" | "words" | "havingWords", Uint8Array>>;

export const blockColumns = ({ slots, usualTriples, words, havingWords }: TextBlock): BlockColumns => ({
  slots: Buffer.from(slots.buffer, slots.byteOffset, slots.byteLength),
  usualTriples: Buffer.from(usualTriples, "utf16le"),
  words: Buffer.from(words, "utf16le"),
  havingWords,
});

export const textOfColumn = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("utf16le");

/** A copy, because numbers of two bytes have to lie at even places. */
export const slotsOfColumn = (bytes: Uint8Array): Uint16Array => new Uint16Array(new Uint8Array(bytes).buffer);

function setBit(bytes: Uint8Array, bit: number): void {
  const at = bit >> 3;
  bytes[at] = (bytes[at] ?? 0) | (1 << (bit & 7));
}
