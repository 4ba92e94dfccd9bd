import {
  type Block,
  type BlockQuestion,
  type BlockReads,
  blockQuestion,
  judgeBlock,
  linesWith,
  NO,
  tellingBits,
  type Verdicts,
} from "../sqlite/block-verdicts.ts";
import { CERTAIN, POSSIBLE } from "../sqlite/search-probe.ts";
import { longestPiece, type Word } from "../sqlite/search-text.ts";
import { BLOCK_BYTES, BLOCK_SIZE, slotsOfColumn, textOfColumn } from "../sqlite/text-block.ts";
import type { Values } from "./search-clause.ts";
import type { Ask } from "./searcher.ts";
import { statusesWith } from "./statuses.ts";

/** What blocks say of words. */
export type SettledHits = {
  /** Executions that surely have them. */
  readonly certain: number;
  /** Conditions on the search row `s`: it has settled and surely has them, may have them, or one of both. */
  isCertain(values: Values): string;
  isPossible(values: Values): string;
  isAny(values: Values): string;
};

type BlockRow = {
  readonly block: number;
  readonly usual_triples: Buffer;
  readonly words: Buffer;
  readonly has_slots: boolean;
};

/** Looks for words in the texts that have settled. Undefined when none can have them. */
export async function findSettledHits(ask: Ask, words: readonly Word[]): Promise<SettledHits | undefined> {
  const rows = await ask<BlockRow>(
    "select b.block, b.usual_triples, b.words, length(b.slots) > 0 as has_slots from search_block b order by b.block",
    [],
  );
  const blocks = rows.map(blockFrom);
  const last = blocks.at(-1);
  if (last === undefined) return undefined;
  const size = (last.block + 1) * BLOCK_SIZE;
  const told = toldByText(words);
  const verdicts = await judge(ask, { blocks, size, words: told });
  if (told.flat().length < words.flat().length)
    for (let no = 0; no < size; no++) verdicts[no] = Math.min(verdicts[no] ?? NO, POSSIBLE);
  const voids = await ask<{ no: number }>("select v.no from search_void v", []);
  if (voids.length > 0) {
    // They may have one word here and another in a text of later: those are looked for by their longest piece too.
    const byLongest = await judge(ask, { blocks, size, words: [[longestPiece(words)]] });
    for (const { no } of voids) if (no < size) verdicts[no] = byLongest[no] === NO ? NO : POSSIBLE;
  }
  return hitsOf(verdicts);
}

/** Statuses are not among the texts: of several pieces, those that may mean one are left to who reads the execution. */
function toldByText(words: readonly Word[]): readonly Word[] {
  if (words.flat().length === 1) return words;
  const told = words.map((word) => word.filter((piece) => statusesWith(piece).length === 0));
  return told.flat().length > 0 ? told.filter((word) => word.length > 0) : [[longestPiece(words)]];
}

type Looking = { readonly blocks: readonly Block[]; readonly size: number; readonly words: readonly Word[] };

async function judge(ask: Ask, { blocks, size, words }: Looking): Promise<Verdicts> {
  const question = blockQuestion(words);
  const reads = await readBlocks(ask, blocks, question);
  const verdicts: Verdicts = new Uint8Array(size);
  for (const block of blocks) judgeBlock(verdicts, block, question, reads);
  return verdicts;
}

const blockFrom = ({ block, usual_triples, words, has_slots }: BlockRow): Block => ({
  block,
  usualTriples: textOfColumn(usual_triples),
  words: textOfColumn(words),
  hasSlots: has_slots,
});

/** So many are looked up by their numbers. Of more, all rows are asked for their bit. */
const FEW = 20_000;

function hitsOf(verdicts: Verdicts): SettledHits | undefined {
  const possible = numbersOf(verdicts, POSSIBLE, POSSIBLE);
  const certain = numbersOf(verdicts, CERTAIN, CERTAIN);
  if (possible.count + certain.count === 0) return undefined;
  return {
    certain: certain.count,
    isCertain: isAmong(certain),
    isPossible: isAmong(possible),
    isAny: (values) => isAmong(numbersOf(verdicts, POSSIBLE, CERTAIN))(values),
  };
}

type Numbers = { readonly count: number; readonly few: readonly number[]; readonly bits: Uint8Array };

/** Executions whose verdict lies between these. */
function numbersOf(verdicts: Verdicts, lowest: number, highest: number): Numbers {
  const few: number[] = [];
  const bits = Buffer.alloc(verdicts.length / 8);
  let count = 0;
  for (let no = 0; no < verdicts.length; no++) {
    const verdict = verdicts[no] ?? NO;
    if (verdict < lowest || verdict > highest) continue;
    bits[no >> 3] = (bits[no >> 3] ?? 0) | (1 << (no & 7));
    if (count++ < FEW) few.push(no);
  }
  return { count, few, bits };
}

/** Those that have not settled have no number: they must be told apart from not knowing. */
const isAmong =
  ({ count, few, bits }: Numbers) =>
  (values: Values): string =>
    count > FEW
      ? `(s.no is not null and get_bit(${values.add(bits)}::bytea, s.no) = 1)`
      : `(s.no is not null and s.no = any(${values.add(few)}::bigint[]))`;

/** What the blocks will be asked for, read beforehand in few statements. */
async function readBlocks(ask: Ask, blocks: readonly Block[], question: BlockQuestion): Promise<BlockReads> {
  const signatures = await readSignatures(ask, blocks, question.pieces);
  const lines = await readLines(ask, blocks, question.words ?? []);
  const slots = new Map<number, Uint16Array>();
  const withSlots = blocks.filter(({ hasSlots }) => hasSlots).map(({ block }) => block);
  for (const row of await ask<{ block: number; slots: Buffer }>(
    "select b.block, b.slots from search_block b where b.block = any($1::bigint[])",
    [withSlots],
  ))
    slots.set(row.block, slotsOfColumn(row.slots));
  return {
    slots: (block) => slots.get(block) ?? new Uint16Array(),
    signaturesWith: (block, bits) => signatures.get(keyOf(block, bits)),
    having: (block, line) => lines.get(keyOf(block, [line])) ?? new Uint8Array(BLOCK_BYTES),
  };
}

const keyOf = (block: number, numbers: readonly number[]): string => `${block} ${numbers.join()}`;

/** The database finds which signatures have all bits: only what has some is sent. */
async function readSignatures(
  ask: Ask,
  blocks: readonly Block[],
  pieces: BlockQuestion["pieces"],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const asked: { readonly block: number; readonly bits: readonly number[] }[] = [];
  for (const block of blocks)
    for (const piece of pieces) {
      const bits = tellingBits(block, piece);
      if (bits.length > 0) asked.push({ block: block.block, bits });
    }
  const flat = asked.flatMap(({ block, bits }, at) => someOf(bits).map((bit) => ({ at, block, bit })));
  const rows = await ask<{ at: number; bits: string }>(
    `select at, bits::text from (
       select n.at, bit_and(l.bits) as bits, count(*) as found
       from unnest($1::int[], $2::bigint[], $3::int[]) n (at, block, bit)
         join search_slice l on l.block = n.block and l.bit = n.bit
       group by n.at
     ) b where b.found = ($4::int[])[b.at + 1] and position(B'1' in b.bits) > 0`,
    [
      flat.map(({ at }) => at),
      flat.map(({ block }) => block),
      flat.map(({ bit }) => bit),
      asked.map(({ bits }) => someOf(bits).length),
    ],
  );
  return new Map(
    rows.map(({ at, bits }) => {
      const { block, bits: of } = asked[at] ?? { block: 0, bits: [] };
      return [keyOf(block, of), bitsOf(bits)];
    }),
  );
}

/** Few let pass hardly more than all do, and take less time to look at. */
const MOST_BITS = 5;

const someOf = (bits: readonly number[]): readonly number[] =>
  bits.length <= MOST_BITS
    ? bits
    : Array.from({ length: MOST_BITS }, (_, n) => bits[Math.round((n * (bits.length - 1)) / (MOST_BITS - 1))] ?? 0);

async function readLines(
  ask: Ask,
  blocks: readonly Block[],
  words: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const wanted = blocks.flatMap((block) => {
    const lines = new Set(words.flatMap((word) => linesWith(block, word)));
    return [...lines].map((line) => ({ block: block.block, line }));
  });
  if (wanted.length === 0) return new Map();
  const rows = await ask<{ block: number; line: number; bits: Buffer }>(
    `select n.block, n.line, substring(b.having_words from n.line * ${BLOCK_BYTES} + 1 for ${BLOCK_BYTES}) as bits
     from unnest($1::bigint[], $2::int[]) n (block, line) join search_block b on b.block = n.block`,
    [wanted.map(({ block }) => block), wanted.map(({ line }) => line)],
  );
  return new Map(rows.map(({ block, line, bits }) => [keyOf(block, [line]), bits]));
}

/** `0`s and `1`s as bits. */
function bitsOf(text: string): Uint8Array {
  const bits = new Uint8Array(Math.ceil(text.length / 8));
  for (let at = text.indexOf("1"); at >= 0; at = text.indexOf("1", at + 1))
    bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
  return bits;
}
