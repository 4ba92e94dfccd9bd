import { normalizeWorkflowDef } from "@downbeat/engine";
import { openPostgresStore } from "@downbeat/store/postgres";
import { hasPostgres, newDatabase, testThatPostgresIsThere } from "@downbeat/store/testing";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config.ts";
import { startOrFind } from "../../src/http/start.ts";
import { createLogger } from "../../src/log.ts";
import { Runtime } from "../../src/runtime/runtime.ts";
import { scheduleModel } from "../../src/scheduler/schedule.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";
import { eventually } from "../support/client.ts";
import { aWorkflow, entry } from "../support/definitions.ts";
import { aFolder, removeFolder } from "../support/server.ts";

testThatPostgresIsThere();

const SCHEDULES = 40;
const everySecond = "* * * * * *";

type Node = { readonly runtime: Runtime; readonly scheduler: Scheduler; readonly close: () => Promise<void> };

type NodeOptions = {
  readonly url: string;
  readonly node: string;
  readonly folder: string;
  /** What it logs as an error. */
  readonly errors: string[];
  /** For every slot. */
  readonly rank?: number;
  readonly grace?: string;
};

/** A node without its HTTP interface. */
async function startNode({ url, node, folder, errors, rank = 0, grace = "60s" }: NodeOptions): Promise<Node> {
  const argv = [`--service.db.url=${folder}/${node}`, `--service.scheduler.misfire-grace=${grace}`];
  const { config } = loadConfig({ argv, env: {}, cwd: folder });
  const write = (line: string, level: string) => {
    if (level === "error") errors.push(line);
  };
  const log = createLogger({ level: "warn", format: "json", now: Date.now, write });
  const store = await openPostgresStore({ url, node });
  const runtime = new Runtime({ config, log, env: {}, store });
  await runtime.start();
  const scheduler = new Scheduler({
    runtime,
    start: (request, more, attached) => startOrFind(runtime, request, { more, attached }),
    reasonOf: String,
    ranks: () => rank,
  });
  await scheduler.start();
  return {
    runtime,
    scheduler,
    async close() {
      await scheduler.close();
      await runtime.close();
    },
  };
}

const fired = normalizeWorkflowDef(aWorkflow("fired", [entry("NOOP", "n")]));
const names = Array.from({ length: SCHEDULES }, (_, n) => `schedule ${n}`);

async function saveAll({ scheduler, runtime }: Node, from: number): Promise<void> {
  await runtime.definitions.putWorkflowDef(fired);
  const startWorkflowRequest = { name: "fired", correlationId: "${scheduleName} ${scheduledTime}" };
  for (const name of names) {
    const given = { name, cronExpression: everySecond, scheduleStartTime: from, startWorkflowRequest };
    await scheduler.schedules.save(scheduleModel(given, ""));
  }
}

const runsOf = async ({ runtime }: Node) => {
  const sort = [{ field: "scheduledTime", order: "ASC" }] as const;
  return (await runtime.store.search.runs({ where: [], text: [], sort, start: 0, size: 100_000 })).results;
};

const reached = (node: Node, slotAt: number) =>
  eventually(async () => {
    const last = new Map((await runsOf(node)).map((run) => [run.schedule, run.slotAt]));
    return names.every((name) => (last.get(name) ?? 0) >= slotAt) ? true : undefined;
  }, 40_000);

/** One run of every slot since the first, and one execution of every run. */
async function expectOnce(node: Node, from: number): Promise<void> {
  const found = await runsOf(node);
  for (const name of names) {
    const slots = found.filter(({ schedule }) => schedule === name).map(({ slotAt }) => (slotAt - from) / 1000);
    expect([name, slots]).toEqual([name, Array.from(slots, (_, index) => index)]);
  }
  const where = [{ field: "workflowType", op: "=", values: ["fired"] }] as const;
  const all = { where, text: [], sort: [], start: 0, size: 100_000 };
  const { results } = await node.runtime.store.search.workflows(all);
  expect(results.map(({ head }) => head.correlationId).sort()).toEqual(
    found.map(({ schedule, slotAt }) => `${schedule} ${slotAt}`).sort(),
  );
}

const soon = (): number => Math.ceil(Date.now() / 1000) * 1000 + 3000;

describe.skipIf(!hasPostgres)("several nodes on one PostgreSQL", () => {
  test.each([
    ["that all want every slot at once", [0, 0, 0]],
    ["that let each other go first", [0, 1, 2]],
  ])(
    "%s fire each slot once, and go on when one is gone",
    async (_what, ranks) => {
      const shared = { url: await newDatabase(), folder: aFolder(), errors: [] as string[] };
      const first = await startNode({ ...shared, node: "first", rank: ranks[0] ?? 0 });
      await first.scheduler.hold();
      const from = soon();
      await saveAll(first, from);
      const [second, third] = await Promise.all([
        startNode({ ...shared, node: "second", rank: ranks[1] ?? 0 }),
        startNode({ ...shared, node: "third", rank: ranks[2] ?? 0 }),
      ]);
      first.scheduler.goOn();
      await reached(first, from + 2000);
      await third.close();
      await reached(first, from + 5000);
      for (const { scheduler } of [first, second]) await scheduler.hold();
      await expectOnce(first, from);
      for (const { close } of [first, second]) await close();
      expect(shared.errors).toEqual([]);
      removeFolder(shared.folder);
    },
    120_000,
  );

  test("a node that was stuck steps over no slot of the others when it skips what it missed", async () => {
    const shared = { url: await newDatabase(), folder: aFolder(), errors: [] as string[], grace: "2s" };
    // It takes its time for every slot, so that the other one can come between.
    const first = await startNode({ ...shared, node: "first", grace: "60s", rank: 1 });
    const from = soon();
    await saveAll(first, from);
    const stuck = await startNode({ ...shared, node: "stuck" });
    await reached(first, from);
    for (let time = 0; time < 3; time++) {
      await stuck.scheduler.hold();
      await reached(first, Math.floor(Date.now() / 1000) * 1000 + 3000);
      // At the very moment at which the other one fires.
      await new Promise((resolve) => setTimeout(resolve, 1000 - (Date.now() % 1000)));
      stuck.scheduler.goOn();
    }
    await reached(first, Math.floor(Date.now() / 1000) * 1000 + 1000);
    for (const { scheduler } of [first, stuck]) await scheduler.hold();
    await expectOnce(first, from);
    for (const { close } of [first, stuck]) await close();
    expect(shared.errors).toEqual([]);
    removeFolder(shared.folder);
  }, 120_000);
});
