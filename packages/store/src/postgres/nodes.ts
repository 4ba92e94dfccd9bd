import type { NodeListener, NodeState, Nodes, QueuedWork, Word } from "../port.ts";
import type { WorkRow } from "../sqlite/work-row.ts";
import { type Client, connect, end, isLost } from "./connection.ts";
import { workColumns } from "./execution-reads.ts";
import { giveBackLeases, inheritEvents } from "./leases.ts";
import { Standby } from "./standby.ts";
import { toQueued } from "./taken.ts";
import { plainText, safeText } from "./text.ts";

const BEAT_MS = 1000;
/** A node that is silent for so long is gone. */
const DEAD_MS = 5000;
/** A row of a node that is gone is of use while the node may come back and ask. */
const FORGET_MS = 3_600_000;
const RETRY_MS = 250;
/** Who has not acted on a word by then is as good as gone: its heartbeats will tell. */
const PATIENCE_MS = 3000;
/** Words that come together go together; the first goes at once. */
const GATHER_MS = 3;
const CHANNEL = "downbeat";
/** The database takes 8,000 bytes. */
const MOST_BYTES = 7000;
const TIMER_LEASE_MS = 5000;
const LOOK_BACK_BEATS = 10;

type NodeRow = {
  readonly id: string;
  readonly epoch: number;
  readonly run: string;
  readonly gone: boolean;
  readonly info: string;
  readonly silent: number;
  readonly now: number;
};

type NodesOptions = {
  readonly url: string;
  readonly node: string;
  readonly run: string;
  readonly epoch: number;
  readonly clockOffset: number;
  readonly take: Nodes["takeReady"];
  readonly onStatement: () => void;
  readonly onFailure: ((error: Error) => void) | undefined;
};

type Waiting = { readonly left: Set<string>; readonly resolve: () => void };

/** One connection for everything between nodes: heartbeats, words, watches, timers, and what the dead leave behind. */
export class PostgresNodes implements Nodes {
  readonly self: string;
  readonly #options: NodesOptions;
  readonly takeReady: Nodes["takeReady"];
  #epoch: number;
  readonly #common: Standby;
  #listener: NodeListener | undefined;
  #live: readonly NodeState[] = [];
  #clockOffset: number;
  #bestTripMs = Number.POSITIVE_INFINITY;
  #beatAt = 0;
  /** Others are given up only after their heartbeats could be seen for a while. */
  #judgesFrom = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #words = new Map<string, Word>();
  #isGathering = false;
  #asked = 0;
  readonly #waiting = new Map<number, Waiting>();
  readonly #watched = new Set<string>();
  readonly #heirs = new Map<string, Promise<void>>();
  readonly #watcher: Standby;
  #beats = 0;
  #work: Promise<unknown> = Promise.resolve();

  constructor(options: NodesOptions) {
    this.#options = options;
    this.self = options.node;
    this.#epoch = options.epoch;
    this.#clockOffset = options.clockOffset;
    this.takeReady = options.take;
    this.#common = new Standby((onLost) => this.#connect(onLost));
    this.#watcher = new Standby((onLost) => connect(options.url, "nodes", onLost));
  }

  get epoch(): number {
    return this.#epoch;
  }

  get isAlone(): boolean {
    return this.#live.length <= 1;
  }

  get clockOffset(): number {
    return this.#clockOffset;
  }

  list(): readonly NodeState[] {
    return this.#live;
  }

  async join(listener: NodeListener): Promise<void> {
    this.#listener = listener;
    await this.#beat();
    await this.tellAndWait(["hello"]);
    this.#schedule();
  }

  tell(word: Word): void {
    if (this.isAlone || this.#isClosed) return;
    this.#words.set(JSON.stringify(word), word);
    if (this.#isGathering) return;
    this.#isGathering = true;
    queueMicrotask(() => this.#flush());
  }

  async tellAndWait(word: Word): Promise<void> {
    const others = this.#others();
    if (others.length === 0) return;
    const asked = ++this.#asked;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => done(), PATIENCE_MS);
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(asked);
        resolve();
      };
      this.#waiting.set(asked, { left: new Set(others), resolve: done });
      void this.#notify([["?", asked, ...word]]);
    });
  }

  async watch(id: string): Promise<void> {
    this.#watched.add(id);
    if (!this.isAlone) await this.#putWatches([id]);
  }

  unwatch(id: string): void {
    if (!this.#watched.delete(id)) return;
    const end = async (): Promise<void> => {
      const client = await this.#watcher.connected();
      await client.query("delete from watch where exec = $1 and node = $2", [safeText(id), this.self]);
    };
    end().catch(() => undefined);
  }

  async takeDue(now: number, limit: number): Promise<readonly QueuedWork[]> {
    const at = Math.floor(now);
    const { rows } = await this.#query<WorkRow>(
      `with due as (
         select w.exec, w.no from work w where w.timer > 0 and w.timer <= $1 order by w.timer limit $2
         for update skip locked
       )
       update work w set timer = $3 from due d where w.exec = d.exec and w.no = d.no returning ${workColumns}`,
      [at, limit, at + TIMER_LEASE_MS],
    );
    return rows.map(toQueued);
  }

  /** Others take over at once what is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { resolve } of this.#waiting.values()) resolve();
    await this.#work.catch(() => undefined);
    try {
      if (this.#listener !== undefined) await this.#leave();
    } catch {
      // The others will notice by themselves.
    }
    await Promise.all(this.#heirs.values());
    await this.#watcher.close();
    await this.#common.close();
  }

  async #leave(): Promise<void> {
    const { rows } = await this.#query<{ epoch: number }>(
      `update node set seen = 'epoch', epoch = epoch + 1 where id = $1 and epoch = $2 returning epoch`,
      [this.self, this.#epoch],
    );
    const epoch = rows[0]?.epoch;
    if (epoch === undefined) return;
    await this.#apart((client) => giveBackLeases(client, this.self, epoch));
    await this.#query("select pg_notify($1, $2)", [CHANNEL, JSON.stringify({ from: this.self, words: [["bye"]] })]);
  }

  #others(): readonly string[] {
    return this.#live.map(({ name }) => name).filter((name) => name !== this.self);
  }

  #schedule(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#work = this.#beatOrRetry();
    }, BEAT_MS);
  }

  async #beatOrRetry(): Promise<void> {
    try {
      await this.#beat();
      this.#schedule();
    } catch {
      // The database is away. Writers and readers wait for it too.
      if (!this.#isClosed) this.#timer = setTimeout(() => void this.#beatOrRetry(), RETRY_MS);
    }
  }

  /** Says that this node is there, and hears who else is. */
  async #beat(): Promise<void> {
    if (this.#isClosed) return;
    const sentAt = Date.now();
    const { rows } = await this.#query<NodeRow>(
      `with beat as (
         update node set seen = clock_timestamp(), gone = false, info = $4 where id = $1 and epoch = $2 and run = $3
       )
       select n.id, n.epoch, n.run, n.gone, n.info, (extract(epoch from clock_timestamp() - n.seen) * 1000)::int8 as silent,
         (extract(epoch from clock_timestamp()) * 1000)::int8 as now
       from node n order by n.id`,
      [this.self, this.#epoch, this.#options.run, this.#listener?.describe() ?? "{}"],
    );
    const own = rows.find(({ id }) => plainText(id) === this.self);
    if (this.#isClosed) return;
    if (own === undefined || own.epoch !== this.#epoch || own.run !== this.#options.run) {
      await this.#comeBack(own);
      return;
    }
    this.#noteClock(sentAt, own.now);
    if (Date.now() - this.#beatAt > DEAD_MS / 2) this.#judgesFrom = Date.now() + (this.#beatAt === 0 ? 0 : DEAD_MS);
    this.#beatAt = Date.now();
    await this.#look(rows);
  }

  /** The others gave this node up, and have what it held. It goes on under a new epoch. */
  async #comeBack(own: NodeRow | undefined): Promise<void> {
    const { run, onFailure } = this.#options;
    if (own !== undefined && own.run !== run) {
      onFailure?.(new Error(`Expected this node's name to be its own, but another server goes by ${this.self}`));
      return;
    }
    const { rows } = await this.#query<{ epoch: number }>(
      `insert into node (id, epoch, seen, gone, run, info) values ($1, $2, clock_timestamp(), false, $3, '{}')
       on conflict (id) do update set epoch = node.epoch + 1, seen = clock_timestamp(), gone = false
       where node.run = $3 returning epoch`,
      [this.self, this.#epoch + 1, run],
    );
    this.#epoch = rows[0]?.epoch ?? this.#epoch;
    // They went with the rest.
    this.#putWatchesAgain();
    this.#listener?.onGap();
  }

  #noteClock(sentAt: number, now: number): void {
    const tripMs = Date.now() - sentAt;
    // Clocks drift: an old measurement, however good, counts less and less.
    if (tripMs > this.#bestTripMs + 1) {
      this.#bestTripMs += 0.1;
      return;
    }
    this.#bestTripMs = tripMs;
    this.#clockOffset = offsetOf(sentAt, tripMs, now);
  }

  async #look(rows: readonly NodeRow[]): Promise<void> {
    const isDead = ({ id, silent }: NodeRow): boolean => plainText(id) !== this.self && silent > DEAD_MS;
    const live = rows.filter((row) => !row.gone && !isDead(row));
    const before = this.#live.map(({ name }) => name).join("\n");
    this.#live = live.map(({ id, silent, info }) => ({ name: plainText(id), silentMs: silent, info }));
    if (before !== this.#live.map(({ name }) => name).join("\n")) this.#changed();
    this.#beats++;
    for (const row of rows) {
      if (row.gone && row.silent > FORGET_MS) await this.#forget(row);
      // A commit of a node that is gone may have ended after it was taken over: its rows are looked for again.
      else if (row.gone ? this.#beats % LOOK_BACK_BEATS === 0 : isDead(row) && Date.now() >= this.#judgesFrom)
        this.#takeOver(row);
    }
  }

  #changed(): void {
    for (const { left, resolve } of this.#waiting.values()) {
      for (const name of left) if (!this.#others().includes(name)) left.delete(name);
      if (left.size === 0) resolve();
    }
    // Watches that began while nobody else was there.
    if (!this.isAlone) this.#putWatchesAgain();
    this.#listener?.onChange();
  }

  /** Not beside the heartbeat's back: an execution that is locked may keep it waiting. */
  #putWatchesAgain(): void {
    if (this.#watched.size === 0) return;
    this.#putWatches([...this.#watched]).catch(() => {
      if (!this.#isClosed) setTimeout(() => this.#putWatchesAgain(), RETRY_MS).unref();
    });
  }

  /** Beside the heartbeat, which must not wait for it. */
  #takeOver(row: NodeRow): void {
    if (this.#heirs.has(row.id)) return;
    const heir = this.#inherit(row)
      .catch(() => {
        // Some of it may be done, and its answer lost.
        this.#listener?.inherit([]);
      })
      .finally(() => this.#heirs.delete(row.id));
    this.#heirs.set(row.id, heir);
  }

  async #inherit(row: NodeRow): Promise<void> {
    const epoch = row.gone ? row.epoch : await this.#bury(row);
    if (epoch === undefined) return;
    await this.#apart(async (client) => {
      const queues = await giveBackLeases(client, row.id, epoch);
      const moved = await inheritEvents(client, row.id, this.self);
      if (moved > 0 || queues.size > 0) this.#listener?.inherit([...queues]);
      if (row.gone) return;
      await client.query("delete from watch where node = $1", [row.id]);
      await client.query("update node set gone = true where id = $1 and epoch = $2", [row.id, epoch]);
    });
  }

  /** One of those who notice does it. Should it die over it, the row is there for the next. */
  async #bury(row: NodeRow): Promise<number | undefined> {
    const { rows } = await this.#query<{ epoch: number }>(
      `update node set epoch = epoch + 1, seen = clock_timestamp() where id = $1 and epoch = $2 and not gone
       and seen < clock_timestamp() - interval '${DEAD_MS} ms' returning epoch`,
      [row.id, row.epoch],
    );
    return rows[0]?.epoch;
  }

  /** Transactions have a connection of their own: on the common one, whatever is asked meanwhile would be part of them. */
  async #apart(act: (client: Client) => Promise<unknown>): Promise<void> {
    const client = await connect(this.#options.url, "heir");
    try {
      await act(client);
    } finally {
      await end(client);
    }
  }

  async #forget(row: NodeRow): Promise<void> {
    const { rowCount } = await this.#query("delete from node where id = $1 and epoch = $2 and gone", [
      row.id,
      row.epoch,
    ]);
    if (rowCount === 1)
      await this.#query("delete from commit_group where substr(writer, strpos(writer, ' ') + 1) = $1", [row.id]);
  }

  /**
   * Locks the executions: a commit that is under way is waited for, a later one sees the watch. By a connection of its
   * own, since it may have to wait.
   */
  async #putWatches(ids: readonly string[]): Promise<void> {
    const client = await this.#watcher.connected();
    this.#options.onStatement();
    await client.query(
      `with held as (select e.id from execution e where e.id = any($1::text[]) order by e.id for share)
       insert into watch (exec, node) select i.id, $2 from unnest($1::text[]) i (id), (select count(*) from held) h
       on conflict do nothing`,
      [ids.map(safeText), this.self],
    );
  }

  // ---- words

  #flush(): void {
    const words = [...this.#words.values()];
    this.#words = new Map();
    if (words.length === 0) {
      this.#isGathering = false;
      return;
    }
    void this.#notify(words);
    setTimeout(() => this.#flush(), GATHER_MS);
  }

  async #notify(words: readonly Word[]): Promise<void> {
    try {
      for (const payload of this.#payloads(words)) await this.#query("select pg_notify($1, $2)", [CHANNEL, payload]);
    } catch {
      // Whoever misses it looks for itself after a while.
    }
  }

  /** A word that is too long by itself is of no use to anyone in pieces: it is dropped. */
  #payloads(words: readonly Word[]): readonly string[] {
    const pack = (some: readonly Word[]): string => JSON.stringify({ from: this.self, words: some });
    const whole = pack(words);
    if (Buffer.byteLength(whole) <= MOST_BYTES) return [whole];
    if (words.length <= 1) return [];
    const middle = words.length >> 1;
    return [...this.#payloads(words.slice(0, middle)), ...this.#payloads(words.slice(middle))];
  }

  #hear(payload: string | undefined): void {
    const said = readWords(payload);
    if (said === undefined || said.from === this.self) return;
    // What goes wrong with one is the listener's to tell; whoever asked is answered all the same.
    for (const word of said.words) this.#heed(said.from, word).catch(() => undefined);
  }

  async #heed(from: string, word: Word): Promise<void> {
    const [first, asked, ...rest] = word;
    if (first === "!") {
      if (rest[0] !== this.self) return;
      const waiting = this.#waiting.get(Number(asked));
      waiting?.left.delete(from);
      if (waiting?.left.size === 0) waiting.resolve();
      return;
    }
    const isQuestion = first === "?";
    try {
      const said = isQuestion ? rest : word;
      if (said[0] === "hello" || said[0] === "bye") await this.#beat();
      else await this.#listener?.hear(said, from);
    } finally {
      // After everything that it has made this node say.
      if (isQuestion) this.tell(["!", Number(asked), from]);
    }
  }

  // ---- the connection

  async #query<Row extends object>(text: string, values: readonly unknown[]) {
    const client = await this.#common.connected();
    this.#options.onStatement();
    try {
      return await client.query<Row & Record<string, unknown>>(text, [...values]);
    } catch (error) {
      if (isLost(error)) this.#common.drop(client);
      throw error;
    }
  }

  async #connect(onLost: () => void): Promise<Client> {
    const client = await connect(this.#options.url, "nodes", onLost);
    client.on("notification", ({ payload }) => this.#hear(payload));
    await client.query(`listen ${CHANNEL}`);
    // Nothing was heard while there was no connection.
    if (this.#beatAt > 0) this.#listener?.onGap();
    return client;
  }
}

/** How far the database's clock is ahead of this machine's. */
export async function readClockOffset(client: Client): Promise<number> {
  const sentAt = Date.now();
  const { rows } = await client.query<{ now: number }>(
    "select (extract(epoch from clock_timestamp()) * 1000)::int8 as now",
  );
  return offsetOf(sentAt, Date.now() - sentAt, rows[0]?.now ?? sentAt);
}

/** Clocks that agree as far as can be told are taken to agree. */
function offsetOf(sentAt: number, tripMs: number, now: number): number {
  const offset = now - Math.round(sentAt + tripMs / 2);
  return Math.abs(offset) <= tripMs / 2 + 1 ? 0 : offset;
}

/** Anyone may speak on the channel; what is not a node's is nothing. */
function readWords(
  payload: string | undefined,
): { readonly from: string; readonly words: readonly Word[] } | undefined {
  try {
    const { from, words } = JSON.parse(payload ?? "") as { readonly from?: unknown; readonly words?: unknown };
    return typeof from === "string" && Array.isArray(words) ? { from, words: words as Word[] } : undefined;
  } catch {
    return undefined;
  }
}
