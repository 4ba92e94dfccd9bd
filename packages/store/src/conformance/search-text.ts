import type { Head, PayloadChange } from "@downbeat/engine";
import { describe, expect, test } from "vitest";
import type { Clause, WorkflowField } from "../port.ts";
import { aHead, aStart, aStep, aTask, done, newName } from "./builders.ts";
import type { Subject } from "./describe-store.ts";

type WorkflowClause = Clause<WorkflowField>;

/** Free text: what a summary shows, found by any part of it. */
export function describeSearchText({ store }: Subject): void {
  const started = async (fields: Partial<Head>, payloads: readonly PayloadChange[] = []): Promise<Head> => {
    const head = aHead({ workflowName: newName("Type"), ...fields });
    await done(store(), aStart(head, { payloads }));
    return head;
  };

  const input = (value: unknown): PayloadChange => ({ no: 0, slot: "input", text: JSON.stringify(value) });
  const output = (value: unknown): PayloadChange => ({ no: 0, slot: "output", text: JSON.stringify(value) });

  const finds = async (head: Head, ...text: string[]): Promise<boolean> => {
    const { totalHits, results } = await store().search.workflows({
      where: [{ field: "workflowType", op: "=", values: [head.workflowName] }],
      text,
      sort: [{ field: "startTime", order: "DESC" }],
      start: 0,
      size: 10,
    });
    expect(results.map((found) => found.head.id)).toEqual(totalHits === 1 ? [head.id] : []);
    return totalHits === 1;
  };

  describe("free text", () => {
    for (const [name, fields, payloads, text, other] of [
      ["the id", {}, [], "00000-0000-7000-8000", "00000-0000-7000-8001"],
      ["the type", {}, [], "ype 0190", "ype 0191"],
      ["the correlation id", { correlationId: "Order/17" }, [], "order/17", "order/18"],
      ["the status", { status: "TIMED_OUT" }, [], "timed_out", "timedxout"],
      ["the reason", { reasonForIncompletion: "Card was declined" }, [], "was declined", "was  declined"],
      ["the failed tasks", { failedReferenceTaskNames: ["pay", "ship"] }, [], "pay,ship", "ship,pay"],
      ["who created it", { createdBy: "Ann" }, [], "ann", "bob"],
      ["the event", { event: "kafka:orders" }, [], "kafka:ord", "kafka:orx"],
      ["the idempotency key", { idempotencyKey: "once-1" }, [], "ONCE-1", "once-2"],
      ["the input", {}, [input({ customer: { name: "Müller" } })], "MÜLLER", "muller"],
      ["the output", {}, [output([{ sum: 12.5 }])], "12.5", "12.6"],
      ["the input as a summary shows it", {}, [input({ a: 1, b: ["x", "y"] })], "{a=1, b=[x, y]}", "a=2"],
      ["the input as JSON", {}, [input({ a: 1, b: ["x", "y"] })], '"a":1,"b":["x"', '"a":2'],
      ["escaped characters", {}, [input({ path: 'C:\\dir\\"q"\nnext é' })], 'c:\\dir\\"q', "c:\\dix"],
      ["a single character", { correlationId: "§" }, [], "§", "¶"],
      ["two characters", { correlationId: "q§z" }, [], "Q§", "q¶"],
    ] as const) {
      test(`${name} is found by any part of it, in any case`, async () => {
        const head = await started(fields, payloads);
        expect([await finds(head, text), await finds(head, other)]).toEqual([true, false]);
      });
    }

    test("JSON that was sent with escapes is found by the characters they stand for", async () => {
      const head = await started({}, [{ no: 0, slot: "input", text: '{"a":"gr\\u00fc\\u006en"}' }]);
      expect([await finds(head, "grün"), await finds(head, "u006e")]).toEqual([true, false]);
    });

    test("a star is any characters, across fields too", async () => {
      const head = await started({ correlationId: "begin-middle-end" }, [input({ word: "zebra" })]);
      expect(await finds(head, "begin*end")).toBe(true);
      expect(await finds(head, "end*begin")).toBe(false);
      expect(await finds(head, "middle*zebra")).toBe(true);
      expect(await finds(head, "*")).toBe(true);
      expect(await finds(head, "mi%le")).toBe(false);
      expect(await finds(head, "mid_le")).toBe(false);
    });

    test("all texts must occur", async () => {
      const head = await started({ correlationId: "one" }, [output({ b: "two" })]);
      expect(await finds(head, "one", "two")).toBe(true);
      expect(await finds(head, "one", "three")).toBe(false);
    });

    test("a word in the names of some and in the texts of others finds both, once each, in order", async () => {
      const word = `wombat${newName("")}`.replaceAll(" ", "").toLowerCase();
      const named = `Of ${word} type`;
      const heads = [
        await started({ workflowName: named, createTime: 1 }),
        await started({ createTime: 2 }, [input({ about: word })]),
        await started({ createTime: 3 }, [input({ about: "others" })]),
        await started({ workflowName: named, createTime: 4, status: "FAILED" }, [output({ about: word })]),
        await started({ createTime: 5, correlationId: word, status: "FAILED" }),
      ];
      const found = async (text: string[], more: { start?: number; size?: number; where?: WorkflowClause[] } = {}) => {
        const sort = [{ field: "startTime", order: "DESC" }] as const;
        const search = { where: [], text, sort, start: 0, size: 10, ...more };
        const { totalHits, results } = await store().search.workflows(search);
        return [totalHits, results.map(({ head }) => heads.findIndex(({ id }) => id === head.id))];
      };
      expect(await found([word])).toEqual([4, [4, 3, 1, 0]]);
      expect(await found([word], { start: 1, size: 2 })).toEqual([4, [3, 1]]);
      expect(await found([word, "failed"])).toEqual([2, [4, 3]]);
      expect(await found([named])).toEqual([2, [3, 0]]);
      expect(await found([named, "about"])).toEqual([1, [3]]);
      expect(await found([word], { where: [{ field: "status", op: "=", values: ["FAILED"] }] })).toEqual([2, [4, 3]]);
      expect(await found([word], { where: [{ field: "startTime", op: "<", values: [4] }] })).toEqual([2, [1, 0]]);
      expect(await store().search.countWorkflows({ where: [], text: [word] })).toBe(4);
      expect(await store().search.countWorkflows({ where: [], text: [named] })).toBe(2);
    });

    test("the beginning of a long text is found, wherever it lies in it", async () => {
      const words = Array.from({ length: 250 }, (_, n) => `w${(n * 7919).toString(36)}x`);
      const head = await started({}, [input({ words }), output({ words: words.toReversed() })]);
      const shown = words.join(", ").slice(0, 3000);
      for (let at = 0; at < 2900; at += 13) {
        const part = shown.slice(at, at + 40);
        if (!(await finds(head, part))) throw new Error(`Expected to find "${part}"`);
      }
      expect(await finds(head, `${shown.slice(100, 140)}!`)).toBe(false);
    });

    test("what comes with a later step is found, and what went is not", async () => {
      const head = await started({ correlationId: "c" }, [input({ first: "alpha" })]);
      const next = { ...head, status: "FAILED", reasonForIncompletion: "broken pipe", endTime: 5 } as const;
      expect(await finds(head, "running")).toBe(true);
      await done(store(), aStep(head, { head: next, payloads: [output({ last: "omega" })] }));
      expect([await finds(head, "alpha"), await finds(head, "omega"), await finds(head, "n pipe")]).toEqual([
        true,
        true,
        true,
      ]);
      expect(await finds(head, "running")).toBe(false);
      const again = { ...head, rev: 2, epoch: 1 };
      await done(store(), aStep({ ...next, rev: 2 }, { head: again, payloads: [output({})] }));
      expect([await finds(head, "omega"), await finds(head, "n pipe"), await finds(head, "running")]).toEqual([
        false,
        false,
        true,
      ]);
    });

    test("payloads are not searched when the definition hides fields, everything else is", async () => {
      const hash = newName("hash");
      const head = aHead({ workflowName: newName("type"), defHash: hash, correlationId: "shown" });
      await done(
        store(),
        aStart(
          head,
          {
            newTasks: [aTask(1)],
            payloads: [input({ card: "4711" }), { no: 1, slot: "input", text: '{"card":"4711"}' }],
          },
          { defs: [{ hash, body: '{"metadata":{},"maskedFields":["card"]}' }] },
        ),
      );
      expect([await finds(head, "4711"), await finds(head, "{"), await finds(head, "shown")]).toEqual([
        false,
        false,
        true,
      ]);
      const tasks = async (text: string) => {
        const where = [{ field: "workflowId", op: "=", values: [head.id] }] as const;
        return (await store().search.tasks({ where, text: [text], sort: [], start: 0, size: 10 })).totalHits;
      };
      expect([await tasks("4711"), await tasks("task_1")]).toEqual([0, 1]);
    });

    test("text is found among others, with and without other things to look for", async () => {
      const word = newName("needle");
      const heads: Head[] = [];
      for (let n = 0; n < 40; n++) {
        const tag = n % 10 === 0 ? word : "hay";
        heads.push(
          await started({ priority: n, correlationId: newName("c") }, [input({ n, tag, more: "same words for all" })]),
        );
      }
      const search = async (fields: object) => {
        const found = await store().search.workflows({
          where: [],
          text: [word],
          sort: [],
          start: 0,
          size: 10,
          ...fields,
        });
        return [found.totalHits, found.results.map(({ head }) => head.priority)];
      };
      expect(await search({})).toEqual([4, [0, 10, 20, 30]]);
      expect(await search({ start: 1, size: 2 })).toEqual([4, [10, 20]]);
      expect(await search({ sort: [{ field: "priority", order: "DESC" }] })).toEqual([4, [30, 20, 10, 0]]);
      expect(await search({ where: [{ field: "priority", op: ">", values: [15] }] })).toEqual([2, [20, 30]]);
      const correlation = heads[20]?.correlationId ?? "";
      expect(await search({ where: [{ field: "correlationId", op: "=", values: [correlation] }] })).toEqual([1, [20]]);
      expect(await search({ where: [{ field: "workflowId", op: "=", values: [heads[1]?.id] }] })).toEqual([0, []]);
    });
  });
}
