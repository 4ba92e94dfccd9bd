import { afterAll, expect, test } from "vitest";
import type { Client, Json } from "../support/client.ts";
import { eventually } from "../support/client.ts";
import { aWorkflow, entry } from "../support/definitions.ts";
import { aFolder, type ChildServer, removeFolder, startChildServer } from "../support/server.ts";
import { everything } from "./load.ts";
import { createRandom } from "./random.ts";

/** So many that firing them takes a while, and a kill comes in the middle of it. */
const SCHEDULES = 300;
const KILLS = 5;
const seed = Number(process.env["CRASH_SEED"] ?? Date.now() % 2 ** 31);
const random = createRandom(seed);
const folder = aFolder();
let server: ChildServer | undefined;

afterAll(async () => {
  await server?.kill();
  removeFolder(folder);
});

const settings = { "service.scheduler.archivalMaxRecords": "100000" };
const begin = async (): Promise<Client> => {
  server = await startChildServer({ folder, settings });
  return server.client;
};
const kill = async (): Promise<void> => {
  await server?.kill();
  server = undefined;
};

type Record = { readonly scheduleName: string; readonly scheduledTime: number; readonly workflowId: string };

/** How many runs there are of slots from this one on. */
const countFrom = async (client: Client, slotAt: number): Promise<number> => {
  const query = encodeURIComponent(`scheduledTime >= ${slotAt}`);
  const { json } = await client.get(`/scheduler/search/executions?query=${query}&size=0`);
  return (json as { totalHits: number }).totalHits;
};

const records = (client: Client): Promise<Record[]> =>
  everything<Record>(client, "/scheduler/search/executions?sort=scheduledTime:ASC");

test(`every slot has one execution over ${KILLS} kills (CRASH_SEED=${seed})`, { timeout: 180_000 }, async () => {
  console.info(`CRASH_SEED=${seed}`);
  let client = await begin();
  await client.register(aWorkflow("fired", [entry("NOOP", "n")]));
  const from = Math.ceil(Date.now() / 1000) * 1000 + 5000;
  const names = Array.from({ length: SCHEDULES }, (_, n) => `schedule ${n}`);
  const saved = names.map((name, n) =>
    client.post("/scheduler/schedules", {
      name,
      cronExpression: "* * * * * *",
      scheduleStartTime: from,
      runCatchupScheduleInstances: n % 2 === 0,
      startWorkflowRequest: { name: "fired", correlationId: "${scheduleName} ${scheduledTime}" },
    }),
  );
  expect(new Set((await Promise.all(saved)).map(({ status }) => status))).toEqual(new Set([200]));
  for (let life = 0; life < KILLS; life++) {
    const now = Math.max(from, Math.ceil(Date.now() / 1000) * 1000);
    await eventually(async () => ((await countFrom(client, now)) >= SCHEDULES ? true : undefined), 30_000);
    // In the middle of a burst: slots are at whole seconds.
    await elapsed(1000 - (Date.now() % 1000) + random.between(5, 120));
    await kill();
    client = await begin();
  }
  // Until those that were missed while the server was away have been fired too.
  const until = Math.floor(Date.now() / 1000) * 1000;
  await eventually(async () => ((await countFrom(client, until)) >= SCHEDULES ? true : undefined), 60_000);
  const reached = await eventually(async () => {
    const last = new Map((await records(client)).map((one) => [one.scheduleName, one.scheduledTime]));
    return names.every((name) => (last.get(name) ?? 0) >= until) ? true : undefined;
  }, 60_000);
  expect(reached).toBe(true);
  await client.get("/scheduler/admin/pause");

  const found = await records(client);
  const lost: string[] = [];
  for (const name of names) {
    const slots = found.filter((one) => one.scheduleName === name).map((one) => one.scheduledTime);
    const expected = Array.from({ length: slots.length }, (_, n) => from + n * 1000);
    if (String(slots) !== String(expected)) lost.push(`${name}: ${slots.map((slot) => (slot - from) / 1000)}`);
  }
  expect(lost, "schedules with slots that are missing, twice or out of order").toEqual([]);

  const executions = await everything<Json>(client, "/workflow/search?query=workflowType=fired");
  const keys = executions.map((one) => String(one["correlationId"])).sort();
  expect(keys).toEqual(found.map((one) => `${one.scheduleName} ${one.scheduledTime}`).sort());
  console.info(`${found.length} slots of ${SCHEDULES} schedules`);
  const stopped = server;
  server = undefined;
  expect(await stopped?.stop()).toBe(0);
});

const elapsed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
