import type { QueryResultRow } from "pg";
import { type Client, connect, end, isLost } from "./connection.ts";

export type Statement = { readonly name: string; readonly text: string };

/** Connections that answer reads. Each takes the next question before it has answered the last. */
const CONNECTIONS = 2;
const GIVE_UP_MS = 60_000;
const PAUSE_MS = 100;

/** What the reads need of it. */
export type Reads = Pick<Reader, "all" | "first">;

type Slot = { client: Promise<Client> | undefined; asked: number };

/** Answers reads, each by its own look at the database. A read whose connection is lost is asked again. */
export class Reader {
  readonly #url: string;
  readonly #onStatement: () => void;
  readonly #slots: readonly Slot[] = Array.from({ length: CONNECTIONS }, () => ({ client: undefined, asked: 0 }));
  #isClosed = false;

  constructor({ url, onStatement }: { readonly url: string; readonly onStatement: () => void }) {
    this.#url = url;
    this.#onStatement = onStatement;
  }

  async all<Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    for (const startedAt = performance.now(); ; ) {
      if (this.#isClosed) throw new Error("The store is closed");
      const slot = this.#leastBusy();
      slot.asked++;
      try {
        const client = await this.#clientOf(slot);
        this.#onStatement();
        return (await client.query<Row>({ ...statement, values: [...values] })).rows;
      } catch (error) {
        if (this.#isClosed) throw new Error("The store is closed", { cause: error });
        if (!isLost(error) || performance.now() - startedAt > GIVE_UP_MS) throw error;
        slot.client = undefined;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * Math.random()));
      } finally {
        slot.asked--;
      }
    }
  }

  async first<Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]): Promise<Row | undefined> {
    return (await this.all<Row>(statement, values))[0];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const clients = await Promise.allSettled(this.#slots.map(({ client }) => client));
    for (const outcome of clients) {
      if (outcome.status === "fulfilled" && outcome.value !== undefined) await end(outcome.value);
    }
  }

  #leastBusy(): Slot {
    return this.#slots.reduce((one, other) => (other.asked < one.asked ? other : one));
  }

  #clientOf(slot: Slot): Promise<Client> {
    if (slot.client === undefined) {
      const client = connect(this.#url, "read", () => {
        if (slot.client === client) slot.client = undefined;
      });
      slot.client = client;
    }
    return slot.client;
  }
}
