import { describe, expect, test } from "vitest";
import { aClaim, aHead, aStart, aStep, aTask, aWork, conflictOf, done, newName } from "./builders.ts";
import type { Subject } from "./describe-store.ts";

const large = `"${"x".repeat(1000)}"`;

/** What goes, goes with everything that belongs to it, and with nothing else. */
export function describeRemoval({ store }: Subject): void {
  describe("removal", () => {
    test("a removed execution is gone with its tasks, payloads, work, logs, slots and key", async () => {
      const [head, other] = [aHead(), aHead()];
      const queue = newName("queue");
      const key = newName("key");
      const limit = { name: newName("def"), concurrent: 1, perWindow: 0, windowMs: 0 };
      const work = aWork({ queue, limit });
      const start = (of: typeof head, k: string) =>
        aStart(
          of,
          {
            newTasks: [aTask(1)],
            payloads: [
              { no: 0, slot: "input", text: large },
              { no: 1, slot: "input", text: large },
            ],
            work: new Map([[1, work]]),
            logs: [{ no: 1, at: 1, line: "line" }],
          },
          { idempotency: { name: "orders", key: k, replaces: undefined } },
        );
      const otherKey = newName("key");
      await done(store(), start(head, key), start(other, otherKey));
      const claim = (id: string) => ({ kind: "claim", id, no: 1, work: aClaim(work), node: undefined }) as const;
      await done(store(), claim(head.id));
      await done(store(), { kind: "remove-execution", id: head.id, keepsSearchRow: false });
      const { executions, queues } = store();
      expect(await executions.head(head.id)).toBeUndefined();
      expect(await executions.whole(head.id, { includeTasks: true })).toBeUndefined();
      expect(await executions.all(head)).toEqual([]);
      expect((await executions.payload(head.id, 0, "input")).text).toBe("{}");
      expect((await executions.payload(head.id, 1, "input")).text).toBe("{}");
      expect(await executions.work(head.id, 1)).toBeUndefined();
      expect(await store().logs(head.id, 1)).toEqual([]);
      expect(await store().findIdempotent("orders", key)).toBeUndefined();
      expect((await queues.ready(queue, 10)).map(({ id }) => id)).toEqual([other.id]);
      await done(store(), claim(other.id));
      expect(await store().findIdempotent("orders", otherKey)).toBe(other.id);
      expect((await executions.payload(other.id, 1, "input")).text).toBe(large);
      expect(await store().logs(other.id, 1)).toHaveLength(1);
    });

    test("an execution is removed once", async () => {
      const head = aHead();
      const remove = { kind: "remove-execution", id: head.id, keepsSearchRow: true } as const;
      expect(await store().commit(remove)).toEqual(conflictOf("exists"));
      await done(store(), aStart(head), remove);
      expect(await store().commit(remove)).toEqual(conflictOf("exists"));
    });

    test("events that a removed execution had sent are still delivered", async () => {
      const head = aHead();
      const sent = { sender: head.id, n: 1, target: aHead().id, body: "{}" };
      await done(store(), aStart(head, {}, { sends: [sent] }));
      await done(store(), { kind: "remove-execution", id: head.id, keepsSearchRow: false });
      expect((await store().undelivered(1000)).filter(({ sender }) => sender === head.id)).toEqual([sent]);
    });

    test("a purge takes the tasks and payloads of older epochs and leaves the rest", async () => {
      const head = aHead({ nextNo: 2 });
      const payloads = (no: number) => [
        { no, slot: "input", text: large } as const,
        { no, slot: "output", text: large } as const,
      ];
      await done(
        store(),
        aStart(head, { newTasks: [aTask(1)], payloads: [{ no: 0, slot: "input", text: large }, ...payloads(1)] }),
        aStep(head, { head: { ...head, epoch: 1, nextNo: 3 }, newTasks: [aTask(2)], payloads: payloads(2) }),
        { kind: "purge-epoch", id: head.id, before: 1 },
      );
      const { executions } = store();
      expect(await executions.task(head.id, 1)).toBeUndefined();
      expect((await executions.payload(head.id, 1, "input")).text).toBe("{}");
      expect(await executions.task(head.id, 2)).toEqual(aTask(2));
      expect((await executions.payload(head.id, 2, "output")).text).toBe(large);
      expect((await executions.payload(head.id, 0, "input")).text).toBe(large);
    });
  });
}
