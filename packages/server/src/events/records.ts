import { createHash } from "node:crypto";
import type { Json, JsonObject } from "@downbeat/engine";
import type { DocumentPut, Store } from "@downbeat/store";
import type { Message } from "./actions.ts";
import type { ActionKind } from "./handler.ts";

/** What one action of one handler made of one message. */
export type ActionRecord = {
  readonly id: string;
  readonly messageId: string;
  /** Of the handler. */
  readonly name: string;
  readonly event: string;
  readonly created: number;
  readonly status: "COMPLETED" | "FAILED" | "SKIPPED";
  readonly action: ActionKind | null;
  readonly output: JsonObject;
};

/** A message that handlers were there for. RECEIVED: none of them acted. REJECTED: something failed. */
export type MessageRecord = {
  readonly messageId: string;
  readonly event: string;
  readonly created: number;
  readonly status: "RECEIVED" | "HANDLED" | "REJECTED";
  readonly statusDescription?: string;
  /** Null when messages are not kept. */
  readonly payload: Json;
  readonly replayOf?: string;
  /** Where the records of its actions are. */
  readonly executions: readonly { readonly handler: string; readonly id: string }[];
};

export type DeadLetter = Message & { readonly id: string; readonly created: number; readonly reason: string };

/** What is written down of a message, with what it caused in the same commit. */
export type Handled = Message & {
  readonly created: number;
  /** Under which a second delivery is known; a message that comes only once has none. */
  readonly guard?: string;
  readonly replayOf?: string;
  readonly records: readonly ActionRecord[];
};

type RecordOptions = {
  readonly store: Store;
  readonly keepsMessages: boolean;
  readonly keepsExecutions: boolean;
};

export type Page = { readonly from: number; readonly start: number; readonly limit: number };

const MESSAGES = (event: string): string => `event-message/${event}`;
const SEEN = (event: string): string => `event-seen/${event}`;
const EXECUTIONS = (handler: string): string => `event-execution/${handler}`;
const DEAD_LETTERS = "event-dead-letter";
/** Names under which there are messages and executions: a collection cannot be asked for its neighbours. */
const EVENTS = "event-name";
const HANDLERS = "event-execution-name";

const BATCH = 500;
const LONGEST_KEY = 200;

/** Records of messages and of what handlers made of them: documents by time, and messages by their id as well. */
export class EventRecords {
  readonly #options: RecordOptions;
  /** Names that are on disk. */
  readonly #known = new Set<string>();

  constructor(options: RecordOptions) {
    this.#options = options;
  }

  /** What belongs into the commit that carries out the actions. One that must be new tells a second delivery. */
  documentsOf(handled: Handled): readonly DocumentPut[] {
    const { keepsMessages, keepsExecutions } = this.#options;
    const { event, messageId, created, guard, records } = handled;
    if (guard === undefined && !keepsMessages && !keepsExecutions) return [];
    const at = timeKey(created, messageId);
    const failed = records.find(({ status }) => status === "FAILED");
    const kept = keepsExecutions ? records : [];
    const message: MessageRecord = {
      messageId,
      event,
      created,
      status: failed !== undefined ? "REJECTED" : records.some(acted) ? "HANDLED" : "RECEIVED",
      ...(failed === undefined ? {} : { statusDescription: String(failed.output["exception"] ?? "") }),
      payload: keepsMessages ? handled.payload : null,
      ...(handled.replayOf === undefined ? {} : { replayOf: handled.replayOf }),
      executions: kept.map(({ name, id }) => ({ handler: name, id: timeKey(created, id) })),
    };
    return [
      put(SEEN(event), guard ?? shortKey(messageId), at, guard !== undefined),
      put(MESSAGES(event), at, message),
      ...kept.map((record) => put(EXECUTIONS(record.name), timeKey(created, record.id), record)),
      ...(failed === undefined ? [] : [deadLetter(handled, String(failed.output["exception"] ?? "It failed"))]),
      ...this.#names(EVENTS, [event]),
      ...this.#names(
        HANDLERS,
        kept.map(({ name }) => name),
      ),
    ];
  }

  /** For a message that could not be handled at all. */
  documentsOfFailure(handled: Handled, reason: string): readonly DocumentPut[] {
    return [...this.documentsOf(handled), deadLetter(handled, reason)];
  }

  deadLetterOf(message: Message & Pick<Handled, "created">, reason: string): DocumentPut {
    return deadLetter(message, reason);
  }

  /** The commit with these is on disk. */
  noteStored(documents: readonly DocumentPut[]): void {
    for (const { collection, id } of documents) {
      if (collection === EVENTS || collection === HANDLERS) this.#known.add(nameKey(collection, id));
    }
  }

  /** Newest first. */
  async executions(handler: string, page: Page): Promise<readonly ActionRecord[]> {
    return this.#list<ActionRecord>(EXECUTIONS(handler), page);
  }

  async messages(event: string, page: Page): Promise<readonly MessageRecord[]> {
    return this.#list<MessageRecord>(MESSAGES(event), page);
  }

  async executionsOf({ executions }: MessageRecord): Promise<readonly ActionRecord[]> {
    const { documents } = this.#options.store;
    const found: ActionRecord[] = [];
    for (const { handler, id } of executions) {
      const body = await documents.find(EXECUTIONS(handler), id);
      if (body !== undefined) found.push(JSON.parse(body) as ActionRecord);
    }
    return found;
  }

  async findMessage(event: string, messageId: string): Promise<MessageRecord | undefined> {
    const { documents } = this.#options.store;
    const key = shortKey(messageId);
    const [seen] = await documents.list(SEEN(event), { start: 0, limit: 1, from: key });
    if (seen === undefined || (seen.id !== key && !seen.id.startsWith(`${key}@`))) return undefined;
    const body = await documents.find(MESSAGES(event), JSON.parse(seen.body) as string);
    return body === undefined ? undefined : (JSON.parse(body) as MessageRecord);
  }

  /** How many messages of an event there are, and how many records of a handler. */
  async countMessages(event: string): Promise<number> {
    return this.#options.store.documents.count(MESSAGES(event));
  }

  async countExecutions(handler: string): Promise<number> {
    return this.#options.store.documents.count(EXECUTIONS(handler));
  }

  async eventNames(): Promise<readonly string[]> {
    return this.#allIds(EVENTS);
  }

  // ---- dead letters

  async deadLetters({ start, limit }: Omit<Page, "from">): Promise<readonly DeadLetter[]> {
    return this.#list<DeadLetter>(DEAD_LETTERS, { start, limit, from: 0 });
  }

  async countDeadLetters(): Promise<number> {
    return this.#options.store.documents.count(DEAD_LETTERS);
  }

  async findDeadLetter(id: string): Promise<DeadLetter | undefined> {
    const body = await this.#options.store.documents.find(DEAD_LETTERS, id);
    return body === undefined ? undefined : (JSON.parse(body) as DeadLetter);
  }

  async removeDeadLetter(id: string): Promise<void> {
    await this.#delete(DEAD_LETTERS, [id]);
  }

  // ---- age

  /** Forgets messages, and that they were seen, and executions from before `recordsBefore`. */
  async trim(recordsBefore: number, deadLettersBefore: number, signal: AbortSignal): Promise<number> {
    let removed = 0;
    for (const event of await this.#allIds(EVENTS)) {
      removed += await this.#trim(MESSAGES(event), recordsBefore, signal, (old) => this.#forgetSeen(event, old));
    }
    for (const handler of await this.#allIds(HANDLERS)) {
      removed += await this.#trim(EXECUTIONS(handler), recordsBefore, signal);
    }
    return removed + (await this.#trim(DEAD_LETTERS, deadLettersBefore, signal));
  }

  /** A message may be known by its id and the time it was made: what points at the message goes. */
  async #forgetSeen(event: string, old: readonly { readonly id: string; readonly body: string }[]): Promise<void> {
    const { documents } = this.#options.store;
    const ids: string[] = [];
    for (const { body } of old) {
      const key = shortKey((JSON.parse(body) as MessageRecord).messageId);
      const [seen] = await documents.list(SEEN(event), { start: 0, limit: 1, from: key });
      if (seen !== undefined && (seen.id === key || seen.id.startsWith(`${key}@`))) ids.push(seen.id);
    }
    await this.#delete(SEEN(event), ids);
  }

  async #trim(
    collection: string,
    before: number,
    signal: AbortSignal,
    first?: (old: readonly { readonly id: string; readonly body: string }[]) => Promise<void>,
  ): Promise<number> {
    const end = timeKey(before, "");
    for (let removed = 0; ; ) {
      const page = await this.#options.store.documents.list(collection, { start: 0, limit: BATCH });
      const old = page.filter(({ id }) => id < end);
      if (old.length === 0 || signal.aborted) return removed;
      await first?.(old);
      await this.#delete(
        collection,
        old.map(({ id }) => id),
      );
      removed += old.length;
    }
  }

  async #delete(collection: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#options.store.commit({ kind: "delete-documents", collection, ids });
  }

  async #list<T>(collection: string, { from, start, limit }: Page): Promise<readonly T[]> {
    const page = { start, limit, from: timeKey(from, ""), lastFirst: true };
    return (await this.#options.store.documents.list(collection, page)).map(({ body }) => JSON.parse(body) as T);
  }

  async #allIds(collection: string): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let from = ""; ; from = `${ids.at(-1)}\u0000`) {
      const page = await this.#options.store.documents.list(collection, { start: 0, limit: BATCH, from });
      ids.push(...page.map(({ id }) => id));
      if (page.length < BATCH) return ids;
    }
  }

  #names(collection: string, names: readonly string[]): readonly DocumentPut[] {
    return [...new Set(names)]
      .filter((name) => !this.#known.has(nameKey(collection, name)))
      .map((name) => put(collection, name, {}));
  }
}

const acted = ({ status }: ActionRecord): boolean => status === "COMPLETED";

/** Sorts by time. */
const timeKey = (at: number, id: string): string => `${String(at).padStart(15, "0")}-${shortKey(id)}`;

/** Ids of messages are chosen by whoever sends them: a database's key has its limits. */
export const shortKey = (id: string): string =>
  id.length <= LONGEST_KEY
    ? id
    : `${id.slice(0, LONGEST_KEY / 2)}~${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;

const nameKey = (collection: string, name: string): string => `${collection} ${name}`;

const put = (collection: string, id: string, body: unknown, mustBeNew = false): DocumentPut => ({
  collection,
  id,
  body: JSON.stringify(body),
  mustBeNew,
});

function deadLetter(
  { event, messageId, payload, created }: Message & Pick<Handled, "created">,
  reason: string,
): DocumentPut {
  // Two listeners may both leave the same message.
  const id = timeKey(created, `${messageId}@${event}`);
  const letter: DeadLetter = { id, event, messageId, payload, created, reason };
  return put(DEAD_LETTERS, id, letter);
}
