import { hasPostgres, newDatabase, testThatPostgresIsThere } from "@downbeat/store/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { aTask, aWorkflow, simple } from "../support/definitions.ts";
import { aFolder, type ChildServer, removeFolder, startChildServer } from "../support/server.ts";

const EXECUTIONS = 600;
const AT_ONCE = 200;
const WORKERS = 4;
const BATCH = 50;

testThatPostgresIsThere();

const folder = aFolder();
let server: ChildServer;
let client: Client;

afterAll(async () => {
  await server?.kill();
  removeFolder(folder);
});

/** A value that the server tells of itself. */
async function metric(name: string): Promise<number> {
  const { text } = await client.get("/../actuator/prometheus");
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length));
}

async function startAll(name: string): Promise<void> {
  let left = EXECUTIONS;
  const starter = async (): Promise<void> => {
    while (left-- > 0) await client.start(name);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, starter));
}

async function workUntil(isDone: () => boolean, onDone: (tasks: number) => void): Promise<void> {
  while (!isDone()) {
    const tasks = await client.poll("counted", { count: BATCH, timeout: 1000 });
    await Promise.all(tasks.map((task) => client.complete(task)));
    onDone(tasks.length);
  }
}

describe.skipIf(!hasPostgres)("at load, on PostgreSQL", () => {
  beforeAll(async () => {
    const settings = { "service.db.type": "postgres", "service.db.url": await newDatabase() };
    server = await startChildServer({ folder, settings });
    client = server.client;
  });

  test("a task takes less than a fifth of a statement", { timeout: 120_000 }, async () => {
    await client.registerTasks(aTask("counted"));
    await client.register(
      aWorkflow(
        "three",
        ["a", "b", "c"].map((ref) => simple("counted", ref)),
      ),
    );
    const tasks = 3 * EXECUTIONS;
    const before = await metric("store_statements_total");
    let done = 0;
    const working = Array.from({ length: WORKERS }, () =>
      workUntil(
        () => done >= tasks,
        (more) => {
          done += more;
        },
      ),
    );
    await Promise.all([startAll("three"), ...working]);
    expect(done).toBe(tasks);
    const perTask = ((await metric("store_statements_total")) - before) / tasks;
    console.info(`${perTask.toFixed(3)} statements for each task`);
    expect(perTask).toBeLessThan(0.2);
  });
});
