import { hasPostgres, type OwnServer, ownServer, testThatPostgresIsThere } from "@downbeat/store/testing";
import { afterAll, describe, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { aFolder, type ChildServer, removeFolder, startChildServer } from "../support/server.ts";
import { elapsed, isLost, Load } from "./load.ts";
import { createRandom } from "./random.ts";

const NODES = Number(process.env["CRASH_NODES"] ?? 3);
const KILLS = Number(process.env["CRASH_KILLS"] ?? 8);
const STARTS_PER_LIFE = 25;
const LONGEST_LIFE_MS = 3000;

const seed = Number(process.env["CRASH_SEED"] ?? Date.now() % 2 ** 31);
const random = createRandom(seed);
const folder = aFolder();

testThatPostgresIsThere();

/** Several servers on one PostgreSQL; whoever asks is answered by one of those that are alive. */
class Fleet {
  readonly #servers = new Map<number, ChildServer>();
  #database: OwnServer | undefined;

  async begin(): Promise<void> {
    this.#database = await ownServer();
    await Promise.all(Array.from({ length: NODES }, (_, index) => this.start(index)));
  }

  async start(index: number): Promise<void> {
    const settings = { "service.db.type": "postgres", "service.db.url": this.#database?.url ?? "" };
    this.#servers.set(index, await startChildServer({ folder, settings }));
  }

  async kill(index: number): Promise<void> {
    const server = this.#servers.get(index);
    this.#servers.delete(index);
    await server?.kill();
  }

  async stop(index: number): Promise<number | null | undefined> {
    const server = this.#servers.get(index);
    this.#servers.delete(index);
    return await server?.stop();
  }

  async crashDatabase(): Promise<void> {
    await this.#database?.crash();
  }

  client(): Promise<Client> {
    return Promise.resolve(random.pick([...this.#servers.values()]).client);
  }

  async ask<T>(question: (client: Client) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await question(await this.client());
      } catch (error) {
        if (!isLost(error)) throw error;
        // Another one may be picked that is dying just now.
        await elapsed(1);
      }
    }
  }
}

const fleet = new Fleet();
const load = new Load(fleet, random);

afterAll(async () => {
  for (let index = 0; index < NODES; index++) await fleet.kill(index);
  load.close();
  removeFolder(folder);
});

describe.skipIf(!hasPostgres)(`${NODES} servers on one PostgreSQL (CRASH_SEED=${seed})`, () => {
  test(`${KILLS} of them are killed, and once PostgreSQL: nothing is lost, nothing is done twice`, {
    timeout: 300_000,
  }, async () => {
    console.info(`CRASH_SEED=${seed}`);
    await fleet.begin();
    const { failed } = await load.begin();
    load.allow(STARTS_PER_LIFE);
    for (let killed = 0; killed < KILLS; killed++) {
      const enough = load.ledger.more(random.between(20, 200));
      await Promise.race([enough, elapsed(LONGEST_LIFE_MS), failed]);
      const index = random.between(0, NODES - 1);
      // Some are stopped as an operator does, who expects it to end well.
      if (random.isOneIn(4)) expect(await fleet.stop(index)).toBe(0);
      else await fleet.kill(index);
      load.allow(STARTS_PER_LIFE);
      await fleet.start(index);
      if (killed !== Math.floor(KILLS / 2)) continue;
      // The database goes too, once, with everything that is under way.
      await Promise.race([load.ledger.more(20), elapsed(LONGEST_LIFE_MS), failed]);
      await fleet.crashDatabase();
      load.allow(STARTS_PER_LIFE);
    }
    await load.finish(KILLS);
    const nodes = (await (await fleet.client()).get("/admin/nodes")).json as { readonly name: string }[];
    expect(nodes).toHaveLength(NODES);
  });
});
