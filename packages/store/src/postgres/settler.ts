import type { WorkflowStatus } from "@downbeat/engine";
import type { Unit } from "../port.ts";
import { BLOCK_SIZE, blockColumns, samplePlaces, type TextBlock, TextBlockBuilder } from "../sqlite/text-block.ts";
import { type Client, connect, end } from "./connection.ts";
import { settledTexts } from "./search-hits.ts";

/** Any number will do, as long as nobody else locks by it. */
const SETTLE_LOCK = 0x736574;
/** Texts that are read at once. */
const LOT = 256;
/** So many of a block have changed or gone that it is worth writing it again: once, for one that goes bit by bit. */
const MANY_VOID = BLOCK_SIZE / 2;
/** Between two blocks, so that others have their turn. */
const PAUSE_MS = 50;
/** Groups of commits a second below which it is quiet. */
const QUIET = 100;
/** So many have ended or gone since it last looked that it looks again. */
const MANY_CHANGES = 500;
/** Those that began long before others which have settled are looked for by going through all, at most so often. */
const FROM_THE_BEGINNING_MS = 600_000;

const endStatuses: readonly WorkflowStatus[] = ["COMPLETED", "FAILED", "TIMED_OUT", "TERMINATED"];

export type SettlerOptions = {
  readonly url: string;
  readonly afterMs: number;
  /** Groups of commits so far. */
  readonly written: () => number;
  readonly onStatement: () => void;
};

/**
 * Moves texts of ended executions from `search_text`, where each is looked at, into blocks, where a word is looked for in
 * thousands at once. It begins when enough have ended here and it is quiet; of several nodes one does it at a time.
 */
export class Settler {
  readonly #options: SettlerOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;
  #changes = 0;
  #writtenBefore = 0;
  /** By status, when the youngest began that was looked at. */
  readonly #seen = new Map<WorkflowStatus, number>();
  #beganAnewAt = performance.now();

  constructor(options: SettlerOptions) {
    this.#options = options;
    // What an earlier run left settles too.
    this.#wake();
  }

  /** Takes note of what was committed. */
  note(unit: Unit): void {
    const hasEnded = unit.kind === "transition" && (unit.changes?.head.endTime ?? 0) > 0;
    if ((hasEnded || unit.kind === "remove-execution") && ++this.#changes >= MANY_CHANGES) this.#wake();
  }

  #wake(): void {
    if (this.#timer !== undefined || this.#running !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#running = this.#settle().then((isDone) => {
        this.#running = undefined;
        if (!isDone) this.#wake();
      });
    }, this.#options.afterMs);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** False when there may be more to do later. */
  async #settle(): Promise<boolean> {
    let client: Client | undefined;
    try {
      while (!this.#isClosed && this.#isQuiet()) {
        client ??= await connect(this.#options.url, "settle");
        this.#changes = 0;
        if (!(await this.#settleBlock(client))) return this.#changes < MANY_CHANGES;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
      return this.#isClosed;
    } catch {
      // Whatever was under way is rolled back, and done when more has ended.
      return true;
    } finally {
      if (client !== undefined) await end(client);
    }
  }

  #isQuiet(): boolean {
    const written = this.#options.written();
    const groups = written - this.#writtenBefore;
    this.#writtenBefore = written;
    return groups < (QUIET * this.#options.afterMs) / 1000 || groups === 0;
  }

  /** False when there is nothing to settle, or another node is at it. */
  async #settleBlock(client: Client): Promise<boolean> {
    const query = async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> => {
      this.#options.onStatement();
      return (await client.query<Row>(text, [...values])).rows;
    };
    await query("begin");
    try {
      const isMine = await query<{ mine: boolean }>("select pg_try_advisory_xact_lock($1) as mine", [SETTLE_LOCK]);
      const ids = isMine[0]?.mine ? ((await dissolve(query)) ?? (await this.#endedTexts(query))) : undefined;
      if (ids !== undefined && ids.length > 0) await writeBlock(query, ids);
      await query("commit");
      return ids !== undefined;
    } catch (error) {
      await query("rollback");
      throw error;
    }
  }

  /** As many as make a block, the oldest first; undefined when there are fewer. */
  async #endedTexts(query: Query): Promise<readonly string[] | undefined> {
    for (const status of endStatuses) {
      const rows = await query<{ id: string; start_time: number }>(
        `select s.id, s.start_time from search s
         where s.status = $1 and s.start_time >= $2 and s.no is null order by s.start_time limit ${BLOCK_SIZE}`,
        [status, this.#seen.get(status) ?? 0],
      );
      const last = rows.at(-1);
      if (last === undefined || rows.length < BLOCK_SIZE) continue;
      this.#seen.set(status, last.start_time);
      return rows.map(({ id }) => id);
    }
    if (performance.now() - this.#beganAnewAt > FROM_THE_BEGINNING_MS) {
      this.#beganAnewAt = performance.now();
      this.#seen.clear();
    }
    return undefined;
  }
}

type Query = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Takes a block apart of which much or all is void: what is left of it settles anew. Undefined when there is none. */
async function dissolve(query: Query): Promise<readonly string[] | undefined> {
  const [found] = await query<{ block: number }>(
    `select b.block from (select v.no / ${BLOCK_SIZE} as block, count(*) as voids from search_void v group by 1) b
     where b.voids >= ${MANY_VOID} or not exists
       (select from search s where s.no >= b.block * ${BLOCK_SIZE} and s.no < (b.block + 1) * ${BLOCK_SIZE})
     limit 1`,
  );
  if (found === undefined) return undefined;
  const range = [found.block * BLOCK_SIZE, (found.block + 1) * BLOCK_SIZE];
  const rows = await query<{ id: string }>(
    "select s.id from search s where s.no >= $1 and s.no < $2 order by s.no for update",
    range,
  );
  await query("delete from search_void v where v.no >= $1 and v.no < $2", range);
  await query("delete from search_slice l where l.block = $1", [found.block]);
  await query("delete from search_block b where b.block = $1", [found.block]);
  return rows.map(({ id }) => id);
}

async function writeBlock(query: Query, ids: readonly string[]): Promise<void> {
  // Whoever changes one of them meanwhile waits for this, and then writes a text of its own. In the order of commits.
  await query("select from search s where s.id = any($1::text[]) order by s.id for update", [ids]);
  await query("select from search_text g where g.exec = any($1::text[]) order by g.exec, g.part for update", [ids]);
  const [free] = await query<{ block: number }>(
    `select n.block from generate_series(0, (select coalesce(max(b.block), -1) + 1 from search_block b)) n (block)
     where not exists (select from search_block b where b.block = n.block) order by n.block limit 1`,
  );
  const block = free?.block ?? 0;
  const sample = await settledTexts(query, [...new Set(samplePlaces(ids.length).map((place) => ids[place] ?? ""))]);
  const builder = new TextBlockBuilder([...sample.values()]);
  const places = new Map(ids.map((id, place) => [id, place]));
  for (let start = 0; start < ids.length; start += LOT) {
    const lot = ids.slice(start, start + LOT);
    const texts = await settledTexts(query, lot);
    for (const id of lot) builder.add(places.get(id) ?? 0, texts.get(id) ?? "");
  }
  await insertBlock(query, block, builder.finish());
  // Written again where it has been, a row would be void.
  await query(
    `update search s set no = $2 + p.place - 1 from unnest($1::text[]) with ordinality p (id, place)
     where s.id = p.id and s.no is distinct from $2 + p.place - 1`,
    [ids, block * BLOCK_SIZE],
  );
  await query("delete from search_text g where g.exec = any($1::text[])", [ids]);
}

async function insertBlock(query: Query, block: number, built: TextBlock): Promise<void> {
  const { slots, usualTriples, words, havingWords } = blockColumns(built);
  await query(
    "insert into search_block (block, slots, usual_triples, words, having_words) values ($1, $2, $3, $4, $5)",
    [block, slots, usualTriples, words, havingWords],
  );
  const { slices } = built;
  await query(
    "insert into search_slice (block, bit, bits) select $1, l.bit, l.bits from unnest($2::int[], $3::bit varying[]) l (bit, bits)",
    [block, [...slices.keys()], [...slices.values()].map(bitText)],
  );
}

/** Bits as `0`s and `1`s. */
const bitText = (bytes: Uint8Array): string => Array.from(bytes, (byte) => reversed[byte]).join("");

const reversed = Array.from({ length: 256 }, (_, byte) => [...byte.toString(2).padStart(8, "0")].reverse().join(""));
