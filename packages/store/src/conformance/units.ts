import { describe, expect, test } from "vitest";
import { aBrokenUnit, aHead, aStart, aStep, aTask, aWork, conflictOf, done, newName } from "./builders.ts";
import type { Subject } from "./describe-store.ts";

/** Units share a disk write and nothing else. */
export function describeUnits({ store }: Subject): void {
  describe("units", () => {
    test("a unit that is written can be read at once", async () => {
      const head = aHead();
      await done(store(), aStart(head));
      expect(await store().executions.head(head.id)).toEqual(head);
    });

    test("a unit whose guard fails leaves nothing behind", async () => {
      const head = aHead();
      const queue = newName("queue");
      await done(store(), aStart(head));
      const late = aStart(head, {
        baseRev: 7,
        newTasks: [aTask(1)],
        work: new Map([[1, aWork({ queue })]]),
        payloads: [{ no: 1, slot: "input", text: `"${"x".repeat(1000)}"` }],
        logs: [{ no: 1, at: 1, line: "late" }],
        cachePuts: [{ key: queue, text: "1", expiresAt: 10_000 }],
      });
      const unit = { ...late, sends: [{ sender: head.id, n: 1, target: head.id, body: "{}" }] };
      expect(await store().commit(unit)).toEqual(conflictOf("revision"));
      expect(await store().executions.head(head.id)).toEqual(head);
      expect(await store().executions.task(head.id, 1)).toBeUndefined();
      expect((await store().executions.payload(head.id, 1, "input")).text).toBe("{}");
      expect(await store().queues.ready(queue, 10)).toEqual([]);
      expect(await store().logs(head.id, 1)).toEqual([]);
      expect(await store().findCached(queue, 1)).toBeUndefined();
      expect((await store().undelivered(1000)).filter(({ sender }) => sender === head.id)).toEqual([]);
    });

    test("a unit whose last guard fails undoes what its first guards wrote", async () => {
      const [first, second] = [aHead(), aHead()];
      const key = newName("key");
      const idempotency = { name: "orders", key, replaces: undefined };
      await done(store(), aStart(second));
      const sent = { sender: first.id, n: 1, target: second.id, body: "{}" };
      await done(store(), aStart(first, {}, { sends: [sent] }));
      const late = aStart(second, { baseRev: 99 }, { consumes: [{ sender: first.id, n: 1 }], idempotency });
      expect(await store().commit(late)).toEqual(conflictOf("revision"));
      expect(await store().findIdempotent("orders", key)).toBeUndefined();
      expect((await store().undelivered(1000)).filter(({ sender }) => sender === first.id)).toEqual([sent]);
    });

    test("a conflict does not hurt its neighbours in the same group", async () => {
      const heads = Array.from({ length: 50 }, () => aHead());
      const commits = await Promise.all(
        heads.map((head, index) => store().commit(aStart(head, index % 10 === 5 ? { baseRev: 3 } : {}))),
      );
      expect(commits.map(({ kind }) => kind)).toEqual(heads.map((_, i) => (i % 10 === 5 ? "conflict" : "done")));
      for (const [index, head] of heads.entries()) {
        expect(await store().executions.head(head.id)).toEqual(index % 10 === 5 ? undefined : head);
      }
    });

    test("a unit that cannot be written rejects, leaves nothing behind and does not hurt its neighbours", async () => {
      const [before, broken, after] = [aHead(), aHead(), aHead()];
      const [first, bad, conflict, last] = await Promise.allSettled([
        store().commit(aStart(before)),
        store().commit(aBrokenUnit(broken)),
        store().commit(aStart(before)),
        store().commit(aStart(after)),
      ]);
      expect(first).toEqual({ status: "fulfilled", value: { kind: "done" } });
      expect(bad.status).toBe("rejected");
      expect(conflict).toEqual({ status: "fulfilled", value: conflictOf("revision") });
      expect(last).toEqual({ status: "fulfilled", value: { kind: "done" } });
      expect(await store().executions.head(broken.id)).toBeUndefined();
      expect(await store().executions.task(broken.id, 1)).toBeUndefined();
      expect(await store().executions.head(after.id)).toEqual(after);
    });

    test("the store goes on after a unit that could not be written", async () => {
      const head = aHead();
      await expect(store().commit(aBrokenUnit(aHead()))).rejects.toThrow("could not write");
      await done(store(), aStart(head), aStep(head));
      expect((await store().executions.head(head.id))?.rev).toBe(2);
    });

    test("units of one caller are written in the order they were given", async () => {
      let head = aHead();
      const commits = [store().commit(aStart(head))];
      for (let i = 0; i < 100; i++) {
        commits.push(store().commit(aStep(head)));
        head = { ...head, rev: head.rev + 1 };
      }
      expect(new Set((await Promise.all(commits)).map(({ kind }) => kind))).toEqual(new Set(["done"]));
      expect((await store().executions.head(head.id))?.rev).toBe(101);
    });
  });
}
