import { describe, expect, test } from "vitest";
import { aClaim, aHead, aStart, aStep, aTask, aWork, done, newName } from "./builders.ts";
import type { Subject } from "./describe-store.ts";

/** Ready work in its order, timers, and how much there is. */
export function describeQueues({ store, open }: Subject): void {
  describe("queues", () => {
    test("work comes back as it was put", async () => {
      const head = aHead();
      const limit = { name: newName("def"), concurrent: 3, perWindow: 5, windowMs: 60_000 };
      const full = aWork({
        state: "claimed",
        queue: newName("queue"),
        priority: 7,
        dueAt: 1001,
        timerAt: 1002,
        pollMs: 1,
        responseMs: 2,
        runMs: 3,
        totalAt: 1004,
        limit,
        startedAt: 1005,
        polledAt: 1006,
        polls: 8,
        workerId: "w\u00e9",
      });
      const states = (["ready", "claimed", "waiting", "delayed"] as const).map((state) => ({ ...full, state }));
      const work = new Map([[0, aWork({ state: "waiting", queue: "" })], ...states.map((s, i) => [i + 1, s] as const)]);
      await done(store(), aStart(head, { newTasks: [aTask(1), aTask(2), aTask(3), aTask(4)], work }));
      for (const [no, expected] of work) expect(await store().executions.work(head.id, no)).toEqual(expected);
    });

    test("work is put, replaced and removed by transitions", async () => {
      const head = aHead();
      const queue = newName("queue");
      await done(store(), aStart(head, { newTasks: [aTask(1)], work: new Map([[1, aWork({ queue })]]) }));
      const later = aWork({ queue, state: "delayed", dueAt: 9000, timerAt: 9000 });
      await done(store(), aStep(head, { work: new Map([[1, later]]) }));
      expect(await store().executions.work(head.id, 1)).toEqual(later);
      expect(await store().queues.ready(queue, 10)).toEqual([]);
      await done(store(), aStep({ ...head, rev: 2 }, { work: new Map([[1, undefined]]) }));
      expect(await store().executions.work(head.id, 1)).toBeUndefined();
    });

    test("ready work comes by priority, then due time, then id", async () => {
      const queue = newName("queue");
      const heads = [aHead(), aHead(), aHead()];
      const put = [
        { head: heads[2], no: 1, priority: 0, dueAt: 100 },
        { head: heads[1], no: 2, priority: 0, dueAt: 100 },
        { head: heads[1], no: 1, priority: 0, dueAt: 100 },
        { head: heads[0], no: 1, priority: 0, dueAt: 50 },
        { head: heads[0], no: 2, priority: 9, dueAt: 900 },
        { head: heads[2], no: 2, priority: 9, dueAt: 800 },
      ];
      for (const head of heads) {
        const mine = put.filter((item) => item.head === head);
        await done(
          store(),
          aStart(head, {
            newTasks: [aTask(1), aTask(2)],
            work: new Map(mine.map(({ no, priority, dueAt }) => [no, aWork({ queue, priority, dueAt })])),
          }),
        );
      }
      const order = [5, 4, 3, 2, 1, 0].map((index) => ({ id: put[index]?.head?.id, no: put[index]?.no }));
      const found = await store().queues.ready(queue, 10);
      expect(found.map(({ id, no }) => ({ id, no }))).toEqual(order);
      expect((await store().queues.ready(queue, 2)).map(({ id, no }) => ({ id, no }))).toEqual(order.slice(0, 2));
    });

    test("sizes count ready and delayed work, not what is claimed or waits", async () => {
      const opened = await open();
      const head = aHead();
      const work = aWork({ queue: "pay" });
      await done(
        opened.store,
        aStart(head, {
          newTasks: [1, 2, 3, 4, 5].map((no) => aTask(no)),
          work: new Map([
            [1, work],
            [2, aWork({ queue: "pay" })],
            [3, aWork({ queue: "pay", state: "delayed" })],
            [4, aWork({ queue: "", state: "waiting" })],
            [5, aWork({ queue: "ship" })],
          ]),
        }),
        { kind: "claim", id: head.id, no: 1, work: aClaim(work), node: undefined },
      );
      const { queues } = opened.store;
      expect(Object.fromEntries(await queues.sizes())).toEqual({ pay: 2, ship: 1 });
      expect([await queues.size("pay"), await queues.size("ship"), await queues.size("none")]).toEqual([2, 1, 0]);
    });

    test("due timers come earliest first, whatever the state of their work", async () => {
      const opened = await open();
      const { queues } = opened.store;
      expect(await queues.nextTimer()).toBeUndefined();
      const head = aHead();
      await done(
        opened.store,
        aStart(head, {
          newTasks: [1, 2, 3, 4, 5].map((no) => aTask(no)),
          work: new Map([
            [0, aWork({ state: "waiting", queue: "", timerAt: 4000 })],
            [1, aWork({ timerAt: 3000 })],
            [2, aWork({ state: "claimed", timerAt: 1000 })],
            [3, aWork({ state: "delayed", timerAt: 2000 })],
            [4, aWork({ state: "waiting", timerAt: 0 })],
            [5, aWork({ state: "waiting", queue: "", timerAt: 5000 })],
          ]),
        }),
      );
      const due = async (now: number, limit: number) => (await queues.due(now, limit)).map(({ no }) => no);
      expect(await queues.nextTimer()).toBe(1000);
      expect(await due(999, 10)).toEqual([]);
      expect(await due(1000, 10)).toEqual([2]);
      expect(await due(4500, 10)).toEqual([2, 3, 1, 0]);
      expect(await due(4500, 2)).toEqual([2, 3]);
      await done(opened.store, aStep(head, { work: new Map([[2, undefined]]) }));
      expect(await queues.nextTimer()).toBe(2000);
    });

    test("times too far away to be told exactly do not stop the others", async () => {
      const opened = await open();
      const head = aHead();
      const far = 2 ** 60;
      await done(
        opened.store,
        aStart(head, {
          newTasks: [aTask(1), aTask(2)],
          work: new Map([
            [1, aWork({ state: "delayed", dueAt: far, timerAt: far })],
            [2, aWork({ state: "delayed", dueAt: 1e300, timerAt: 1e300 })],
          ]),
          logs: [{ no: 1, at: far, line: "far" }],
        }),
      );
      const { queues, executions } = opened.store;
      expect(await queues.nextTimer()).toBeGreaterThan(2 ** 52);
      expect((await executions.work(head.id, 1))?.dueAt).toBeGreaterThan(2 ** 52);
      expect((await executions.work(head.id, 2))?.dueAt).toBeGreaterThan(2 ** 52);
      expect(await opened.store.logs(head.id, 1)).toHaveLength(1);
      expect(await (await opened.reopen()).queues.nextTimer()).toBeGreaterThan(2 ** 52);
    });
  });
}
