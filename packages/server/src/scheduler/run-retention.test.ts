import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore, type ScheduleRun, type SqliteStore } from "@downbeat/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLogger } from "../log.ts";
import { RunRetention } from "./run-retention.ts";

const folder = mkdtempSync(join(tmpdir(), "downbeat-"));
let store: SqliteStore;
beforeAll(() => {
  store = openSqliteStore({ path: join(folder, "runs.db") });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const log = createLogger({ level: "off", format: "json", now: Date.now });
const aRun = (schedule: string, slotAt: number): ScheduleRun => ({
  id: `${schedule} ${slotAt}`,
  schedule,
  entry: 0,
  slotAt,
  firedAt: slotAt,
  workflowName: "w",
  state: "EXECUTED",
  zone: "UTC",
  request: "{}",
});
const write = async (...runs: readonly ScheduleRun[]) => {
  for (const run of runs) await store.commit({ kind: "schedule-run", run });
};
const kept = async (schedule: string): Promise<number[]> => {
  const where = [{ field: "scheduleName", op: "IN", values: [schedule] }] as const;
  const sort = [{ field: "scheduledTime", order: "ASC" }] as const;
  const { results } = await store.search.runs({ where, text: [], sort, start: 0, size: 10_000 });
  return results.map(({ slotAt }) => slotAt);
};

test("old records go, however many they are, and where the schedule stands is kept", async () => {
  const old = Array.from({ length: 2500 }, (_, n) => aRun("old", n + 1));
  await Promise.all(old.map((run) => store.commit({ kind: "schedule-run", run: { ...run, entry: -1 } })));
  await write(aRun("old", 2501), aRun("young", 9500));
  const options = { store, clock: () => 10_000, log, keep: 10_000, threshold: 10_000, keepMs: 1000, intervalMs: 1 };
  const retention = new RunRetention(options);
  retention.start();
  await expect.poll(() => store.schedules.oldestRun(), { timeout: 10_000, interval: 5 }).toBe(9500);
  await retention.close();
  expect([await kept("old"), await kept("young")]).toEqual([[], [9500]]);
  expect(await store.schedules.cursor("old", 0)).toBe(2501);
});

test("a schedule is cut to the youngest records when it may have more than the threshold", async () => {
  const retention = new RunRetention({ store, clock: Date.now, log, keep: 3, threshold: 5, keepMs: 0 });
  for (let slotAt = 1; slotAt <= 6; slotAt++) {
    await write(aRun("many", slotAt));
    retention.note("many");
    retention.note("other");
  }
  await expect.poll(() => kept("many"), { timeout: 10_000, interval: 5 }).toEqual([4, 5, 6]);
  await retention.close();
});
