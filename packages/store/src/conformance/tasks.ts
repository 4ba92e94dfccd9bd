import type { Head, Task } from "@downbeat/engine";
import { describe, expect, test } from "vitest";
import { aClaim, aHead, aStart, aStep, aTask, aWork, done, newName } from "./builders.ts";
import type { Subject } from "./describe-store.ts";

/** Tasks found by number, reference, iteration and state. Adapters may keep small and large executions differently. */
export function describeTasks({ store }: Subject): void {
  const numbers = (tasks: readonly Task[]): number[] => tasks.map(({ no }) => no);

  describe("tasks", () => {
    test("what does not exist is undefined or empty", async () => {
      const head = aHead();
      const { executions } = store();
      expect(await executions.head(head.id)).toBeUndefined();
      expect(await executions.whole(head.id, { includeTasks: true })).toBeUndefined();
      expect(await executions.task(head.id, 1)).toBeUndefined();
      expect(await executions.latest(head, "a")).toBeUndefined();
      expect(await executions.inIteration(head, "a", "1")).toBeUndefined();
      expect(await executions.open(head, 10)).toEqual([]);
      expect(await executions.unfollowed(head)).toEqual([]);
      expect(await executions.all(head)).toEqual([]);
      expect(await executions.work(head.id, 1)).toBeUndefined();
    });

    for (const [name, offset] of [
      ["among the first tasks", 0],
      ["among the tasks of a large execution", 100],
      ["across the border between small and large", 30],
    ] as const) {
      describe(name, () => {
        /** Loops over "a" three times, the second time with a retry; "b" stands beside. */
        const bodies = (): Task[] => [
          aTask(offset + 1, { ref: "a", iter: "1", status: "COMPLETED", executed: true }),
          aTask(offset + 2, { ref: "a", iter: "2", status: "FAILED", retried: true }),
          aTask(offset + 3, { ref: "a", iter: "2", status: "COMPLETED" }),
          aTask(offset + 4, { ref: "b", status: "IN_PROGRESS" }),
          aTask(offset + 5, { ref: "a", iter: "3" }),
        ];
        const started = async (): Promise<{ head: Head; tasks: Task[] }> => {
          const head = aHead({ nextNo: offset + 6 });
          const filler = Array.from({ length: offset }, (_, index) =>
            aTask(index + 1, { ref: `filler_${index}`, status: "COMPLETED", executed: true }),
          );
          const tasks = bodies();
          await done(store(), aStart(head, { newTasks: [...filler, ...tasks] }));
          return { head, tasks };
        };

        test("a task is found by its number", async () => {
          const { head, tasks } = await started();
          for (const task of tasks) expect(await store().executions.task(head.id, task.no)).toEqual(task);
          expect(await store().executions.task(head.id, offset + 6)).toBeUndefined();
        });

        test("the latest task of a reference is its youngest, whatever the iteration", async () => {
          const { head } = await started();
          expect((await store().executions.latest(head, "a"))?.no).toBe(offset + 5);
          expect((await store().executions.latest(head, "b"))?.no).toBe(offset + 4);
          expect(await store().executions.latest(head, "A")).toBeUndefined();
        });

        test("the task of an iteration is its youngest attempt", async () => {
          const { head } = await started();
          const found = async (iter: string) => (await store().executions.inIteration(head, "a", iter))?.no;
          expect([await found("1"), await found("2"), await found("3"), await found("4")]).toEqual([
            offset + 1,
            offset + 3,
            offset + 5,
            undefined,
          ]);
          expect((await store().executions.inIteration(head, "b", ""))?.no).toBe(offset + 4);
        });

        test("open tasks come oldest first and no more than asked for", async () => {
          const { head } = await started();
          expect(numbers(await store().executions.open(head, 10))).toEqual([offset + 4, offset + 5]);
          expect(numbers(await store().executions.open(head, 1))).toEqual([offset + 4]);
        });

        test("unfollowed tasks are those that ended and were neither retried nor followed up", async () => {
          const { head } = await started();
          expect(numbers(await store().executions.unfollowed(head))).toEqual([offset + 3]);
        });

        test("all tasks come oldest first", async () => {
          const { head } = await started();
          const expected = Array.from({ length: offset + 5 }, (_, index) => index + 1);
          expect(numbers(await store().executions.all(head))).toEqual(expected);
          expect(numbers(await store().executions.all(head, offset + 4))).toEqual([offset + 4, offset + 5]);
          const whole = await store().executions.whole(head.id, { includeTasks: true });
          expect(whole?.tasks.map(({ task }) => task.no)).toEqual(expected);
        });

        test("a changed task is found as it is now", async () => {
          const { head } = await started();
          const ended = aTask(offset + 4, { ref: "b", status: "COMPLETED" });
          const followed = aTask(offset + 3, { ref: "a", iter: "2", status: "COMPLETED", executed: true });
          await done(store(), aStep(head, { changedTasks: [ended, followed] }));
          expect(await store().executions.latest(head, "b")).toEqual(ended);
          expect(numbers(await store().executions.open(head, 10))).toEqual([offset + 5]);
          expect(numbers(await store().executions.unfollowed(head))).toEqual([offset + 4]);
        });

        test("a removed task is gone with its payloads and its work", async () => {
          const { head } = await started();
          const no = offset + 5;
          const large = `"${"x".repeat(1000)}"`;
          const next = { ...head, rev: 2 };
          await done(
            store(),
            aStep(head, {
              changedTasks: [aTask(no, { ref: "a", iter: "3" })],
              payloads: [{ no, slot: "input", text: large }],
              work: new Map([[no, aWork({ queue: newName("queue") })]]),
            }),
            aStep(next, { removedTasks: [no] }),
          );
          expect(await store().executions.task(head.id, no)).toBeUndefined();
          expect((await store().executions.latest(head, "a"))?.no).toBe(offset + 3);
          expect((await store().executions.payload(head.id, no, "input")).text).toBe("{}");
          expect(await store().executions.work(head.id, no)).toBeUndefined();
        });

        test("after a restart only tasks of the new epoch are found", async () => {
          const { head } = await started();
          const restarted = { ...head, epoch: 1, nextNo: offset + 8 };
          const again = [aTask(offset + 6, { ref: "a", iter: "1" }), aTask(offset + 7, { ref: "c" })];
          await done(store(), aStep(head, { head: restarted, newTasks: again }));
          const now = { ...restarted, rev: 2 };
          const { executions } = store();
          expect(await executions.head(head.id)).toEqual(now);
          expect((await executions.latest(now, "a"))?.no).toBe(offset + 6);
          expect(await executions.latest(now, "b")).toBeUndefined();
          expect(await executions.inIteration(now, "a", "2")).toBeUndefined();
          expect(numbers(await executions.open(now, 10))).toEqual([offset + 6, offset + 7]);
          expect(await executions.unfollowed(now)).toEqual([]);
          expect(numbers(await executions.all(now))).toEqual([offset + 6, offset + 7]);
          const whole = await executions.whole(head.id, { includeTasks: true });
          expect(whole?.tasks.map(({ task }) => task.no)).toEqual([offset + 6, offset + 7]);
        });

        test("a claim is laid over its task", async () => {
          const { head } = await started();
          const no = offset + 5;
          const work = aWork({ queue: newName("queue") });
          await done(
            store(),
            aStep(head, {
              changedTasks: [aTask(no, { ref: "a", iter: "3", callbackAfterSeconds: 7 })],
              work: new Map([[no, work]]),
            }),
          );
          const { executions } = store();
          expect((await executions.task(head.id, no))?.status).toBe("SCHEDULED");
          const claim = aClaim(work, { worker: "w9", at: 4321 });
          await done(store(), { kind: "claim", id: head.id, no, work: claim, node: undefined });
          const claimed = aTask(no, {
            ref: "a",
            iter: "3",
            status: "IN_PROGRESS",
            startTime: 4321,
            updateTime: 4321,
            pollCount: 1,
            workerId: "w9",
          });
          expect(await executions.task(head.id, no)).toEqual(claimed);
          expect(await executions.latest(head, "a")).toEqual(claimed);
          expect(await executions.inIteration(head, "a", "3")).toEqual(claimed);
          expect((await executions.open(head, 10)).at(-1)).toEqual(claimed);
          expect((await executions.all(head)).at(-1)).toEqual(claimed);
          const whole = await executions.whole(head.id, { includeTasks: true });
          expect(whole?.tasks.at(-1)?.task).toEqual(claimed);
        });
      });
    }

    test("a whole execution is its head, its payloads and its tasks with theirs", async () => {
      const head = aHead({ correlationId: "c-1", status: "COMPLETED" });
      const large = JSON.stringify({ text: "y".repeat(600) });
      await done(
        store(),
        aStart(head, {
          newTasks: [aTask(1), aTask(2)],
          payloads: [
            { no: 0, slot: "input", text: '{"in":0}' },
            { no: 0, slot: "output", text: large },
            { no: 0, slot: "variables", text: '{"v":0}' },
            { no: 1, slot: "input", text: '{"in":1}' },
            { no: 2, slot: "output", text: large },
          ],
        }),
      );
      const whole = await store().executions.whole(head.id, { includeTasks: true });
      expect(whole?.head).toEqual(head);
      expect([whole?.input.text, whole?.output.text, whole?.variables.text]).toEqual(['{"in":0}', large, '{"v":0}']);
      expect(whole?.tasks.map(({ input, output }) => [input.text, output.text])).toEqual([
        ['{"in":1}', "{}"],
        ["{}", large],
      ]);
      const bare = await store().executions.whole(head.id, { includeTasks: false });
      expect([bare?.output.text, bare?.tasks]).toEqual([large, []]);
    });

    test("a JOIN's outputs are those of the youngest task of each reference that reports to it", async () => {
      const head = aHead();
      const large = JSON.stringify({ text: "z".repeat(600) });
      await done(
        store(),
        aStart(head, {
          newTasks: [
            aTask(1, { ref: "join" }),
            aTask(2, { ref: "r0", join: 1, retried: true, status: "FAILED" }),
            aTask(3, { ref: "r1", join: 1 }),
            aTask(4, { ref: "r0", join: 1 }),
            aTask(5, { ref: "r2", join: 9 }),
            aTask(90, { ref: "r3", join: 1, retried: true, status: "FAILED" }),
            aTask(91, { ref: "r4", join: 9 }),
            aTask(92, { ref: "r3", join: 1 }),
          ],
          payloads: [
            { no: 90, slot: "output", text: '{"try":1}' },
            { no: 91, slot: "output", text: '{"of":"another"}' },
            { no: 92, slot: "output", text: '{"try":2}' },
            { no: 2, slot: "output", text: '{"try":1}' },
            { no: 3, slot: "output", text: large },
            { no: 4, slot: "output", text: '{"try":2}' },
          ],
        }),
      );
      const outputs = await store().executions.joinedOutputs(head, 1);
      const texts = Object.fromEntries([...outputs].map(([ref, raw]) => [ref, raw.text]));
      expect(texts).toEqual({ r0: '{"try":2}', r1: large, r3: '{"try":2}' });
      expect((await store().executions.joinedOutputs({ ...head, epoch: 1 }, 1)).size).toBe(0);
    });

    test("a loop's tasks come oldest first with their outputs and their claims", async () => {
      const head = aHead();
      const large = JSON.stringify({ text: "z".repeat(600) });
      const work = aWork({ queue: newName("queue") });
      await done(
        store(),
        aStart(head, {
          newTasks: [
            aTask(1, { ref: "loop" }),
            aTask(2, { ref: "a", iter: "1", scope: 1, status: "COMPLETED", executed: true }),
            aTask(3, { ref: "b" }),
            aTask(4, { ref: "a", iter: "2", scope: 1 }),
          ],
          payloads: [{ no: 2, slot: "output", text: large }],
          work: new Map([[4, work]]),
        }),
      );
      await done(store(), { kind: "claim", id: head.id, no: 4, work: aClaim(work), node: undefined });
      const tasks = await store().executions.loopTasks(head, 1);
      expect(tasks.map(({ task, output }) => [task.no, task.status, output.text])).toEqual([
        [2, "COMPLETED", large],
        [4, "IN_PROGRESS", "{}"],
      ]);
      expect(await store().executions.loopTasks({ ...head, epoch: 1 }, 1)).toEqual([]);
    });

    test("reads that stop early do not hold on to what was true then", async () => {
      const head = aHead();
      const tasks = Array.from({ length: 80 }, (_, index) => aTask(index + 1));
      await done(store(), aStart(head, { newTasks: tasks }));
      expect(numbers(await store().executions.open(head, 40))).toHaveLength(40);
      await done(store(), aStep(head));
      expect((await store().executions.head(head.id))?.rev).toBe(2);
    });
  });
}
