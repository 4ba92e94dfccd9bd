import { hasPostgres, newDatabase, testThatPostgresIsThere } from "@downbeat/store/testing";
import { afterAll, describe, expect, test } from "vitest";
import { type Client, eventually, type Json } from "../support/client.ts";
import { aWorkflow, entry } from "../support/definitions.ts";
import { aFolder, type ChildServer, removeFolder, startChildServer } from "../support/server.ts";
import { elapsed, everything } from "./load.ts";
import { createRandom } from "./random.ts";

const NODES = 2;
const SCHEDULES = Number(process.env["CRASH_SCHEDULES"] ?? 60);
const SECONDS = Number(process.env["CRASH_SECONDS"] ?? 15);
const LIFE_MS = 6000;

const seed = Number(process.env["CRASH_SEED"] ?? Date.now() % 2 ** 31);
const random = createRandom(seed);
const folder = aFolder();
const servers: (ChildServer | undefined)[] = [];

testThatPostgresIsThere();

afterAll(async () => {
  await Promise.all(servers.map((server) => server?.kill()));
  removeFolder(folder);
});

type Run = { readonly scheduleName: string; readonly scheduledTime: number };

describe.skipIf(!hasPostgres)(`${NODES} servers fire ${SCHEDULES} schedules every second`, () => {
  test(`and are killed: every slot has one execution (CRASH_SEED=${seed})`, { timeout: 400_000 }, async () => {
    console.info(`CRASH_SEED=${seed}`);
    const url = await newDatabase();
    const settings = {
      "service.db.type": "postgres",
      "service.db.url": url,
      "service.scheduler.archivalMaxRecords": "1000000",
    };
    const begin = async (node: number): Promise<void> => {
      servers[node] = await startChildServer({ folder, settings });
    };
    await Promise.all(Array.from({ length: NODES }, (_, node) => begin(node)));
    const client = (): Client => {
      const alive = servers.find((server) => server !== undefined);
      if (alive === undefined) throw new Error("Expected a server to be alive");
      return alive.client;
    };
    await client().register(aWorkflow("fired", [entry("NOOP", "n")]));
    const from = Math.ceil(Date.now() / 1000) * 1000 + 10_000;
    const until = from + SECONDS * 1000;
    const names = Array.from({ length: SCHEDULES }, (_, n) => `schedule ${n}`);
    for (const name of names) {
      const { status } = await client().post("/scheduler/schedules", {
        name,
        cronExpression: "* * * * * *",
        scheduleStartTime: from,
        scheduleEndTime: until,
        runCatchupScheduleInstances: true,
        startWorkflowRequest: { name: "fired", correlationId: "${scheduleName} ${scheduledTime}" },
      });
      expect(status).toBe(200);
    }
    for (let node = 0; Date.now() < until; node = (node + 1) % NODES) {
      await elapsed(Math.max(0, from - Date.now()) + LIFE_MS - 1000);
      // In the middle of a burst: slots are at whole seconds.
      await elapsed(1000 - (Date.now() % 1000) + random.between(5, 150));
      await servers[node]?.kill();
      servers[node] = undefined;
      await begin(node);
    }
    const runs = () => everything<Run>(client(), "/scheduler/search/executions?sort=scheduledTime:ASC");
    const found = await eventually(async () => {
      const some = await runs();
      return new Set(some.map((run) => run.scheduleName + run.scheduledTime)).size >= SCHEDULES * SECONDS
        ? some
        : undefined;
    }, 90_000);
    const keys = found.map((run) => `${run.scheduleName} ${run.scheduledTime}`).sort();
    const expected = names
      .flatMap((name) => Array.from({ length: keys.length / SCHEDULES }, (_, n) => `${name} ${from + n * 1000}`))
      .sort();
    expect(keys).toEqual(expected);
    const executions = await everything<Json>(client(), "/workflow/search?query=workflowType=fired");
    expect(executions.map((one) => String(one["correlationId"])).sort()).toEqual(keys);
    console.info(`${keys.length} slots, each with one execution`);
  });
});
