import type { Head, Work } from "@downbeat/engine";
import { describe, expect, test } from "vitest";
import type { Commit, Store } from "../port.ts";
import { aClaim, aHead, aStart, aStep, aTask, aWork, conflictOf, done, newName } from "./builders.ts";
import type { Subject } from "./describe-store.ts";

/** Concurrency and rate limits, held at the claim. */
export function describeLimits({ store, open }: Subject): void {
  describe("limits", () => {
    test("no more claims than the concurrency limit are held at once", async () => {
      const { work, claim } = await anExecution(store(), { concurrent: 2, tasks: 4 });
      const claims = await Promise.all([1, 2, 3, 4].map((no) => claim(no)));
      expect(claims).toEqual([
        { kind: "done" },
        { kind: "done" },
        conflictOf("concurrency"),
        conflictOf("concurrency"),
      ]);
      expect((await store().queues.ready(work.queue, 10)).map(({ no }) => no)).toEqual([3, 4]);
    });

    test("work that ends gives its slot back", async () => {
      const { head, claim } = await anExecution(store(), { concurrent: 1, tasks: 2 });
      expect(await claim(1)).toEqual({ kind: "done" });
      expect(await claim(2)).toEqual(conflictOf("concurrency"));
      await done(store(), aStep(head, { work: new Map([[1, undefined]]) }));
      expect(await claim(2)).toEqual({ kind: "done" });
    });

    test("work that is put back gives its slot back", async () => {
      const { head, work, claim } = await anExecution(store(), { concurrent: 1, tasks: 2 });
      await claim(1);
      await done(store(), { kind: "work", id: head.id, no: 1, from: "claimed", work });
      expect(await claim(2)).toEqual({ kind: "done" });
    });

    test("work that is offered again later gives its slot back", async () => {
      const { head, work, claim } = await anExecution(store(), { concurrent: 1, tasks: 2 });
      await claim(1);
      await done(store(), aStep(head, { work: new Map([[1, { ...aClaim(work), state: "delayed" as const }]]) }));
      expect(await claim(2)).toEqual({ kind: "done" });
    });

    test("a step that was decided before a claim does not undo it", async () => {
      const { head, work, claim } = await anExecution(store(), { concurrent: 1, tasks: 1 });
      await claim(1);
      const stale = aStep(head, { work: new Map([[1, { ...work, state: "ready" as const }]]) });
      expect(await store().commit(stale)).toEqual(conflictOf("work"));
      expect((await store().executions.work(head.id, 1))?.state).toBe("claimed");
      expect((await store().executions.head(head.id))?.rev).toBe(head.rev);
    });

    test("a claim whose lease is extended keeps its slot", async () => {
      const { head, work, claim } = await anExecution(store(), { concurrent: 1, tasks: 2 });
      await claim(1);
      await done(store(), aStep(head, { work: new Map([[1, { ...aClaim(work), polledAt: 3000 }]]) }));
      expect(await claim(2)).toEqual(conflictOf("concurrency"));
    });

    test("limits of different definitions do not mix", async () => {
      const [one, other] = [
        await anExecution(store(), { concurrent: 1, tasks: 1 }),
        await anExecution(store(), { concurrent: 1, tasks: 1 }),
      ];
      expect(await one.claim(1)).toEqual({ kind: "done" });
      expect(await other.claim(1)).toEqual({ kind: "done" });
    });

    test("no more claims than the rate limit fall into one window", async () => {
      const { claim, work } = await anExecution(store(), { perWindow: 2, windowMs: 1000, tasks: 4 });
      const name = work.limit?.name ?? "";
      expect(await store().queues.nextRateSlot(name, 5000, 1000)).toBeUndefined();
      expect(await claim(1, 5000)).toEqual({ kind: "done" });
      expect(await claim(2, 5400)).toEqual({ kind: "done" });
      expect(await claim(3, 5999)).toEqual(conflictOf("rate"));
      expect(await store().queues.nextRateSlot(name, 5999, 1000)).toBe(6000);
      expect(await claim(3, 6000)).toEqual({ kind: "done" });
      expect(await claim(4, 6000)).toEqual(conflictOf("rate"));
      expect(await store().queues.nextRateSlot(name, 6000, 1000)).toBe(6400);
    });

    test("a claim that the rate refuses takes no concurrency slot", async () => {
      const { claim } = await anExecution(store(), { concurrent: 2, perWindow: 1, windowMs: 1000, tasks: 3 });
      expect(await claim(1, 5000)).toEqual({ kind: "done" });
      expect(await claim(2, 5001)).toEqual(conflictOf("rate"));
      expect(await claim(2, 6001)).toEqual({ kind: "done" });
      expect(await claim(3, 9000)).toEqual(conflictOf("concurrency"));
    });

    test("an execution limit is held from the start to the end", async () => {
      const slot = { name: newName("key"), concurrent: 1 };
      const [first, second] = [aHead({ rateLimitKey: slot.name }), aHead({ rateLimitKey: slot.name })];
      await done(store(), aStart(first, {}, { slot }));
      expect(await store().commit(aStart(second, {}, { slot }))).toEqual(conflictOf("concurrency"));
      expect(await store().executions.head(second.id)).toBeUndefined();
      await done(store(), aStep(first, { work: new Map([[0, undefined]]) }));
      expect(await store().commit(aStart(second, {}, { slot }))).toEqual(conflictOf("concurrency"));
      await done(store(), aStep({ ...first, rev: 2 }, { head: { ...first, status: "FAILED" } }));
      await done(store(), aStart(second, {}, { slot }));
    });

    test("an execution that ends as it starts holds no slot of its limit", async () => {
      const slot = { name: newName("key"), concurrent: 1 };
      const instant = () => aHead({ rateLimitKey: slot.name, status: "COMPLETED" });
      await done(store(), aStart(instant(), {}, { slot }), aStart(instant(), {}, { slot }));
    });

    test("a removed execution gives the slot of its limit back", async () => {
      const slot = { name: newName("key"), concurrent: 1 };
      const head = aHead({ rateLimitKey: slot.name });
      await done(store(), aStart(head, {}, { slot }), { kind: "remove-execution", id: head.id, keepsSearchRow: false });
      await done(store(), aStart(aHead({ rateLimitKey: slot.name }), {}, { slot }));
    });

    test("slots are still held after the store is opened again", async () => {
      const opened = await open();
      const { claim, head, work } = await anExecution(opened.store, { concurrent: 1, tasks: 2 });
      await claim(1);
      const again = await opened.reopen();
      const second = { kind: "claim", id: head.id, no: 2, work: aClaim(work), node: undefined } as const;
      expect(await again.commit(second)).toEqual(conflictOf("concurrency"));
    });

    test("a server's own claims, and their slots, are given back when the store is opened again", async () => {
      const opened = await open();
      const { head, work } = await anExecution(opened.store, { concurrent: 1, tasks: 2 });
      const own = { kind: "claim", id: head.id, no: 1, work: aClaim(work), node: "node-1" } as const;
      await done(opened.store, own);
      const again = await opened.reopen();
      expect((await again.queues.ready(work.queue, 10)).map(({ no }) => no)).toEqual([1, 2]);
      expect((await again.executions.task(head.id, 1))?.status).toBe("SCHEDULED");
      await done(again, own);
    });

    test("a server's own claim that a transition touched is given back too", async () => {
      const opened = await open();
      const { head, work } = await anExecution(opened.store, { concurrent: 1, tasks: 1 });
      await done(opened.store, { kind: "claim", id: head.id, no: 1, work: aClaim(work), node: "node-1" });
      await done(opened.store, aStep(head, { work: new Map([[1, { ...aClaim(work), timerAt: 9000 }]]) }));
      const again = await opened.reopen();
      expect((await again.queues.ready(work.queue, 10)).map(({ no }) => no)).toEqual([1]);
    });

    test("the deadlines of a claim that was given back go on", async () => {
      const opened = await open();
      const { head, work } = await anExecution(opened.store, { tasks: 1, totalAt: 50_000 });
      await done(opened.store, {
        kind: "claim",
        id: head.id,
        no: 1,
        work: { ...aClaim(work), timerAt: 50_000 },
        node: "node-1",
      });
      const again = await opened.reopen();
      expect((await again.queues.due(50_000, 10)).map(({ no }) => no)).toEqual([1]);
    });
  });
}

type Limited = {
  readonly tasks: number;
  readonly concurrent?: number;
  readonly perWindow?: number;
  readonly windowMs?: number;
  readonly totalAt?: number;
};

/** A running execution with ready work of one limited definition, and a way to claim it. */
async function anExecution(store: Store, options: Limited) {
  const { tasks, concurrent = 0, perWindow = 0, windowMs = 0, totalAt = 0 } = options;
  const head: Head = aHead({ nextNo: tasks + 1 });
  const limit = { name: newName("def"), concurrent, perWindow, windowMs };
  const work: Work = aWork({ queue: newName("queue"), limit, totalAt });
  const numbers = Array.from({ length: tasks }, (_, index) => index + 1);
  await done(
    store,
    aStart(head, { newTasks: numbers.map((no) => aTask(no)), work: new Map(numbers.map((no) => [no, work])) }),
  );
  const claim = (no: number, at = 2000): Promise<Commit> =>
    store.commit({ kind: "claim", id: head.id, no, work: aClaim(work, { at }), node: undefined });
  return { head, work, claim };
}
