import type { Head, PayloadChange } from "@downbeat/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aHead, aStart, aStep } from "../../src/conformance/builders.ts";
import type { Clause, Store, Unit, WorkflowField } from "../../src/index.ts";

export type SettledSubject = {
  /** Two empty stores: texts of the first settle at once, those of the other never do. */
  readonly open: () => Promise<readonly [settled: Store, loose: Store]>;
  /** What the first has: blocks, executions that are void in theirs, and others whose texts have not settled. */
  readonly count: (of: "blocks" | "void" | "loose") => Promise<number>;
};

const COUNT = 5000;
const BLOCKS = 2;
/** What is left does not fill a block: numbers may begin with 1. */
const REST = COUNT - BLOCKS * 2048 + 1;

const questions: readonly { where?: readonly Clause<WorkflowField>[]; text: string; finds?: boolean }[] = [
  { text: "hello" },
  { text: "Hello, World" },
  { text: "hello*world" },
  { text: "world*hello", finds: false },
  { text: "greeting=hello" },
  { text: "customer" },
  { text: "customer-17" },
  { text: "😀 fine" },
  { text: "\ud83d half" },
  { text: "\ufffd half", finds: false },
  { text: "zebra" },
  { text: "zebra3001" },
  { text: "zebra9999", finds: false },
  { text: "o" },
  { text: "ou" },
  { text: "north" },
  { text: "order" },
  { text: "part1700" },
  { text: "completed" },
  { text: "order*completed" },
  { text: "completed*hello" },
  { text: "failed", finds: false },
  { text: "hello", where: [{ field: "workflowType", op: "=", values: ["order"] }] },
  { text: "customer", where: [{ field: "startTime", op: "<", values: [40] }] },
  { text: "north*hello", where: [{ field: "workflowType", op: "=", values: ["visit"] }], finds: false },
  { text: "world", where: [{ field: "workflowType", op: "!=", values: ["order"] }] },
];

const sorts = [[], [{ field: "startTime", order: "DESC" }], [{ field: "workflowType", order: "ASC" }]] as const;

/** Every fourth says hello, every seventh is long, some have a name that no other has. */
function inputOf(n: number): PayloadChange {
  const input: Record<string, unknown> = { customer: `customer-${n}`, region: ["north", "south", "west"][n % 3] };
  input["mood"] = "😀 fine";
  input["half"] = "\ud83d half";
  if (n % 4 === 0) input["greeting"] = "Hello, World";
  if (n % 7 === 0) input["long"] = Array.from({ length: 300 }, (_, at) => `part${(n * 31 + at * 17) % 9973}`);
  if (n % 1000 === 1) input["rare"] = `zebra${n}`;
  return { no: 0, slot: "input", text: JSON.stringify(input) };
}

const removal = ({ id }: Pick<Head, "id">, keepsSearchRow = false): Unit => ({
  kind: "remove-execution",
  id,
  keepsSearchRow,
});

/** Texts that have settled are found as others are, whatever happens to them later. */
export function describeSettled({ open, count }: SettledSubject): void {
  let settled: Store;
  let loose: Store;
  const heads = Array.from({ length: COUNT }, (_, n) =>
    aHead({ workflowName: n % 3 === 0 ? "order" : "visit", createTime: n, status: "COMPLETED", endTime: 5000 }),
  );

  beforeAll(async () => {
    [settled, loose] = await open();
    const defs = [{ hash: "hash", body: '{"metadata":{}}' }];
    await commit(heads.map((head, n) => aStart(head, { payloads: [inputOf(n)] }, { defs })));
    await untilSettled();
  }, 180_000);

  afterAll(async () => {
    await settled.close();
    await loose.close();
  });

  /** To both stores. */
  async function commit(units: readonly Unit[]): Promise<void> {
    for (const store of [settled, loose])
      for (const { kind } of await Promise.all(units.map((unit) => store.commit(unit)))) expect(kind).toBe("done");
  }

  async function untilSettled(): Promise<void> {
    for (;;) {
      const [found, voids, others] = [await count("blocks"), await count("void"), await count("loose")];
      if (found === BLOCKS && voids === 0 && others <= REST) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async function expectTheSame(): Promise<void> {
    for (const { where = [], text } of questions) {
      for (const sort of sorts) {
        for (const start of [0, 700]) {
          const search = { where, text: [text], sort, start, size: 5 };
          const [one, other] = await Promise.all([settled.search.workflows(search), loose.search.workflows(search)]);
          expect(one, JSON.stringify(search)).toEqual(other);
        }
      }
      const wanted = { where, text: [text, "customer"] };
      expect(await settled.search.countWorkflows(wanted)).toBe(await loose.search.countWorkflows(wanted));
      for (const after of [undefined, heads[COUNT / 2]?.id]) {
        const ids = await loose.search.workflowIds(wanted, after, 50);
        expect(await settled.search.workflowIds(wanted, after, 50)).toEqual(ids);
      }
    }
  }

  const hits = (text: string): Promise<number> => settled.search.countWorkflows({ where: [], text: [text] });

  test("texts that have settled are found as before", { timeout: 180_000 }, async () => {
    for (const { where = [], text, finds = true } of questions) {
      const found = await settled.search.countWorkflows({ where, text: [text] });
      expect(found > 0, text).toBe(finds);
    }
    await expectTheSame();
  });

  test("pages put together are all of them in order, from the first to the last", async () => {
    for (const sort of sorts) {
      const read = async (start: number, size: number): Promise<string[]> => {
        const { totalHits, results } = await settled.search.workflows({ where: [], text: [], sort, start, size });
        expect(totalHits).toBe(COUNT);
        return results.map(({ head }) => head.id);
      };
      const all = await read(0, COUNT);
      for (const start of [0, 1300, 2490, 2500, 3700, COUNT - 300, COUNT - 1, COUNT])
        expect(await read(start, 300), `from ${start}`).toEqual(all.slice(start, start + 300));
    }
  });

  test("what changes or goes afterwards is found as it is now", { timeout: 180_000 }, async () => {
    const changed = heads.filter((_, n) => n % 50 === 3);
    const gone = heads.filter((_, n) => n % 50 === 4);
    const archived = heads.filter((_, n) => n >= 2048 && n % 500 === 5);
    await commit([
      ...changed.map((head) =>
        aStep(head, {
          head: { ...head, status: "FAILED", reasonForIncompletion: "no time" },
          payloads: [{ no: 0, slot: "output", text: '{"said":"goodbye hello"}' }],
        }),
      ),
      ...gone.map((head) => removal(head)),
      ...archived.map((head) => removal(head, true)),
    ]);
    expect(await hits("goodbye")).toBe(changed.length);
    expect(await hits("no time")).toBe(changed.length);
    expect(await hits("failed")).toBe(changed.length);
    expect(await hits("customer")).toBe(COUNT - gone.length);
    expect(await count("void")).toBeGreaterThan(0);
    await expectTheSame();
  });

  test("a block of which much has gone is written again", { timeout: 180_000 }, async () => {
    await commit(heads.filter((_, n) => n % 50 !== 4 && n % 500 !== 5 && n % 3 !== 0).map((head) => removal(head)));
    await untilSettled();
    await expectTheSame();
    expect(await hits("customer")).toBe(await settled.search.countWorkflows({ where: [], text: [] }));
  });

  test("a block of which nothing is left goes, and what is left of others is found", { timeout: 180_000 }, async () => {
    const { results } = await settled.search.workflows({ where: [], text: [], sort: [], start: 0, size: COUNT });
    const there = results.filter(({ isArchived }) => !isArchived);
    await commit(there.map(({ head }) => removal(head)));
    while ((await count("blocks")) > BLOCKS - 1) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await hits("customer")).toBe(results.length - there.length);
    await expectTheSame();
  });
}
