import type { DatabaseSync } from "node:sqlite";
import {
  type Block,
  type BlockReads,
  blockQuestion,
  judgeBlock,
  keepCommon,
  NO,
  type Verdicts,
} from "./block-verdicts.ts";
import type { Sql } from "./search-clause.ts";
import { POSSIBLE } from "./search-probe.ts";
import { longestPiece, type Word } from "./search-text.ts";
import { mayContain } from "./signature.ts";
import { BLOCK_BYTES, slotsOfColumn, textOfColumn } from "./text-block.ts";

/** Looks for words in all texts, without reading them. */
export function createTextCandidates(db: DatabaseSync): (words: readonly Word[]) => Verdicts {
  const newest = db.prepare("select ifnull(max(no), 0) as no from search");
  const blocks = db.prepare("select block, usual_triples, words, length(slots) > 0 as has_slots from search_block");
  const voids = db.prepare("select json_group_array(no) as nos from search_void");
  const reads = createBlockReads(db);

  /** Texts that have not settled: each is looked at. */
  const looseWith = (words: readonly Word[]): readonly number[] => {
    const condition = mayContain(longestPiece(words), "g") ?? "1";
    const query = db.prepare(`select json_group_array(g.key >> 6) as nos from search_text g where ${condition}`);
    return numbers(query.get()?.["nos"]);
  };

  return (words) => {
    const verdicts = new Uint8Array(Number(newest.get()?.["no"]) + 1);
    const question = blockQuestion(words);
    for (const row of blocks.iterate()) judgeBlock(verdicts, blockFrom(row), question, reads);
    for (const no of numbers(voids.get()?.["nos"])) if (no < verdicts.length) verdicts[no] = NO;
    for (const no of looseWith(words)) verdicts[no] = POSSIBLE;
    return verdicts;
  };
}

function createBlockReads(db: DatabaseSync): BlockReads {
  const slots = db.prepare("select slots from search_block where block = ?");
  const slice = db.prepare("select bits from search_slice where key = (?1 << 10) | ?2");
  const having = db.prepare(
    `select substr(having_words, 1 + ? * ${BLOCK_BYTES}, ${BLOCK_BYTES}) as bits from search_block where block = ?`,
  );
  return {
    slots: (block) => slotsOfColumn(slots.get(block)?.["slots"] as Uint8Array),
    signaturesWith(block, bits) {
      let all: Uint8Array | undefined;
      for (const bit of bits) {
        const next = slice.get(block, bit)?.["bits"] as Uint8Array | undefined;
        if (next === undefined) return undefined;
        if (all === undefined) all = next;
        else if (!keepCommon(all, next)) return undefined;
      }
      return all;
    },
    having: (block, line) => having.get(line, block)?.["bits"] as Uint8Array,
  };
}

const blockFrom = (row: Readonly<Record<string, unknown>>): Block => ({
  block: Number(row["block"]),
  usualTriples: textOfColumn(row["usual_triples"] as Uint8Array),
  words: textOfColumn(row["words"] as Uint8Array),
  hasSlots: row["has_slots"] === 1,
});

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
