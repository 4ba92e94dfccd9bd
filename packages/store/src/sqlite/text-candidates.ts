import type { DatabaseSync } from "node:sqlite";
import type { Sql } from "./search-clause.ts";
import { CERTAIN, POSSIBLE } from "./search-probe.ts";
import type { Word } from "./search-text.ts";
import { mayContain, type TripleBit, triplesOf } from "./signature.ts";
import { BLOCK_BYTES, BLOCK_SIZE } from "./text-block.ts";

/** Beside what a probe says. */
export const NO = 0;
/** By the number of the execution, whether it has the words: `NO`, `POSSIBLE` or `CERTAIN`. */
export type Verdicts = Uint8Array;

type Block = {
  readonly block: number;
  readonly usual: string;
  readonly words: string;
  readonly hasSlots: boolean;
};
/** Bits for the executions of a block. */
type Bits = Uint8Array;

/** Looks for words in all texts, without reading them. */
export function createTextCandidates(db: DatabaseSync): (words: readonly Word[]) => Verdicts {
  const sql = {
    newest: db.prepare("select ifnull(max(no), 0) as no from search"),
    blocks: db.prepare("select block, usual_triples, words, length(slots) > 0 as has_slots from search_block"),
    slots: db.prepare("select slots from search_block where block = ?"),
    slice: db.prepare("select bits from search_slice where key = (?1 << 10) | ?2"),
    having: db.prepare(
      `select substr(having_words, 1 + ? * ${BLOCK_BYTES}, ${BLOCK_BYTES}) as bits from search_block where block = ?`,
    ),
    voids: db.prepare("select json_group_array(no) as nos from search_void"),
  };

  const slotsOf = (block: number): Uint16Array => {
    const bytes = sql.slots.get(block)?.["slots"] as Uint8Array;
    // A copy, because numbers of two bytes have to lie at even places.
    return new Uint16Array(bytes.slice().buffer);
  };

  /** Signatures of a block that have all bits; undefined when there are none. */
  const signaturesWith = (block: number, bits: readonly number[]): Uint8Array | undefined => {
    let all: Uint8Array | undefined;
    for (const bit of bits) {
      const slice = sql.slice.get(block, bit)?.["bits"] as Uint8Array | undefined;
      if (slice === undefined) return undefined;
      if (all === undefined) all = slice;
      else if (!keepCommon(all, slice)) return undefined;
    }
    return all;
  };

  /** Executions of a block that may have all pieces. */
  const possibleIn = (
    { block, usual, hasSlots }: Block,
    pieces: readonly (readonly TripleBit[])[],
  ): Bits | undefined => {
    const slots = hasSlots ? slotsOf(block) : undefined;
    const possible: Bits = hasSlots ? placesOf(slots ?? new Uint16Array()) : new Uint8Array(BLOCK_BYTES).fill(0xff);
    for (const triples of pieces) {
      const bits = triples.filter(({ triple }) => !isUsual(usual, triple)).map(({ bit }) => bit);
      if (bits.length === 0) continue;
      const signatures = signaturesWith(block, bits);
      if (signatures === undefined) return undefined;
      const having = slots === undefined ? signatures : placesOf(slots, signatures);
      if (!keepCommon(possible, having)) return undefined;
    }
    return possible;
  };

  /** Executions of a block that surely have all words, where words tell; and of those that may have them only such that do. */
  const certainIn = ({ block, words: lines }: Block, wanted: readonly string[], possible: Bits): Bits | undefined => {
    let certain: Bits | undefined = new Uint8Array(BLOCK_BYTES).fill(0xff);
    for (const word of wanted) {
      const having = havingWord(block, lines, word);
      // Of a common word it is known of each text whether it has it, be it as a part of another.
      if (having?.isCommon) keepCommon(possible, having.bits);
      if (having === undefined) certain = undefined;
      else if (certain !== undefined) keepCommon(certain, having.bits);
    }
    return certain;
  };

  const havingWord = (block: number, lines: string, word: string): { bits: Bits; isCommon: boolean } | undefined => {
    if (!lines.includes(word)) return undefined;
    const bits = new Uint8Array(BLOCK_BYTES);
    let isCommon = false;
    for (const [index, line] of lines.split("\n").entries()) {
      if (!line.includes(word)) continue;
      addAll(bits, sql.having.get(index, block)?.["bits"] as Bits);
      isCommon ||= line.split(" ").includes(word);
    }
    return { bits, isCommon };
  };

  /** Texts that have not settled: each is looked at. */
  const looseWith = (words: readonly Word[]): readonly number[] => {
    const condition = signatureFor(words) ?? "1";
    const query = db.prepare(`select json_group_array(g.key >> 6) as nos from search_text g where ${condition}`);
    return numbers(query.get()?.["nos"]);
  };

  return (words) => {
    const verdicts = new Uint8Array(Number(sql.newest.get()?.["no"]) + 1);
    const pieces = words.flat().map(triplesOf);
    const wanted = wholeWords(words);
    for (const row of sql.blocks.iterate()) {
      const one = blockFrom(row);
      const possible = possibleIn(one, pieces);
      if (possible === undefined) continue;
      const first = one.block * BLOCK_SIZE;
      const certain = wanted && certainIn(one, wanted, possible);
      mark(verdicts, first, possible, POSSIBLE);
      if (certain !== undefined) mark(verdicts, first, certain, CERTAIN);
    }
    for (const no of numbers(sql.voids.get()?.["nos"])) if (no < verdicts.length) verdicts[no] = NO;
    for (const no of looseWith(words)) verdicts[no] = POSSIBLE;
    return verdicts;
  };
}

const blockFrom = (row: Readonly<Record<string, unknown>>): Block => ({
  block: Number(row["block"]),
  usual: String(row["usual_triples"]),
  words: String(row["words"]),
  hasSlots: row["has_slots"] === 1,
});

/** Whether a triple is among these, which are three characters each. */
function isUsual(usual: string, triple: string): boolean {
  for (let at = usual.indexOf(triple); at >= 0; at = usual.indexOf(triple, at + 1)) if (at % 3 === 0) return true;
  return false;
}

/** By the longest piece: it says most. */
function signatureFor(words: readonly Word[]): string | undefined {
  const longest = words.flat().reduce((one, other) => (other.length > one.length ? other : one), "");
  return mayContain(longest, "g");
}

/** Words that may be parts of common ones; undefined when one of them cannot be. */
function wholeWords(words: readonly Word[]): readonly string[] | undefined {
  const whole = words.flatMap(([piece = "", ...others]) => (others.length > 0 || /\s/.test(piece) ? [] : [piece]));
  return whole.length === words.length && !whole.includes("") ? whole : undefined;
}

/** One in so many: with fewer hits they are looked up by their numbers, with more all rows are asked. */
const FEW = 16;

export type Among = { readonly condition: Sql; readonly count: number; readonly areFew: boolean };

/** A condition on the search row `s` for executions whose verdict lies between these; undefined when there are none. */
export function isAmong(verdicts: Verdicts, lowest: number, highest = lowest): Among | undefined {
  const nos: number[] = [];
  let count = 0;
  for (let no = 0; no < verdicts.length; no++) {
    const verdict = verdicts[no] ?? NO;
    if (verdict < lowest || verdict > highest) continue;
    if (count++ * FEW < verdicts.length) nos.push(no);
  }
  if (count === 0) return undefined;
  const areFew = nos.length === count;
  const condition = areFew
    ? { text: "s.no in (select value from json_each(?))", values: [JSON.stringify(nos)] }
    : { text: `substr(?, s.no + 1, 1) between x'0${lowest}' and x'0${highest}'`, values: [verdicts] };
  return { condition, count, areFew };
}

const numbers = (json: unknown): readonly number[] => JSON.parse(String(json)) as number[];

/** Bits for the executions that these signatures, or all of them, are of. */
function placesOf(slots: Uint16Array, signatures?: Uint8Array): Bits {
  const places = new Uint8Array(BLOCK_BYTES);
  for (const [slot, place] of slots.entries())
    if (signatures === undefined || ((signatures[slot >> 3] ?? 0) & (1 << (slot & 7))) !== 0)
      places[place >> 3] = (places[place >> 3] ?? 0) | (1 << (place & 7));
  return places;
}

/** False when nothing is left. */
function keepCommon(bits: Uint8Array, others: Uint8Array): boolean {
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
