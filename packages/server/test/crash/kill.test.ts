import { afterAll, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { aFolder, type ChildServer, removeFolder, startChildServer } from "../support/server.ts";
import { elapsed, isLost, Load } from "./load.ts";
import { createRandom } from "./random.ts";

const KILLS = 20;
const STARTS_PER_LIFE = 20;
const LONGEST_LIFE_MS = 1500;

const seed = Number(process.env["CRASH_SEED"] ?? Date.now() % 2 ** 31);
const random = createRandom(seed);
const folder = aFolder();

afterAll(async () => {
  await lives.kill();
  load.close();
  removeFolder(folder);
});

/** One server after the other on the same file. */
class Lives {
  #server: ChildServer | undefined;
  #waiting: ((client: Client) => void)[] = [];
  /** How long the slowest start took. */
  slowestMs = 0;

  async begin(): Promise<void> {
    const startedAt = performance.now();
    this.#server = await startChildServer({ folder, settings: { "service.log.level": "info" } });
    this.slowestMs = Math.max(this.slowestMs, Math.round(performance.now() - startedAt));
    for (const resolve of this.#waiting.splice(0)) resolve(this.#server.client);
  }

  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.kill();
  }

  async stop(): Promise<number | null | undefined> {
    const server = this.#server;
    this.#server = undefined;
    return await server?.stop();
  }

  /** The server that is alive now, or the next. */
  client(): Promise<Client> {
    if (this.#server !== undefined) return Promise.resolve(this.#server.client);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Asks until a server answers: an answer that was lost with its server is asked for again. */
  async ask<T>(question: (client: Client) => Promise<T>): Promise<T> {
    for (;;) {
      const client = await this.client();
      try {
        return await question(client);
      } catch (error) {
        if (!isLost(error)) throw error;
        // The process may be dead before its end is known here: its successor is another client.
        if (client === (await this.client())) await this.#died(client);
      }
    }
  }

  async #died(client: Client): Promise<void> {
    while (client === (await this.client())) await new Promise((resolve) => setImmediate(resolve));
  }
}

const lives = new Lives();

const load = new Load(lives, random);

test(`nothing acknowledged is lost over ${KILLS} kills (CRASH_SEED=${seed})`, { timeout: 180_000 }, async () => {
  console.info(`CRASH_SEED=${seed}`);
  await lives.begin();
  const { failed } = await load.begin();
  load.allow(STARTS_PER_LIFE);
  for (let life = 1; life <= KILLS; life++) {
    const enough = load.ledger.more(random.between(3, 110));
    await Promise.race([enough, elapsed(LONGEST_LIFE_MS), failed]);
    // Off the beat of the answers: in the middle of a group, too.
    await elapsed(random.between(0, 8));
    await lives.kill();
    await lives.begin();
    load.allow(STARTS_PER_LIFE);
  }
  await load.finish(KILLS);
  console.info(`slowest start ${lives.slowestMs} ms`);
  expect(await lives.stop()).toBe(0);
});
