import type { Head, Task } from "@downbeat/engine";
import { taskId } from "@downbeat/engine";
import { describe, expect, test } from "vitest";
import type { Clause, Search, TaskField } from "../port.ts";
import { aClaim, aHead, aStart, aStep, aTask, aWork, done, newId, newName } from "./builders.ts";
import type { Subject } from "./describe-store.ts";

type TaskSearch = Partial<Search<TaskField>>;

const everything = { where: [], text: [], sort: [], start: 0, size: 1000 } as const;
const equal = (field: TaskField, ...values: (string | number)[]): Clause<TaskField> => ({ field, op: "=", values });

/** Tasks found by their fields, as polls, retries, restarts and removals leave them. */
export function describeSearchTasks({ store }: Subject): void {
  const started = async (tasks: readonly Task[], fields: Partial<Head> = {}): Promise<Head> => {
    const head = aHead({ workflowName: newName("type"), nextNo: tasks.length + 1, ...fields });
    await done(store(), aStart(head, { newTasks: tasks }));
    return head;
  };

  const numbers = async (head: Head, search: TaskSearch = {}): Promise<number[]> => {
    const where = [equal("workflowId", head.id), ...(search.where ?? [])];
    const { totalHits, results } = await store().search.tasks({ ...everything, ...search, where });
    if (search.size === undefined) expect(totalHits).toBe(results.length);
    return results.map(({ task }) => task.no);
  };

  const inState = (head: Head, ...states: string[]): Promise<number[]> =>
    numbers(head, { where: [{ field: "status", op: "IN", values: states }] });

  describe("search for tasks", () => {
    test("a task is found as it is read, with its execution and its payloads", async () => {
      const head = aHead({ workflowName: newName("type"), correlationId: "c" });
      const task = aTask(1, { iter: "3", domain: "eu" });
      const large = JSON.stringify({ text: "x".repeat(1000) });
      const payloads = [
        { no: 1, slot: "input", text: '{"a":1}' },
        { no: 1, slot: "output", text: large },
      ] as const;
      await done(store(), aStart(head, { newTasks: [task], payloads }));
      const { totalHits, results } = await store().search.tasks({
        ...everything,
        where: [equal("workflowId", head.id)],
      });
      expect(totalHits).toBe(1);
      expect([results[0]?.head, results[0]?.task]).toEqual([head, task]);
      expect([results[0]?.input.text, results[0]?.output.text]).toEqual(['{"a":1}', large]);
    });

    const samples: readonly [field: TaskField, lower: Partial<Task>, higher: Partial<Task>, is: string | number][] = [
      ["taskType", { taskType: "HTTP" }, { taskType: "WAIT" }, "WAIT"],
      ["taskDefName", { taskDefName: "a" }, { taskDefName: "b" }, "b"],
      ["referenceTaskName", { ref: "a", iter: "1" }, { ref: "a", iter: "2" }, "a__2"],
      ["status", { status: "COMPLETED" }, { status: "FAILED" }, "FAILED"],
      ["status", { status: "CANCELED" }, { status: "COMPLETED" }, "COMPLETED"],
      ["scheduledTime", { scheduledTime: 9 }, { scheduledTime: 10 }, 10],
      ["startTime", { startTime: 0 }, { startTime: 10 }, 10],
      ["endTime", { endTime: 0 }, { endTime: 10 }, 10],
      ["updateTime", { updateTime: 9 }, { updateTime: 10 }, 10],
      ["domain", {}, { domain: "eu" }, "eu"],
      ["workerId", { workerId: "w1" }, { workerId: "w2" }, "w2"],
      ["reasonForIncompletion", {}, { reasonForIncompletion: "timeout" }, "timeout"],
      ["executionTime", { startTime: 5, endTime: 9 }, { startTime: 5, endTime: 15 }, 10],
      ["queueWaitTime", { scheduledTime: 9, startTime: 0 }, { scheduledTime: 9, startTime: 15 }, 6],
    ];
    for (const [field, lower, higher, value] of samples) {
      test(`${field} is compared and sorted by: ${value}`, async () => {
        const head = await started([aTask(1, higher), aTask(2, lower)]);
        const by = (op: Clause<TaskField>["op"]) => numbers(head, { where: [{ field, op, values: [value] }] });
        expect([await by("="), await by("IN"), await by("!=")]).toEqual([[1], [1], [2]]);
        expect([await by(">"), await by(">="), await by("<"), await by("<=")]).toEqual([[], [1], [2], [1, 2]]);
        expect(await numbers(head, { sort: [{ field, order: "ASC" }] })).toEqual([2, 1]);
        expect(await numbers(head, { sort: [{ field, order: "DESC" }] })).toEqual([1, 2]);
        const own = { ...everything, where: [equal("workflowType", head.workflowName), equal(field, value)] };
        expect((await store().search.tasks(own)).results.map(({ task }) => task.no)).toEqual([1]);
      });
    }

    test("fields of the execution find its tasks", async () => {
      const correlationId = newName("c");
      const low = await started([aTask(1), aTask(2)], { correlationId, priority: 3 });
      const high = await started([aTask(1)], { correlationId, priority: 4 });
      const places = async (search: TaskSearch) =>
        (await store().search.tasks({ ...everything, ...search })).results.map(({ head, task }) => [head.id, task.no]);
      const all = [
        [low.id, 1],
        [low.id, 2],
        [high.id, 1],
      ];
      const ours = equal("correlationId", correlationId);
      expect(await places({ where: [ours] })).toEqual(all);
      expect(await places({ where: [ours, equal("workflowPriority", 4)] })).toEqual([[high.id, 1]]);
      expect(await places({ where: [equal("workflowType", low.workflowName)] })).toEqual(all.slice(0, 2));
      expect(await places({ where: [equal("workflowId", high.id, newId())] })).toEqual([[high.id, 1]]);
      expect(await places({ where: [ours], sort: [{ field: "workflowPriority", order: "DESC" }] })).toEqual([
        [high.id, 1],
        [low.id, 2],
        [low.id, 1],
      ]);
      expect(await places({ where: [equal("taskId", taskId(low.id, 2), taskId(high.id, 9), "none")] })).toEqual([
        [low.id, 2],
      ]);
      expect(await places({ where: [equal("taskId", "none")] })).toEqual([]);
      expect(await places({ where: [ours, equal("taskId", `${low.id.slice(0, 30)}*`)] })).toEqual(all.slice(0, 2));
      expect(await places({ where: [ours], sort: [{ field: "taskId", order: "DESC" }] })).toEqual(all.toReversed());
    });

    test("pages follow each other without gaps and say how many there are", async () => {
      const head = await started(Array.from({ length: 23 }, (_, n) => aTask(n + 1, { startTime: n % 2 })));
      for (const sort of [[], [{ field: "startTime", order: "DESC" }]] as const) {
        const pages: number[] = [];
        for (let start = 0; start < 30; start += 5) pages.push(...(await numbers(head, { sort, start, size: 5 })));
        expect(pages).toEqual(await numbers(head, { sort }));
        expect(pages.length).toBe(23);
      }
      const { totalHits, results } = await store().search.tasks({
        ...everything,
        where: [equal("workflowId", head.id)],
        size: 0,
      });
      expect([totalHits, results]).toEqual([23, []]);
    });

    test("a claim is seen, and that it was given back", async () => {
      const head = aHead({ nextNo: 2 });
      const work = aWork({ queue: newName("queue") });
      await done(store(), aStart(head, { newTasks: [aTask(1)], work: new Map([[1, work]]) }));
      expect([await inState(head, "SCHEDULED"), await inState(head, "IN_PROGRESS")]).toEqual([[1], []]);
      const claim = aClaim(work, { worker: "worker-7", at: 4000 });
      await done(store(), { kind: "claim", id: head.id, no: 1, work: claim, node: undefined });
      expect([await inState(head, "SCHEDULED"), await inState(head, "IN_PROGRESS")]).toEqual([[], [1]]);
      const where = [equal("startTime", 4000), equal("updateTime", 4000), equal("workerId", "worker-7")];
      expect(await numbers(head, { where })).toEqual([1]);
      expect(await numbers(head, { text: ["WORKER-7"] })).toEqual([1]);
      const { results } = await store().search.tasks({ ...everything, where: [equal("workflowId", head.id)] });
      expect(results[0]?.task).toMatchObject({ status: "IN_PROGRESS", startTime: 4000, workerId: "worker-7" });
      await done(store(), { kind: "work", id: head.id, no: 1, from: "claimed", work });
      expect([await inState(head, "SCHEDULED"), await inState(head, "IN_PROGRESS")]).toEqual([[1], []]);
      expect(await numbers(head, { where: [equal("workerId", "worker-7")] })).toEqual([]);
    });

    test("each step is seen, and the tasks it does not touch stay", async () => {
      const head = await started([aTask(1), aTask(2), aTask(3)]);
      await done(
        store(),
        aStep(head, {
          changedTasks: [aTask(2, { status: "COMPLETED" })],
          newTasks: [aTask(4)],
          payloads: [{ no: 2, slot: "output", text: '{"word":"zebra"}' }],
        }),
      );
      expect([await inState(head, "COMPLETED"), await inState(head, "SCHEDULED")]).toEqual([[2], [1, 3, 4]]);
      expect(await numbers(head, { text: ["zebra"] })).toEqual([2]);
      await done(store(), aStep({ ...head, rev: 2 }, { changedTasks: [aTask(1, { status: "FAILED" })] }));
      expect([await inState(head, "FAILED"), await inState(head, "COMPLETED", "SCHEDULED")]).toEqual([[1], [2, 3, 4]]);
    });

    test("tasks of a large execution are all found", async () => {
      const head = await started(Array.from({ length: 3000 }, (_, n) => aTask(n + 1)));
      const totalHits = async (status: string) => {
        const where = [equal("workflowId", head.id), equal("status", status)];
        return (await store().search.tasks({ ...everything, where, size: 1 })).totalHits;
      };
      expect(await totalHits("SCHEDULED")).toBe(3000);
      const some = [5, 6, 7, 1500, 2999];
      await done(store(), aStep(head, { changedTasks: some.map((no) => aTask(no, { status: "FAILED" })) }));
      expect(await inState(head, "FAILED")).toEqual(some);
      expect(await totalHits("SCHEDULED")).toBe(2995);
    });

    test("removed tasks and tasks of an older epoch are gone", async () => {
      const head = await started([aTask(1), aTask(2), aTask(3)]);
      expect(await numbers(head)).toEqual([1, 2, 3]);
      await done(store(), aStep(head, { removedTasks: [2, 3], newTasks: [aTask(4)] }));
      expect(await numbers(head)).toEqual([1, 4]);
      expect(await numbers(head, { text: ["task_2"] })).toEqual([]);
      const restarted = { ...head, rev: 2, epoch: 1 };
      await done(store(), aStep(restarted, { head: restarted, newTasks: [aTask(5)] }));
      expect(await numbers(head)).toEqual([5]);
      expect(await numbers(head, { text: ["task_1"] })).toEqual([]);
      await done(store(), { kind: "purge-epoch", id: head.id, before: 1 });
      expect(await numbers(head)).toEqual([5]);
    });

    test("free text finds a task by what is shown of it", async () => {
      const head = aHead({ workflowName: newName("Billing"), correlationId: "Corr-1", nextNo: 3 });
      const task = aTask(1, { ref: "charge", iter: "2", reasonForIncompletion: "Card declined", domain: "EU" });
      const payloads = [
        { no: 1, slot: "input", text: '{"amount":12,"name":"Zoë"}' },
        { no: 1, slot: "output", text: '{"receipt":"R/1"}' },
      ] as const;
      await done(store(), aStart(head, { newTasks: [task, aTask(2, { taskDefName: "other" })], payloads }));
      for (const text of ["charge__2", "d declin", "amount=12", '"amount":12', "ZOË", "r/1", "eu", taskId(head.id, 1)])
        expect([text, await numbers(head, { text: [text] })]).toEqual([text, [1]]);
      for (const text of ["billing", "corr-1", "scheduled", head.id, "simple"])
        expect([text, await numbers(head, { text: [text] })]).toEqual([text, [1, 2]]);
      for (const text of ["charge__3", "amount=13", taskId(head.id, 3)])
        expect([text, await numbers(head, { text: [text] })]).toEqual([text, []]);
      const found = await store().search.tasks({ ...everything, text: [`${head.workflowName}*charge`] });
      expect(found.results.map(({ task: { no } }) => no)).toEqual([1]);
    });
  });

  describe("executions by their tasks", () => {
    test("each execution is found once, by any of its tasks", async () => {
      const taskType = newName("TASK");
      const heads = [
        await started([aTask(1, { taskType, startTime: 50 }), aTask(2, { taskType, startTime: 10 }), aTask(3)]),
        await started([aTask(1)]),
        await started([aTask(1, { taskType, startTime: 30 })]),
      ];
      const ids = async (search: TaskSearch) => {
        const { totalHits, results } = await store().search.workflowsByTasks({ ...everything, ...search });
        if (search.size === undefined) expect(totalHits).toBe(results.length);
        return results.map(({ head }) => heads.findIndex(({ id }) => id === head.id));
      };
      const where = [equal("taskType", taskType)];
      expect(await ids({ where })).toEqual([0, 2]);
      expect(await ids({ where, sort: [{ field: "startTime", order: "ASC" }] })).toEqual([0, 2]);
      expect(
        await ids({ where: [...where, equal("startTime", 30, 50)], sort: [{ field: "startTime", order: "ASC" }] }),
      ).toEqual([2, 0]);
      expect(await ids({ where, start: 1, size: 1 })).toEqual([2]);
      expect((await store().search.workflowsByTasks({ ...everything, where, size: 0 })).totalHits).toBe(2);
      expect(await ids({ where, text: ["task_1"] })).toEqual([0, 2]);
      expect(await ids({ where, text: ["task_2"] })).toEqual([0]);
      const [found] = (await store().search.workflowsByTasks({ ...everything, where })).results;
      expect([found?.head, found?.isArchived]).toEqual([heads[0], false]);
    });
  });

  describe("search after removal", () => {
    const payloads = [
      { no: 0, slot: "input", text: '{"word":"giraffe"}' },
      { no: 0, slot: "output", text: JSON.stringify({ text: "y".repeat(900) }) },
      { no: 0, slot: "variables", text: '{"v":1}' },
      { no: 1, slot: "input", text: '{"word":"giraffe"}' },
    ] as const;
    const workflows = async (head: Head, text: readonly string[] = []) => {
      const where = [{ field: "workflowType", op: "=", values: [head.workflowName] }] as const;
      return await store().search.workflows({ ...everything, where, text });
    };
    const remove = (head: Head, keepsSearchRow: boolean) =>
      ({ kind: "remove-execution", id: head.id, keepsSearchRow }) as const;

    for (const [name, isSearchedFirst] of [
      ["that was searched before", true],
      ["that nobody had searched yet", false],
    ] as const) {
      test(`of an execution ${name}, and archived, the summary stays and the tasks go`, async () => {
        const head = aHead({ workflowName: newName("type"), correlationId: "kept", nextNo: 2 });
        await done(store(), aStart(head, { newTasks: [aTask(1)], payloads }));
        if (isSearchedFirst) expect((await workflows(head)).results[0]?.isArchived).toBe(false);
        await done(store(), remove(head, true));
        const { totalHits, results } = await workflows(head);
        expect(totalHits).toBe(1);
        const [found] = results;
        expect([found?.head, found?.isArchived, found?.classifier]).toEqual([head, true, "workflow"]);
        expect([found?.input.text, found?.output.text, found?.variables.text]).toEqual([
          payloads[0].text,
          payloads[1].text,
          payloads[2].text,
        ]);
        expect((await workflows(head, ["giraffe"])).totalHits).toBe(1);
        expect((await workflows(head, ["giraffes"])).totalHits).toBe(0);
        expect(await numbers(head)).toEqual([]);
        const byId = { field: "workflowId", op: "=", values: [head.id] } as const;
        const byHead = { field: "createdBy", op: "=", values: [""] } as const;
        const again = await store().search.workflows({ ...everything, where: [byId, byHead] });
        expect(again.results.map((hit) => hit.head.id)).toEqual([head.id]);
        expect((await store().search.tasks({ ...everything, text: [head.correlationId ?? ""] })).totalHits).toBe(0);
      });

      test(`of an execution ${name}, and not archived, nothing stays`, async () => {
        const head = aHead({ workflowName: newName("type"), nextNo: 2 });
        await done(store(), aStart(head, { newTasks: [aTask(1)], payloads }));
        if (isSearchedFirst) expect((await workflows(head)).totalHits).toBe(1);
        await done(store(), remove(head, false));
        expect((await workflows(head)).totalHits).toBe(0);
        expect((await workflows(head, ["giraffe"])).totalHits).toBe(0);
        expect(await numbers(head)).toEqual([]);
      });
    }

    test("an execution that follows an archived one does not take its place", async () => {
      const [first, second] = [aHead({ workflowName: newName("type") }), aHead({ workflowName: newName("type") })];
      await done(store(), aStart(first), remove(first, true), aStart(second, { newTasks: [aTask(1)] }));
      expect((await workflows(first)).results.map(({ head }) => head.id)).toEqual([first.id]);
      expect((await workflows(second)).results.map(({ head }) => head.id)).toEqual([second.id]);
    });
  });
}
