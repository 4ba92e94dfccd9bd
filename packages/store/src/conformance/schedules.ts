import { describe, expect, test } from "vitest";
import type { Clause, RunField, ScheduleRun, Search } from "../port.ts";
import { aHead, aRun, aStart, conflictOf, done, newName } from "./builders.ts";
import type { Subject } from "./describe-store.ts";

const strange = 'a "quoted" name, \u0000\u0001 and \u{1f600}';

export function describeSchedules({ store, open }: Subject): void {
  const record = (run: ScheduleRun) => ({ kind: "schedule-run", run }) as const;
  const search = (wanted: Partial<Search<RunField>>): Search<RunField> => ({
    where: [],
    text: [],
    sort: [],
    start: 0,
    size: 100,
    ...wanted,
  });
  const of = (schedule: string): Clause<RunField> => ({ field: "scheduleName", op: "IN", values: [schedule] });
  const slots = async (wanted: Partial<Search<RunField>>): Promise<number[]> =>
    (await store().search.runs(search(wanted))).results.map(({ slotAt }) => slotAt);

  describe("runs of schedules", () => {
    test("a slot's run and the execution it starts stand and fall together", async () => {
      const schedule = newName("s");
      const [first, second, taken] = [aHead(), aHead(), aHead()];
      const run = (slotAt: number, workflowId: string) => aRun(schedule, slotAt, { workflowId });
      await done(store(), { ...aStart(first), run: run(1000, first.id) });
      expect(await store().commit({ ...aStart(second), run: run(1000, second.id) })).toEqual(conflictOf("exists"));
      expect(await store().executions.head(second.id)).toBeUndefined();
      await done(store(), aStart(taken));
      expect(await store().commit({ ...aStart(taken), run: run(2000, taken.id) })).toEqual(conflictOf("revision"));
      expect(await store().schedules.cursor(schedule, 0)).toBe(1000);
      await done(store(), { ...aStart(second), run: run(2000, second.id) });
      const { results } = await store().search.runs(search({ where: [of(schedule)] }));
      expect(results.map(({ slotAt, workflowId }) => [slotAt, workflowId])).toEqual([
        [1000, first.id],
        [2000, second.id],
      ]);
    });

    test("of many starts for one slot one wins", async () => {
      const schedule = newName("s");
      const commits = await Promise.all(
        Array.from({ length: 20 }, () => {
          const head = aHead();
          return store().commit({ ...aStart(head), run: aRun(schedule, 1000, { workflowId: head.id }) });
        }),
      );
      expect(commits.filter(({ kind }) => kind === "done")).toHaveLength(1);
      expect(await slots({ where: [of(schedule)] })).toEqual([1000]);
    });

    test("slots are dealt with in order, each expression for itself", async () => {
      const schedule = newName("s");
      await done(store(), record(aRun(schedule, 2000)), record(aRun(schedule, 2000, { entry: 1 })));
      expect(await store().commit(record(aRun(schedule, 1000)))).toEqual(conflictOf("exists"));
      const skip = { kind: "skip-slots", cursor: { schedule, entry: 0, slotAt: 5000 }, seen: 2000 } as const;
      await done(store(), skip);
      expect(await store().commit(record(aRun(schedule, 5000)))).toEqual(conflictOf("exists"));
      await done(store(), record(aRun(schedule, 5001)), record(aRun(schedule, 2001, { entry: 1 })));
      expect(await store().schedules.cursor(schedule, 0)).toBe(5001);
      expect(await store().schedules.cursor(schedule, 1)).toBe(2001);
    });

    test("slots are skipped only where nobody has dealt with one since", async () => {
      const schedule = newName("s");
      const skip = (slotAt: number, seen: number | undefined) =>
        store().commit({ kind: "skip-slots", cursor: { schedule, entry: 0, slotAt }, seen });
      expect(await skip(1000, 500)).toEqual(conflictOf("exists"));
      expect(await skip(1000, undefined)).toEqual({ kind: "done" });
      expect(await skip(2000, undefined)).toEqual(conflictOf("exists"));
      await done(store(), record(aRun(schedule, 3000)));
      expect(await skip(4000, 1000)).toEqual(conflictOf("exists"));
      const [one, other] = await Promise.all([skip(5000, 3000), skip(6000, 3000)]);
      expect([one, other].filter(({ kind }) => kind === "done")).toHaveLength(1);
      expect(await store().schedules.cursor(schedule, 0)).toBe(one.kind === "done" ? 5000 : 6000);
    });

    test("a run by hand is in nobody's way", async () => {
      const schedule = newName("s");
      await done(
        store(),
        record(aRun(schedule, 2000)),
        record(aRun(schedule, 1500, { entry: -1 })),
        record(aRun(schedule, 1500, { entry: -1 })),
        record(aRun(schedule, 3000)),
      );
      expect(await store().schedules.cursor(schedule, -1)).toBeUndefined();
      expect(await slots({ where: [of(schedule)], sort: [{ field: "scheduledTime", order: "ASC" }] })).toEqual([
        1500, 1500, 2000, 3000,
      ]);
    });

    test("where schedules stand outlives a restart and old runs, and is forgotten when asked", async () => {
      const opened = await open();
      await done(
        opened.store,
        record(aRun(strange, 1000)),
        record(aRun(strange, 2000, { entry: 1 })),
        record(aRun("other", 500)),
        { kind: "expire-runs", before: 3000, limit: 100 },
      );
      const again = await opened.reopen();
      expect(await again.schedules.oldestRun()).toBeUndefined();
      expect([...(await again.schedules.cursors())].sort((a, b) => a.slotAt - b.slotAt)).toEqual([
        { schedule: "other", entry: 0, slotAt: 500 },
        { schedule: strange, entry: 0, slotAt: 1000 },
        { schedule: strange, entry: 1, slotAt: 2000 },
      ]);
      await done(again, { kind: "forget-cursors", schedule: strange });
      expect(await again.schedules.cursors()).toEqual([{ schedule: "other", entry: 0, slotAt: 500 }]);
      await done(again, record(aRun(strange, 1)));
    });

    test("a run is found as it was written", async () => {
      const schedule = newName(strange);
      const failed = aRun(schedule, 1000, {
        state: "FAILED",
        reason: strange,
        zone: "+05:30",
        request: '{"a":"\\u0000"}',
      });
      await done(store(), record(failed));
      expect((await store().search.runs(search({ where: [of(schedule)] }))).results).toEqual([failed]);
    });

    test("runs are found by every field and by text", async () => {
      const schedule = newName("Nightly_Run");
      const workflowName = newName("Report");
      const head = aHead();
      const one = aRun(schedule, 1000, { workflowName, workflowId: head.id });
      const two = aRun(schedule, 2000, { workflowName, state: "FAILED", reason: "none", zone: "Asia/Tokyo" });
      await done(store(), { ...aStart(head), run: one }, record(two));
      const mine = of(schedule);
      const found = (...where: readonly Clause<RunField>[]) => slots({ where: [mine, ...where] });
      expect(await found({ field: "executionId", op: "=", values: [one.id] })).toEqual([1000]);
      expect(await found({ field: "state", op: "IN", values: ["FAILED", "POLLED"] })).toEqual([2000]);
      expect(await found({ field: "scheduledTime", op: ">", values: [1000] })).toEqual([2000]);
      expect(await found({ field: "executionTime", op: "<", values: [1006] })).toEqual([1000]);
      expect(await found({ field: "workflowId", op: "=", values: [head.id] })).toEqual([1000]);
      expect(await found({ field: "workflowId", op: "=", values: [""] })).toEqual([2000]);
      expect(await found({ field: "reason", op: "=", values: ["n*"] })).toEqual([2000]);
      expect(await found({ field: "zoneId", op: "!=", values: ["UTC"] })).toEqual([2000]);
      expect(
        await slots({ where: [{ field: "workflowName", op: "=", values: [`*${workflowName.toLowerCase()}*`] }] }),
      ).toEqual([1000, 2000]);
      expect(await slots({ text: [schedule.toUpperCase().slice(3)] })).toEqual([1000, 2000]);
      expect(await slots({ where: [mine], text: [head.id.slice(5)] })).toEqual([1000]);
      expect(await slots({ where: [mine], text: ["nightly%run"] })).toEqual([]);
    });

    test("pages are sorted and counted", async () => {
      const schedule = newName("s");
      for (const slotAt of [3000, 4000, 5000]) await done(store(), record(aRun(schedule, slotAt)));
      const sort = [{ field: "scheduledTime", order: "DESC" }] as const;
      const page = await store().search.runs(search({ where: [of(schedule)], sort, start: 1, size: 1 }));
      expect([page.totalHits, page.results.map(({ slotAt }) => slotAt)]).toEqual([3, [4000]]);
      expect(await store().search.runs(search({ where: [of(schedule)], size: 0 }))).toEqual({
        totalHits: 3,
        results: [],
      });
    });

    test("of one schedule the youngest stay; of all, old ones go in batches", async () => {
      const opened = (await open()).store;
      const all = () => opened.search.runs(search({ sort: [{ field: "scheduledTime", order: "ASC" }] }));
      const kept = async () => (await all()).results.map(({ schedule, slotAt }) => `${schedule} ${slotAt}`);
      for (let slotAt = 1; slotAt <= 5; slotAt++) await done(opened, record(aRun("a", slotAt)));
      await done(opened, record(aRun("b", 2)), { kind: "trim-runs", schedule: "a", keep: 3 });
      expect(await kept()).toEqual(["b 2", "a 3", "a 4", "a 5"]);
      await done(opened, { kind: "trim-runs", schedule: "a", keep: 30 });
      expect(await opened.schedules.oldestRun()).toBe(2);
      await done(opened, { kind: "expire-runs", before: 5, limit: 2 });
      expect(await kept()).toEqual(["a 4", "a 5"]);
      await done(opened, { kind: "expire-runs", before: 5, limit: 2 });
      expect(await kept()).toEqual(["a 5"]);
    });
  });
}
