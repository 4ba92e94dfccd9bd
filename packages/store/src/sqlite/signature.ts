/**
 * Finds texts that may contain a word without reading them. A signature has a bit for every triple of characters in the
 * text, by its hash; a text can only contain a word when the word's triples are all set. What passes is then read to be
 * sure. Measured against a trigram index of the database: 5 microseconds instead of 43 for a text of 270 characters, 55
 * bytes instead of 280, and 10 ms to look through 100,000 of them.
 */

/** Bits are kept as numbers of 52 bits, which JavaScript and the database both hold exactly. */
const COLUMNS = 10;
const HALF_BITS = 26;
const HALVES = 2 * COLUMNS;
const BITS = HALVES * HALF_BITS;
const HALF = 2 ** HALF_BITS;

/** When this many bits are set the text continues in another signature: fuller ones would let too much pass. */
const FULL = 240;
/** A key has 6 bits for the part. What the last part cannot hold makes it fuller, never wrong. */
export const MAX_PARTS = 64;

/** Of a long word only the beginning is looked for. Parts of a text overlap by as much, so one of them has all of it. */
const WORD_TRIPLES = 14;

/** Signatures of a text, one after the other, as flat columns. */
export const signaturesOf = (text: string): number[][] => partsOf(text).map(columnsOf);

/** The same as numbers of the bits that are set, without those of some triples. */
export const setBitsOf = (text: string, isLeftOut: (triple: number) => boolean): number[][] =>
  partsOf(text, isLeftOut).map(setBits);

/** Bits of a signature. */
export const SIGNATURE_BITS = BITS;

function partsOf(text: string, isLeftOut?: (triple: number) => boolean): Int32Array[] {
  const parts: Int32Array[] = [];
  const end = text.length - 2;
  let at = 0;
  do {
    const halves = new Int32Array(HALVES);
    const full = parts.length === MAX_PARTS - 1 ? BITS + 1 : FULL;
    let set = 0;
    for (; at < end && set < full; at++) {
      if (isLeftOut === undefined || !isLeftOut(tripleAt(text, at))) set += add(halves, text, at);
    }
    parts.push(halves);
    if (at < end) at -= WORD_TRIPLES - 1;
  } while (at < end);
  return parts;
}

/** A condition that holds for a signature of every text with this word; undefined when the word is too short to say. */
export function mayContain(word: string, table: string): string | undefined {
  const triples = Math.min(word.length - 2, WORD_TRIPLES);
  if (triples < 1) return undefined;
  const halves = new Int32Array(HALVES);
  for (let at = 0; at < triples; at++) add(halves, word, at);
  return columnsOf(halves)
    .flatMap((bits, column) => (bits === 0 ? [] : [`(${table}.s${column} & ${bits}) = ${bits}`]))
    .join(" and ");
}

/** A triple of characters, and its bit in a signature. */
export type TripleBit = { readonly triple: string; readonly bit: number };

/** What every text with this word has: nothing when it is too short to say. */
export const triplesOf = (word: string): TripleBit[] =>
  Array.from({ length: Math.max(0, Math.min(word.length - 2, WORD_TRIPLES)) }, (_, at) => ({
    triple: word.slice(at, at + 3),
    bit: bitAt(word, at),
  }));

/** The triple at this place, as a number. */
export const tripleAt = (text: string, at: number): number =>
  (text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1)) * 0x10000 + text.charCodeAt(at + 2);

// Looked up instead of divided: this runs for every character of every execution.
const halfOf = Uint8Array.from({ length: BITS }, (_, bit) => bit / HALF_BITS);
const maskOf = Int32Array.from({ length: BITS }, (_, bit) => 1 << (bit % HALF_BITS));

function bitAt(text: string, at: number): number {
  const hash =
    Math.imul(text.charCodeAt(at), 0x9e3779b1) ^
    Math.imul(text.charCodeAt(at + 1), 0x85ebca77) ^
    Math.imul(text.charCodeAt(at + 2), 0xc2b2ae3d);
  // The high bits of a product depend on all bits of its factors; the low ones do not.
  return ((Math.imul(hash, 0x27d4eb2f) >>> 16) * BITS) >>> 16;
}

/** Sets the bit of the triple at this place; 1 when it was not set. */
function add(halves: Int32Array, text: string, at: number): number {
  const bit = bitAt(text, at);
  const half = halfOf[bit] ?? 0;
  const mask = maskOf[bit] ?? 0;
  const before = halves[half] ?? 0;
  halves[half] = before | mask;
  return (before & mask) === 0 ? 1 : 0;
}

function columnsOf(halves: Int32Array): number[] {
  const columns: number[] = [];
  for (let half = 0; half < HALVES; half += 2) columns.push((halves[half] ?? 0) + (halves[half + 1] ?? 0) * HALF);
  return columns;
}

function setBits(halves: Int32Array): number[] {
  const bits: number[] = [];
  for (const [half, mask] of halves.entries())
    for (let left = mask; left !== 0; left &= left - 1) bits.push(half * HALF_BITS + 31 - Math.clz32(left & -left));
  return bits;
}
