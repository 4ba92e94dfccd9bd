import { describe, expect, test } from "vitest";
import {
  aClaim,
  aConsumption,
  aHead,
  aStart,
  aStep,
  aTask,
  aWork,
  conflictOf,
  done,
  newId,
  newName,
} from "./builders.ts";
import type { Subject } from "./describe-store.ts";

/** What makes a unit fall: one winner per revision, event, key and piece of work. */
export function describeGuards({ store }: Subject): void {
  describe("guards", () => {
    test("an execution is created once", async () => {
      const head = aHead();
      await done(store(), aStart(head));
      expect(await store().commit(aStart({ ...head, status: "PAUSED" }))).toEqual(conflictOf("revision"));
      expect(await store().executions.head(head.id)).toEqual(head);
    });

    test("of two steps decided on one revision, one is written", async () => {
      const head = aHead();
      await done(store(), aStart(head));
      const step = (status: "PAUSED" | "FAILED") => store().commit(aStep(head, { head: { ...head, status } }));
      expect(await Promise.all([step("PAUSED"), step("FAILED")])).toEqual([{ kind: "done" }, conflictOf("revision")]);
      expect(await store().executions.head(head.id)).toEqual({ ...head, rev: 2, status: "PAUSED" });
    });

    test("a step of an execution that does not exist is a conflict of revision", async () => {
      expect(await store().commit(aStep(aHead()))).toEqual(conflictOf("revision"));
    });

    test("an event is consumed once", async () => {
      const [sender, target] = [aHead(), aHead()];
      const sent = { sender: sender.id, n: 100_001, target: target.id, body: "{}" };
      await done(store(), aStart(sender, {}, { sends: [sent] }), aStart(target));
      const consumes = [{ sender: sent.sender, n: sent.n }];
      await done(store(), aStep(target, {}, { consumes }));
      const again = { ...target, rev: 2 };
      expect(await store().commit(aStep(again, {}, { consumes }))).toEqual(conflictOf("outbox"));
      expect((await store().executions.head(target.id))?.rev).toBe(2);
      expect(await store().commit(aConsumption(sent.sender, sent.n))).toEqual(conflictOf("outbox"));
    });

    test("an event that changes nothing is consumed all the same", async () => {
      const sender = aHead();
      const sent = { sender: sender.id, n: 1, target: newId(), body: "{}" };
      await done(store(), aStart(sender, {}, { sends: [sent] }), aConsumption(sent.sender, 1));
      expect((await store().undelivered(1000)).filter((row) => row.sender === sender.id)).toEqual([]);
    });

    test("an idempotency key belongs to the first start of its name", async () => {
      const [first, second, other] = [aHead(), aHead(), aHead()];
      const key = newName("key");
      const taken = { name: "orders", key, replaces: undefined };
      const starts = [first, second].map((head) => store().commit(aStart(head, {}, { idempotency: taken })));
      expect(await Promise.all(starts)).toEqual([{ kind: "done" }, conflictOf("idempotency")]);
      await done(store(), aStart(other, {}, { idempotency: { ...taken, name: "refunds" } }));
      expect(await store().findIdempotent("orders", key)).toBe(first.id);
      expect(await store().findIdempotent("refunds", key)).toBe(other.id);
      expect(await store().executions.head(second.id)).toBeUndefined();
    });

    test("an idempotency key moves only from the execution that was seen to have it", async () => {
      const [first, second, third] = [aHead(), aHead(), aHead()];
      const key = newName("key");
      const name = "orders";
      await done(store(), aStart(first, {}, { idempotency: { name, key, replaces: undefined } }));
      await done(store(), aStart(second, {}, { idempotency: { name, key, replaces: first.id } }));
      const late = aStart(third, {}, { idempotency: { name, key, replaces: first.id } });
      expect(await store().commit(late)).toEqual(conflictOf("idempotency"));
      expect(await store().findIdempotent(name, key)).toBe(second.id);
    });

    test("a piece of ready work is claimed once", async () => {
      const head = aHead();
      const work = aWork({ queue: newName("queue") });
      await done(store(), aStart(head, { newTasks: [aTask(1)], work: new Map([[1, work]]) }));
      const claim = (worker: string) =>
        store().commit({ kind: "claim", id: head.id, no: 1, work: aClaim(work, { worker }), node: undefined });
      expect(await Promise.all([claim("w1"), claim("w2")])).toEqual([{ kind: "done" }, conflictOf("work")]);
      expect((await store().executions.work(head.id, 1))?.workerId).toBe("w1");
      expect(await store().queues.ready(work.queue, 10)).toEqual([]);
    });

    test("work that is gone, delayed or waiting cannot be claimed", async () => {
      const head = aHead();
      const delayed = aWork({ state: "delayed" });
      const waiting = aWork({ state: "waiting", queue: "" });
      await done(
        store(),
        aStart(head, {
          newTasks: [aTask(1), aTask(2)],
          work: new Map([
            [1, delayed],
            [2, waiting],
          ]),
        }),
      );
      for (const no of [1, 2, 3]) {
        const unit = { kind: "claim", id: head.id, no, work: aClaim(delayed), node: undefined } as const;
        expect(await store().commit(unit)).toEqual(conflictOf("work"));
      }
    });

    test("work moves only from the state it was seen in", async () => {
      const head = aHead();
      const queue = newName("queue");
      const delayed = aWork({ state: "delayed", queue, dueAt: 5000, timerAt: 5000 });
      await done(store(), aStart(head, { newTasks: [aTask(1)], work: new Map([[1, delayed]]) }));
      const ready = aWork({ queue, dueAt: 5000 });
      const move = { kind: "work", id: head.id, no: 1, from: "delayed", work: ready } as const;
      expect(await store().commit({ ...move, from: "claimed" })).toEqual(conflictOf("work"));
      await done(store(), move);
      expect(await store().commit(move)).toEqual(conflictOf("work"));
      expect(await store().executions.work(head.id, 1)).toEqual(ready);
    });

    test("a claim that is put back is offered as if it had never been polled", async () => {
      const head = aHead();
      const work = aWork({ queue: newName("queue") });
      await done(store(), aStart(head, { newTasks: [aTask(1)], work: new Map([[1, work]]) }));
      await done(store(), { kind: "claim", id: head.id, no: 1, work: aClaim(work), node: undefined });
      await done(store(), { kind: "work", id: head.id, no: 1, from: "claimed", work });
      expect(await store().queues.ready(work.queue, 10)).toEqual([{ id: head.id, no: 1, work }]);
      expect(await store().executions.task(head.id, 1)).toEqual(aTask(1));
    });
  });
}
