import { normalizeTaskDef, normalizeWorkflowDef } from "@downbeat/engine";
import { describe, expect, test } from "vitest";
import type { Store } from "../port.ts";
import { aBrokenUnit, aClaim, aHead, aStart, aStep, aTask, aWork, done } from "./builders.ts";
import type { Subject } from "./describe-store.ts";

/** What was answered is there after the store was closed and opened again; what was not may be missing, never half. */
export function describeDurability({ open }: Subject): void {
  describe("durability", () => {
    test("everything is there after the store was opened again", async () => {
      const opened = await open();
      const head = aHead({ nextNo: 60, defHash: "pinned" });
      const work = aWork({ queue: "pay", timerAt: 7000 });
      const tasks = Array.from({ length: 60 }, (_, index) => aTask(index + 1, { ref: `r${index % 7}` }));
      await done(
        opened.store,
        { kind: "put-workflow-def", def: normalizeWorkflowDef({ name: "w", tasks: [] }), mustBeNew: true },
        { kind: "put-task-defs", defs: [normalizeTaskDef({ name: "t" })] },
        aStart(
          head,
          {
            newTasks: tasks,
            payloads: [
              { no: 0, slot: "input", text: '{"small":true}' },
              { no: 50, slot: "output", text: `"${"x".repeat(100_000)}"` },
            ],
            work: new Map([
              [1, work],
              [2, aWork({ queue: "pay" })],
              [3, aWork({ state: "waiting", queue: "", timerAt: 6000 })],
            ]),
            cachePuts: [{ key: "k", text: "1", expiresAt: 9000 }],
            logs: [{ no: 1, at: 1, line: "line" }],
          },
          {
            defs: [{ hash: "pinned", body: "{}" }],
            idempotency: { name: "w", key: "key", replaces: undefined },
            sends: [{ sender: head.id, n: 1, target: "t", body: "{}" }],
          },
        ),
        { kind: "claim", id: head.id, no: 1, work: aClaim(work), node: undefined },
      );
      const before = await snapshot(opened.store, head.id);
      expect(await snapshot(await opened.reopen(), head.id)).toEqual(before);
    });

    test("commits that were given before the store closes are finished", async () => {
      const opened = await open();
      const heads = Array.from({ length: 200 }, () => aHead());
      const commits = Promise.all(heads.map((head) => opened.store.commit(aStart(head))));
      const again = await opened.reopen();
      expect(new Set((await commits).map(({ kind }) => kind))).toEqual(new Set(["done"]));
      for (const head of heads) expect(await again.executions.head(head.id)).toEqual(head);
    });

    test("a commit after the store was closed rejects", async () => {
      const { store } = await open();
      await store.close();
      await expect(store.commit(aStart(aHead()))).rejects.toThrow("closed");
    });

    test("a store may be closed twice", async () => {
      const { store } = await open();
      await Promise.all([store.close(), store.close()]);
      await store.close();
    });

    test("what failed is as absent afterwards as it was before", async () => {
      const opened = await open();
      const [good, bad] = [aHead(), aHead()];
      await Promise.allSettled([opened.store.commit(aStart(good)), opened.store.commit(aBrokenUnit(bad))]);
      await opened.store.commit(aStep(good, { baseRev: 9, newTasks: [aTask(1)] }));
      const again = await opened.reopen();
      expect(await again.executions.head(good.id)).toEqual(good);
      expect(await again.executions.task(good.id, 1)).toBeUndefined();
      expect(await again.executions.head(bad.id)).toBeUndefined();
    });

    test("a claim that was answered is still a claim", async () => {
      const opened = await open();
      const head = aHead();
      const work = aWork();
      await done(opened.store, aStart(head, { newTasks: [aTask(1)], work: new Map([[1, work]]) }));
      const claim = { kind: "claim", id: head.id, no: 1, work: aClaim(work), node: undefined } as const;
      await done(opened.store, claim);
      const again = await opened.reopen();
      expect((await again.executions.task(head.id, 1))?.status).toBe("IN_PROGRESS");
      expect((await again.commit(claim)).kind).toBe("conflict");
    });
  });
}

/** Everything the port tells about one execution, and about what is beside it. */
async function snapshot({ executions, queues, definitions, ...store }: Store, id: string): Promise<unknown> {
  const whole = await executions.whole(id, { includeTasks: true });
  return {
    head: whole?.head,
    payloads: [whole?.input.text, whole?.output.text, whole?.variables.text],
    tasks: whole?.tasks.map(({ task, input, output }) => [task, input.text, output.text]),
    work: await Promise.all([0, 1, 2, 3, 4].map((no) => executions.work(id, no))),
    ready: await queues.ready("pay", 10),
    due: await queues.due(10_000, 10),
    nextTimer: await queues.nextTimer(),
    sizes: [...(await queues.sizes())],
    pinned: await definitions.pinned("pinned"),
    workflowDefs: await definitions.workflowDefs(),
    taskDefs: await definitions.taskDefs(),
    undelivered: await store.undelivered(10),
    idempotent: await store.findIdempotent("w", "key"),
    cached: await store.findCached("k", 1),
    logs: await store.logs(id, 1),
  };
}
