import type { Head } from "@downbeat/engine";
import { describe, expect, test } from "vitest";
import type { Clause, Search, Store, WorkflowField } from "../port.ts";
import { aHead, aStart, aStep, aTask, done, newId, newName } from "./builders.ts";
import type { Subject } from "./describe-store.ts";

type WorkflowSearch = Partial<Search<WorkflowField>>;

const everything = { where: [], text: [], sort: [], start: 0, size: 1000 } as const;

const equal = (field: WorkflowField, ...values: (string | number)[]): Clause<WorkflowField> => ({
  field,
  op: "=",
  values,
});

/** Executions found by their fields, their text and their age. */
export function describeSearch({ store, open }: Subject): void {
  /** Executions of a type of their own, so that tests do not find those of others. */
  const started = async (heads: readonly Partial<Head>[]): Promise<Head[]> => {
    const workflowName = newName("type");
    const all = heads.map((fields) => aHead({ workflowName, ...fields }));
    await done(store(), ...all.map((head) => aStart(head)));
    return all;
  };

  const idsOf = async (search: WorkflowSearch, of: Store = store()): Promise<string[]> =>
    (await of.search.workflows({ ...everything, ...search })).results.map(({ head }) => head.id);

  /** Which of these executions are found, by their place. */
  const among = async (heads: readonly Head[], search: WorkflowSearch): Promise<number[]> => {
    const where = [equal("workflowType", heads[0]?.workflowName ?? ""), ...(search.where ?? [])];
    return (await idsOf({ ...search, where })).map((id) => heads.findIndex((head) => head.id === id));
  };

  describe("search for executions", () => {
    test("an execution is found as it is read, with its payloads, large ones too", async () => {
      const head = aHead({ workflowName: newName("type"), correlationId: "c", reasonForIncompletion: "why" });
      const large = JSON.stringify({ text: "x".repeat(1000) });
      const payloads = [
        { no: 0, slot: "input", text: '{"a":1}' },
        { no: 0, slot: "output", text: large },
        { no: 0, slot: "variables", text: large },
      ] as const;
      await done(store(), aStart(head, { payloads }));
      const { totalHits, results } = await store().search.workflows({
        ...everything,
        where: [equal("workflowType", head.workflowName)],
      });
      expect(totalHits).toBe(1);
      const [found] = results;
      expect(found?.head).toEqual(head);
      expect([found?.input.text, found?.output.text, found?.variables.text]).toEqual(['{"a":1}', large, large]);
      expect([found?.classifier, found?.isArchived]).toEqual(["workflow", false]);
    });

    const samples: readonly [field: WorkflowField, lower: Partial<Head>, higher: Partial<Head>, is: string | number][] =
      [
        ["correlationId", { correlationId: "c-1" }, { correlationId: "c-2" }, "c-2"],
        ["version", { workflowVersion: 9 }, { workflowVersion: 10 }, 10],
        ["status", { status: "FAILED", endTime: 5 }, { status: "PAUSED" }, "PAUSED"],
        ["startTime", { createTime: 900 }, { createTime: 10_000_000_000_000 }, 10_000_000_000_000],
        ["endTime", { endTime: 0 }, { status: "FAILED", endTime: 2000 }, 2000],
        ["updateTime", { updateTime: 3 }, { updateTime: 20 }, 20],
        ["parentWorkflowId", {}, { parentWorkflowId: "parent" }, "parent"],
        ["priority", { priority: 7 }, { priority: 42 }, 42],
        ["createdBy", { createdBy: "ann" }, { createdBy: "bob" }, "bob"],
        ["event", {}, { event: "sqs:q" }, "sqs:q"],
        ["reasonForIncompletion", {}, { reasonForIncompletion: "it's 100% \\ over" }, "it's 100% \\ over"],
        ["idempotencyKey", { idempotencyKey: "k1" }, { idempotencyKey: "k2" }, "k2"],
        [
          "failedReferenceTaskNames",
          { failedReferenceTaskNames: ["a"] },
          { failedReferenceTaskNames: ["b", "c"] },
          "b,c",
        ],
        [
          "executionTime",
          { endTime: 5000, status: "FAILED" },
          { createTime: 1, endTime: 90_000, status: "FAILED" },
          89_999,
        ],
      ];
    for (const [field, lower, higher, value] of samples) {
      test(`${field} is compared and sorted by`, async () => {
        const heads = await started([higher, lower]);
        const by = (op: Clause<WorkflowField>["op"]) => among(heads, { where: [{ field, op, values: [value] }] });
        expect([await by("="), await by("IN"), await by("!=")]).toEqual([[0], [0], [1]]);
        expect([await by(">"), await by(">="), await by("<"), await by("<=")]).toEqual([[], [0], [1], [0, 1]]);
        expect(await among(heads, { sort: [{ field, order: "ASC" }] })).toEqual([1, 0]);
        expect(await among(heads, { sort: [{ field, order: "DESC" }] })).toEqual([0, 1]);
      });
    }

    test("workflowId is compared and sorted by", async () => {
      const heads = await started([{}, {}]);
      const [first = "", second = ""] = heads.map(({ id }) => id);
      expect(await idsOf({ where: [equal("workflowId", second)] })).toEqual([second]);
      expect(await idsOf({ where: [equal("workflowId", second, newId(), first)] })).toEqual([first, second]);
      expect(await among(heads, { where: [equal("workflowId", second), equal("workflowId", `${first}*`)] })).toEqual(
        [],
      );
      expect(await among(heads, { where: [equal("workflowId", `${second.slice(0, -5)}*`)] })).toEqual([1]);
      expect(await among(heads, { where: [{ field: "workflowId", op: ">", values: [first] }] })).toEqual([1]);
      const sort = [{ field: "workflowId", order: "DESC" }] as const;
      expect(await idsOf({ where: [equal("workflowId", first, second)], sort })).toEqual([second, first]);
    });

    test("workflowType is compared and sorted by", async () => {
      const [a, b] = [newName("type"), newName("type")];
      const heads = [aHead({ workflowName: b }), aHead({ workflowName: a }), aHead({ workflowName: b })];
      await done(store(), ...heads.map((head) => aStart(head)));
      const [one, two, three] = heads.map(({ id }) => id);
      const sort = [{ field: "workflowType", order: "ASC" }] as const;
      expect(await idsOf({ where: [equal("workflowType", a, b)], sort })).toEqual([two, one, three]);
      expect(await idsOf({ where: [{ field: "workflowType", op: "IN", values: [b, "none"] }] })).toEqual([one, three]);
    });

    test("all clauses must hold", async () => {
      const heads = await started([
        { priority: 1, workflowVersion: 1 },
        { priority: 1, workflowVersion: 2 },
        { priority: 2, workflowVersion: 2 },
      ]);
      expect(await among(heads, { where: [equal("priority", 1), equal("version", 2)] })).toEqual([1]);
    });

    test("any value of an equality is enough, and none of an inequality is allowed", async () => {
      const heads = await started([{ correlationId: "a" }, { correlationId: "b" }, { correlationId: "c" }, {}]);
      const by = (op: Clause<WorkflowField>["op"], ...values: string[]) =>
        among(heads, { where: [{ field: "correlationId", op, values }] });
      expect(await by("IN", "a", "c", "z")).toEqual([0, 2]);
      expect(await by("IN", "a*", "c")).toEqual([2]);
      expect(await by("IN", "", "c")).toEqual([2, 3]);
      expect(await by("=", "a*", "c")).toEqual([0, 2]);
      expect(await by("!=", "a", "c")).toEqual([1, 3]);
      expect(await by("IN")).toEqual([]);
    });

    test("a star is any characters in any case, and other signs are themselves", async () => {
      const names = ["Order_1", "order%2", "reorder_1", "orderX1", undefined];
      const heads = await started(names.map((name) => (name === undefined ? {} : { correlationId: name })));
      const by = (value: string, op: Clause<WorkflowField>["op"] = "=") =>
        among(heads, { where: [{ field: "correlationId", op, values: [value] }] });
      expect(await by("order*")).toEqual([0, 1, 3]);
      expect(await by("*ORDER_1")).toEqual([0, 2]);
      expect(await by("o*%*")).toEqual([1]);
      expect(await by("*")).toEqual([0, 1, 2, 3, 4]);
      expect(await by("order*", "!=")).toEqual([2, 4]);
      expect(await by("order_1")).toEqual([]);
      expect(await by("Order_1")).toEqual([0]);
    });

    test("an empty text is what those have that have none", async () => {
      const heads = await started([{ parentWorkflowId: "p", correlationId: "c" }, {}]);
      expect(await among(heads, { where: [equal("parentWorkflowId", "")] })).toEqual([1]);
      expect(await among(heads, { where: [{ field: "parentWorkflowId", op: "!=", values: [""] }] })).toEqual([0]);
      expect(await among(heads, { where: [equal("correlationId", "", "c")] })).toEqual([0, 1]);
      expect(await among(heads, { where: [{ field: "correlationId", op: "!=", values: ["c"] }] })).toEqual([1]);
    });

    test("an execution that runs has no end and took no time", async () => {
      const heads = await started([{ createTime: 5 }]);
      expect(await among(heads, { where: [equal("endTime", 0), equal("executionTime", 0)] })).toEqual([0]);
    });

    test("the classifier is the definition's, and its case does not matter", async () => {
      const hashes = [newName("hash"), newName("hash"), newName("hash")] as const;
      const heads = hashes.map((defHash) => aHead({ workflowName: hashes[0], defHash }));
      const bodies = ['{"metadata":{"classifier":"Report"}}', '{"metadata":{"agentDef":{}}}', '{"metadata":{}}'];
      for (const [index, head] of heads.entries())
        await done(store(), aStart(head, {}, { defs: [{ hash: head.defHash, body: bodies[index] ?? "" }] }));
      expect(await among(heads, { where: [equal("classifier", "report")] })).toEqual([0]);
      expect(await among(heads, { where: [equal("classifier", "AGENT", "WorkFlow")] })).toEqual([1, 2]);
      expect(await among(heads, { where: [{ field: "classifier", op: "!=", values: ["Agent"] }] })).toEqual([0, 2]);
      const { results } = await store().search.workflows({ ...everything, where: [equal("workflowType", hashes[0])] });
      expect(results.map(({ classifier }) => classifier)).toEqual(["Report", "agent", "workflow"]);
    });

    test("executions made by the test endpoint are found like others", async () => {
      expect(await among(await started([{ test: true }]), {})).toEqual([0]);
    });

    test("several things to sort by go one after the other, and ties by age", async () => {
      const heads = await started([
        { priority: 1, workflowVersion: 1 },
        { priority: 2, workflowVersion: 1 },
        { priority: 1, workflowVersion: 2 },
        { priority: 2, workflowVersion: 1 },
      ]);
      const by = (...sort: Search<WorkflowField>["sort"]) => among(heads, { sort });
      expect(await by({ field: "priority", order: "ASC" })).toEqual([0, 2, 1, 3]);
      expect(await by({ field: "priority", order: "DESC" })).toEqual([3, 1, 2, 0]);
      expect(await by({ field: "version", order: "DESC" }, { field: "priority", order: "ASC" })).toEqual([2, 0, 3, 1]);
      expect(await by()).toEqual([0, 1, 2, 3]);
    });

    test("pages follow each other without gaps and say how many there are", async () => {
      const heads = await started(Array.from({ length: 25 }, (_, n) => ({ createTime: 1000 + (n % 3) })));
      for (const sort of [
        [],
        [{ field: "startTime", order: "DESC" }],
        [{ field: "startTime", order: "ASC" }],
        [{ field: "executionTime", order: "ASC" }],
      ] as const) {
        const whole = await among(heads, { sort });
        expect(whole.length).toBe(25);
        const pages: number[] = [];
        for (let start = 0; start < 30; start += 7) pages.push(...(await among(heads, { sort, start, size: 7 })));
        expect(pages).toEqual(whole);
      }
      const where = [equal("workflowType", heads[0]?.workflowName ?? "")];
      for (const [start, size, length] of [
        [0, 0, 0],
        [20, 10, 5],
        [30, 10, 0],
      ] as const) {
        const { totalHits, results } = await store().search.workflows({ ...everything, where, start, size });
        expect([totalHits, results.length]).toEqual([25, length]);
      }
    });

    test("without anything to look for everything is found, oldest first, whatever the share that matches", async () => {
      const { store: own } = await open();
      const heads = Array.from({ length: 60 }, (_, n) =>
        aHead({ workflowName: n === 3 ? "rare" : "usual", createTime: 5000 - n, status: n % 2 ? "FAILED" : "RUNNING" }),
      );
      await done(own, ...heads.map((head) => aStart(head)));
      const ids = heads.map(({ id }) => id);
      expect(await idsOf({}, own)).toEqual(ids);
      expect(await idsOf({ size: 2, start: 3 }, own)).toEqual(ids.slice(3, 5));
      const oldest = [{ field: "startTime", order: "ASC" }] as const;
      expect(await idsOf({ sort: oldest, size: 3 }, own)).toEqual(ids.toReversed().slice(0, 3));
      const usual = ids.filter((_, n) => n !== 3);
      expect(await idsOf({ where: [equal("workflowType", "usual")], size: 3, start: 1 }, own)).toEqual(
        usual.slice(1, 4),
      );
      expect(await idsOf({ where: [equal("workflowType", "rare")], sort: oldest }, own)).toEqual([ids[3]]);
      const running = ids.filter((_, n) => n % 2 === 0).toReversed();
      expect(await idsOf({ where: [equal("status", "RUNNING")], sort: oldest, size: 4 }, own)).toEqual(
        running.slice(0, 4),
      );
      const range = [
        { field: "startTime", op: ">", values: [4950] },
        { field: "startTime", op: "<=", values: [4952] },
      ] as const;
      expect(await idsOf({ where: range }, own)).toEqual([ids[48], ids[49]]);
    });

    test("a search right after a commit finds what it changed", async () => {
      let [head] = (await started([{}])) as [Head];
      for (const status of ["PAUSED", "RUNNING", "COMPLETED"] as const) {
        const endTime = status === "COMPLETED" ? 9000 : 0;
        await done(store(), aStep(head, { head: { ...head, status, endTime, updateTime: 70 } }));
        head = { ...head, rev: head.rev + 1 };
        const where = [equal("status", status), equal("updateTime", 70), equal("endTime", endTime)];
        expect(await among([head], { where })).toEqual([0]);
      }
      expect(await among([head], { where: [equal("status", "RUNNING")] })).toEqual([]);
    });

    test("a step that only moves on is seen too", async () => {
      const [head] = (await started([{}])) as [Head];
      expect(await among([head], { where: [equal("updateTime", 0)] })).toEqual([0]);
      await done(store(), aStep(head, { head: { ...head, updateTime: 77 }, newTasks: [aTask(1)] }));
      expect(await among([head], { where: [equal("updateTime", 77)] })).toEqual([0]);
    });

    test("many executions that are started at once are all found", async () => {
      const workflowName = newName("type");
      const heads = Array.from({ length: 500 }, () => aHead({ workflowName }));
      await Promise.all(heads.map((head) => store().commit(aStart(head, { newTasks: [aTask(1)] }))));
      const where = [equal("workflowType", workflowName)];
      expect(await store().search.countWorkflows({ where, text: [] })).toBe(500);
      const pages = await Promise.all([0, 200, 400].map((start) => idsOf({ where, start, size: 200 })));
      expect(new Set(pages.flat())).toEqual(new Set(heads.map(({ id }) => id)));
    });

    test("a unit that was not written is not found", async () => {
      const [head] = (await started([{}])) as [Head];
      await store().commit(aStart({ ...head, correlationId: "second" }));
      await store().commit(aStep({ ...head, rev: 17 }, { head: { ...head, status: "FAILED" } }));
      expect(await among([head], { where: [equal("correlationId", "second")] })).toEqual([]);
      expect(await among([head], { where: [equal("status", "FAILED")] })).toEqual([]);
    });

    test("what was committed before the store was opened again is found", async () => {
      const { store: first, reopen } = await open();
      const heads = [aHead(), aHead()];
      await done(first, ...heads.map((head) => aStart(head, { newTasks: [aTask(1)] })));
      const again = await reopen();
      expect(await idsOf({}, again)).toEqual(heads.map(({ id }) => id));
      const last = aHead();
      await done(again, aStart(last));
      expect(await idsOf({ where: [equal("status", "RUNNING")] }, again)).toEqual([...heads, last].map(({ id }) => id));
    });
  });

  describe("ids and counts", () => {
    test("ids come in order and continue behind one, also when it is gone", async () => {
      const heads = await started(Array.from({ length: 10 }, (_, n) => ({ priority: n % 2 })));
      const ids = heads.filter(({ priority }) => priority === 1).map(({ id }) => id);
      const where = [equal("workflowType", heads[0]?.workflowName ?? ""), equal("priority", 1)];
      const next = (after: string | undefined, limit: number) =>
        store().search.workflowIds({ where, text: [] }, after, limit);
      expect(await next(undefined, 2)).toEqual(ids.slice(0, 2));
      expect(await next(ids[1], 2)).toEqual(ids.slice(2, 4));
      await done(store(), { kind: "remove-execution", id: ids[3] ?? "", keepsSearchRow: true });
      expect(await next(ids[3], 10)).toEqual(ids.slice(4));
      expect(await next(undefined, 10)).toEqual([...ids.slice(0, 3), ...ids.slice(4)]);
      expect(await next(ids[4], 10)).toEqual([]);
      expect(await store().search.countWorkflows({ where, text: [] })).toBe(5);
    });

    test("ids and counts by text", async () => {
      const heads = await started([{ correlationId: "red apple" }, {}, { correlationId: "Red pear" }]);
      const where = [equal("workflowType", heads[0]?.workflowName ?? "")];
      const wanted = { where, text: ["red"] };
      expect(await store().search.countWorkflows(wanted)).toBe(2);
      expect(await store().search.workflowIds(wanted, undefined, 10)).toEqual([heads[0]?.id, heads[2]?.id]);
      expect(await store().search.workflowIds(wanted, undefined, 1)).toEqual([heads[0]?.id]);
      expect(await store().search.workflowIds(wanted, heads[0]?.id, 10)).toEqual([heads[2]?.id]);
    });

    test("ids of everything", async () => {
      const { store: own } = await open();
      const heads = Array.from({ length: 30 }, () => aHead());
      await done(own, ...heads.map((head) => aStart(head)));
      const wanted = { where: [], text: [] };
      expect(await own.search.workflowIds(wanted, undefined, 100)).toEqual(heads.map(({ id }) => id));
      expect(await own.search.workflowIds(wanted, heads[26]?.id, 2)).toEqual([heads[27]?.id, heads[28]?.id]);
      expect(await own.search.countWorkflows(wanted)).toBe(30);
    });
  });
}
