import type { JsonObject } from "@downbeat/engine";
import type { Runtime } from "@downbeat/server";

/** A name of a moment, or an event that came from outside and is nowhere else. */
export type LogEntry = string | JsonObject;

const COLLECTION = "agent-stream";
const PER_CHUNK = 100;
const PAGE = 50;

/**
 * The order in which the events of a run were told. An event's number is its place here, so everybody hears the same
 * numbers, whichever server they ask and whenever. Moments are kept by name; what happened is read from the run.
 */
export class StreamLog {
  readonly #runtime: Runtime;
  readonly #id: string;
  readonly #entries: LogEntry[] = [];
  readonly #names = new Set<string>();
  /** As stored, by number. */
  readonly #chunks: string[] = [];
  /** Reading and adding come one after the other: what another adds must not be counted twice. */
  #last: Promise<void> = Promise.resolve();

  constructor(runtime: Runtime, id: string) {
    this.#runtime = runtime;
    this.#id = id;
  }

  get length(): number {
    return this.#entries.length;
  }

  at(index: number): LogEntry | undefined {
    return this.#entries[index];
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  get entries(): readonly LogEntry[] {
    return this.#entries;
  }

  /** Reads what others added since. */
  read(): Promise<void> {
    return this.#inTurn(() => this.#read());
  }

  /** Adds what is not there yet. Resolves when it is on disk, behind what another server may have added meanwhile. */
  append(added: readonly LogEntry[]): Promise<void> {
    return this.#inTurn(() => this.#append(added));
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #read(): Promise<void> {
    for (;;) {
      const from = Math.max(0, this.#chunks.length - 1);
      const found = await this.#runtime.store.documents.list(COLLECTION, {
        start: 0,
        limit: PAGE,
        from: this.#chunkId(from),
      });
      const own = found.filter(({ id }) => id.startsWith(`${this.#id}/`));
      for (const [index, { body }] of own.entries()) this.#take(from + index, body);
      if (own.length < PAGE) return;
    }
  }

  #take(chunk: number, body: string): void {
    this.#chunks[chunk] = body;
    const entries = JSON.parse(body) as LogEntry[];
    for (const [index, entry] of entries.entries()) {
      const place = chunk * PER_CHUNK + index;
      if (place >= this.#entries.length) this.#remember(entry);
    }
  }

  #remember(entry: LogEntry): void {
    this.#entries.push(entry);
    if (typeof entry === "string") this.#names.add(entry);
  }

  async #append(added: readonly LogEntry[]): Promise<void> {
    for (;;) {
      const fresh = this.#freshOf(added);
      if (fresh.length === 0) return;
      const documents = this.#documentsWith(fresh);
      const { kind } = await this.#runtime.store.commit({ kind: "put-documents", documents });
      if (kind === "done") {
        for (const entry of fresh) this.#remember(entry);
        const first = this.#chunkOf(this.#entries.length - fresh.length);
        for (const [index, { body }] of documents.entries()) this.#chunks[first + index] = body;
        return;
      }
      await this.#read();
    }
  }

  /** Adds without storing: for a run that is over, whose events come in the same order whenever they are looked for. */
  take(added: readonly LogEntry[]): void {
    for (const entry of this.#freshOf(added)) this.#remember(entry);
  }

  /** Each moment once: it may have been seen twice, in what was read and in what was told. */
  #freshOf = (added: readonly LogEntry[]): readonly LogEntry[] =>
    [...new Set(added)].filter((entry) => typeof entry !== "string" || !this.has(entry));

  #documentsWith(fresh: readonly LogEntry[]) {
    const first = this.#chunkOf(this.#entries.length);
    const rest = [...this.#entries.slice(first * PER_CHUNK), ...fresh];
    const count = Math.ceil(rest.length / PER_CHUNK);
    return Array.from({ length: count }, (_, index) => {
      const before = this.#chunks[first + index];
      return {
        collection: COLLECTION,
        id: this.#chunkId(first + index),
        body: JSON.stringify(rest.slice(index * PER_CHUNK, (index + 1) * PER_CHUNK)),
        mustBeNew: before === undefined,
        ...(before === undefined ? {} : { replaces: before }),
      };
    });
  }

  #chunkOf = (place: number): number => Math.floor(place / PER_CHUNK);
  #chunkId = (chunk: number): string => `${this.#id}/${String(chunk).padStart(6, "0")}`;
}

/** Forgets the order of runs that are gone. */
export async function sweepLogs(runtime: Runtime): Promise<void> {
  const { documents } = runtime.store;
  let from = "";
  for (;;) {
    const page = await documents.list(COLLECTION, { start: 0, limit: PAGE, from });
    const gone: string[] = [];
    for (const { id } of page) {
      if ((await runtime.loadHead(id.slice(0, id.indexOf("/")))) === undefined) gone.push(id);
    }
    if (gone.length > 0) await runtime.store.commit({ kind: "delete-documents", collection: COLLECTION, ids: gone });
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    // The next one after it.
    from = `${last.id} `;
  }
}
