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

/** A node without its HTTP interface. */
async function startNode(url: string, node: string, folder: string, errors: string[]): Promise<Node> {
  const { config } = loadConfig({ argv: [`--service.db.url=${folder}/${node}`], env: {}, cwd: folder });
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

describe.skipIf(!hasPostgres)("several nodes on one PostgreSQL", () => {
  test("fire each slot once, and go on when one is gone", { timeout: 120_000 }, async () => {
    const url = await newDatabase();
    const folder = aFolder();
    const errors: string[] = [];
    const first = await startNode(url, "first", folder, errors);
    await first.scheduler.hold();
    await first.runtime.definitions.putWorkflowDef(normalizeWorkflowDef(aWorkflow("fired", [entry("NOOP", "n")])));
    const names = Array.from({ length: SCHEDULES }, (_, n) => `schedule ${n}`);
    const from = Math.ceil(Date.now() / 1000) * 1000 + 3000;
    for (const name of names) {
      const startWorkflowRequest = { name: "fired", correlationId: "${scheduleName} ${scheduledTime}" };
      const given = { name, cronExpression: everySecond, scheduleStartTime: from, startWorkflowRequest };
      await first.scheduler.schedules.save(scheduleModel(given, ""));
    }
    const others = await Promise.all(["second", "third"].map((node) => startNode(url, node, folder, errors)));
    await first.scheduler.goOn();
    const runs = async () => {
      const sort = [{ field: "scheduledTime", order: "ASC" }] as const;
      return (await first.runtime.store.search.runs({ where: [], text: [], sort, start: 0, size: 100_000 })).results;
    };
    const reached = (slotAt: number) =>
      eventually(async () => {
        const last = new Map((await runs()).map((run) => [run.schedule, run.slotAt]));
        return names.every((name) => (last.get(name) ?? 0) >= slotAt) ? true : undefined;
      }, 40_000);
    await reached(from + 2000);
    await others[1]?.close();
    await reached(from + 5000);
    for (const { scheduler } of [first, ...others]) await scheduler.hold();

    const found = await runs();
    for (const name of names) {
      const slots = found.filter(({ schedule }) => schedule === name).map(({ slotAt }) => (slotAt - from) / 1000);
      expect([name, slots]).toEqual([name, Array.from(slots, (_, index) => index)]);
    }
    const where = [{ field: "workflowType", op: "=", values: ["fired"] }] as const;
    const all = { where, text: [], sort: [], start: 0, size: 100_000 };
    const { results } = await first.runtime.store.search.workflows(all);
    expect(results.map(({ head }) => head.correlationId).sort()).toEqual(
      found.map(({ schedule, slotAt }) => `${schedule} ${slotAt}`).sort(),
    );
    for (const { close } of [first, others[0]].filter((node) => node !== undefined)) await close();
    expect(errors).toEqual([]);
    removeFolder(folder);
  });
});
