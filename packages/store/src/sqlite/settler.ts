import type { DatabaseSync } from "node:sqlite";
import { createTextReads, type SearchedText } from "./search-hits.ts";
import {
  BLOCK_BITS,
  BLOCK_SIZE,
  blockColumns,
  blockOf,
  samplePlaces,
  type TextBlock,
  TextBlockBuilder,
} from "./text-block.ts";

/** How long a step may keep the writer from its commits. */
const STEP_MS = 3;
/** Texts that are read at once. */
const LOT = 32;
/** So many of a block have changed or gone that it is worth writing it again. */
const MANY_VOID = BLOCK_SIZE / 4;

/** Looking for such blocks goes through all that is void: at most so often, in times of rest. */
const LOOKS_APART = 5;

export type SettlerOptions = {
  /** A block that changes is left alone until nothing has happened to it for so long. */
  readonly restMs: number;
};

export interface Settler {
  /** Goes on with a block. When to call it again, in milliseconds; undefined when there is nothing left to do. */
  step(): number | undefined;
  /** Called when the text of an execution is written, before it is. */
  touch(no: number): void;
}

type Build = { readonly block: number; readonly builder: TextBlockBuilder; next: number; texts: number };

/**
 * Moves texts that have come to rest from `search_text`, where each is looked at, into blocks, where a word is looked for
 * in thousands at once. What changes afterwards has a row in `search_text` again and is void in its block.
 */
export function createSettler(db: DatabaseSync, { restMs }: SettlerOptions): Settler {
  const sql = prepare(db);
  const texts = createTextReads(db);
  const settled = new Set(sql.blocks.all().map((row) => Number(row["block"])));
  /** Blocks below are all settled. */
  let firstLoose = 0;
  let build: Build | undefined;

  /** How many were void in blocks with many, or nothing else, and since when. */
  let seen = new Map<number, { readonly count: number; readonly since: number }>();
  let seenAt = 0;

  /** The first such block that has come to rest; true when there may be one later. */
  const voidBlock = (): number | boolean => {
    const now = performance.now();
    if (now - seenAt < LOOKS_APART * restMs) return true;
    seenAt = now;
    const before = seen;
    seen = new Map();
    for (const { block, count } of sql.voidBlocks.all(MANY_VOID) as { block: number; count: number }[]) {
      const last = before.get(block);
      const since = last?.count === count ? last.since : now;
      if (now - since >= restMs) return block;
      seen.set(block, { count, since });
    }
    return seen.size > 0;
  };

  /** Not the newest: it still grows. */
  const looseBlock = (): number | undefined => {
    const newest = blockOf(Number(sql.newest.get()?.["no"] ?? 0));
    for (;;) {
      const no = sql.nextLoose.get(firstLoose * BLOCK_SIZE)?.["no"];
      if (no === null || no === undefined) return undefined;
      const block = blockOf(Number(no));
      if (block >= newest) return undefined;
      if (!settled.has(block)) return block;
      firstLoose = block + 1;
    }
  };

  const begin = (block: number): Build => {
    const first = block * BLOCK_SIZE;
    const sample: string[] = [];
    for (const place of samplePlaces(BLOCK_SIZE))
      for (const { text } of texts.between(first + place, first + BLOCK_SIZE, 1)) sample.push(text);
    return { block, builder: new TextBlockBuilder(sample), next: first, texts: 0 };
  };

  const goOn = (current: Build): boolean => {
    const end = (current.block + 1) * BLOCK_SIZE;
    const lot: readonly SearchedText[] = texts.between(current.next, end, LOT);
    for (const { no, text } of lot) current.builder.add(no % BLOCK_SIZE, text);
    current.texts += lot.length;
    current.next = lot.length < LOT ? end : (lot.at(-1)?.no ?? end) + 1;
    return current.next < end;
  };

  const write = ({ block, builder, texts: count }: Build): void => {
    const first = block * BLOCK_SIZE;
    const end = first + BLOCK_SIZE;
    // Some have gone meanwhile: the next try finds the others.
    if (Number(sql.count.get(first, end)?.["n"]) !== count) return;
    try {
      // Not worth a disk write of its own: the next group's write takes it along.
      db.exec("pragma synchronous = normal; begin immediate");
      sql.dropBlock.run(block);
      sql.dropSlices.run(block);
      if (count > 0) insert(block, builder.finish());
      sql.dropTexts.run(first, end);
      sql.dropVoid.run(first, end);
      db.exec("commit");
    } catch (error) {
      if (db.isTransaction) db.exec("rollback");
      throw error;
    } finally {
      db.exec("pragma synchronous = full");
    }
    if (count > 0) settled.add(block);
    else settled.delete(block);
  };

  const insert = (block: number, built: TextBlock): void => {
    const { slots, usualTriples, words, havingWords } = blockColumns(built);
    sql.insertBlock.run(block, slots, usualTriples, words, havingWords);
    for (const [bit, slice] of built.slices) sql.insertSlice.run(block, bit, slice);
  };

  return {
    step() {
      const deadline = performance.now() + STEP_MS;
      if (build === undefined) {
        const found = voidBlock();
        const block = typeof found === "number" ? found : looseBlock();
        if (block === undefined) return found === true ? restMs : undefined;
        build = begin(block);
      }
      while (goOn(build)) if (performance.now() > deadline) return 0;
      const finished = build;
      build = undefined;
      write(finished);
      return 0;
    },
    touch(no) {
      const block = blockOf(no);
      if (build?.block === block) build = undefined;
      if (settled.has(block)) sql.insertVoid.run(no);
    },
  };
}

const prepare = (db: DatabaseSync) => ({
  blocks: db.prepare("select block from search_block"),
  newest: db.prepare("select max(no) as no from search"),
  nextLoose: db.prepare("select min(key) >> 6 as no from search_text where key >= ? << 6"),
  voidBlocks: db.prepare(
    `select block, count from (select no >> ${BLOCK_BITS} as block, count(*) as count from search_void group by 1)
     where count >= ? or not exists
       (select 1 from search where no >= block << ${BLOCK_BITS} and no < (block + 1) << ${BLOCK_BITS})`,
  ),
  count: db.prepare("select count(*) as n from search where no >= ? and no < ?"),
  dropBlock: db.prepare("delete from search_block where block = ?"),
  dropSlices: db.prepare("delete from search_slice where key >= ?1 << 10 and key < (?1 + 1) << 10"),
  dropTexts: db.prepare("delete from search_text where key >= ?1 << 6 and key < ?2 << 6"),
  dropVoid: db.prepare("delete from search_void where no >= ? and no < ?"),
  insertBlock: db.prepare(
    "insert into search_block (block, slots, usual_triples, words, having_words) values (?, ?, ?, ?, ?)",
  ),
  insertSlice: db.prepare("insert into search_slice (key, bits) values ((?1 << 10) | ?2, ?3)"),
  insertVoid: db.prepare("insert or ignore into search_void (no) values (?)"),
});
