import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Head, PayloadChange } from "@downbeat/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aHead, aStart, aStep } from "../src/conformance/builders.ts";
import { type Clause, openSqliteStore, type Store, type Unit, type WorkflowField } from "../src/index.ts";

/** Two stores with the same executions: texts of one settle at once, those of the other never do. */
const folder = mkdtempSync(join(tmpdir(), "downbeat-settled-"));
const paths = ["settled", "loose"].map((name) => join(folder, name, "downbeat.db")) as [string, string];
let settled: Store;
let loose: Store;
let file: DatabaseSync;

const COUNT = 5000;
const heads: Head[] = [];

beforeAll(async () => {
  for (const path of paths) mkdirSync(join(path, ".."));
  settled = openSqliteStore({ path: paths[0], settleAfterMs: 20 });
  loose = openSqliteStore({ path: paths[1], settleAfterMs: 2 ** 31 - 1 });
  for (let n = 0; n < COUNT; n++) heads.push(aHead({ workflowName: n % 3 === 0 ? "order" : "visit", createTime: n }));
  await both((store) =>
    all(
      store,
      heads.map((head, n) => aStart(head, { payloads: [inputOf(n)] }, { defs })),
    ),
  );
  file = new DatabaseSync(paths[0], { readOnly: true });
  await allSettled();
}, 120_000);

afterAll(async () => {
  file.close();
  await settled.close();
  await loose.close();
  rmSync(folder, { recursive: true, force: true });
});

const defs = [{ hash: "hash", body: '{"metadata":{}}' }];

/** Every fourth says hello, every seventh is long, some have a name that no other has. */
function inputOf(n: number): PayloadChange {
  const input: Record<string, unknown> = { customer: `customer-${n}`, region: ["north", "south", "west"][n % 3] };
  if (n % 4 === 0) input["greeting"] = "Hello, World";
  if (n % 7 === 0) input["long"] = Array.from({ length: 300 }, (_, at) => `part${(n * 31 + at * 17) % 9973}`);
  if (n % 1000 === 1) input["rare"] = `zebra${n}`;
  return { no: 0, slot: "input", text: JSON.stringify(input) };
}

/** Commits of many at once, which must succeed. */
async function all(store: Store, units: readonly Unit[]): Promise<void> {
  for (const { kind } of await Promise.all(units.map((unit) => store.commit(unit)))) expect(kind).toBe("done");
}

async function both(act: (store: Store) => Promise<unknown>): Promise<void> {
  await act(settled);
  await act(loose);
}

const count = (table: string): number => Number(file.prepare(`select count(*) as n from ${table}`).get()?.["n"]);

/** The newest block still grows; all before it have settled, and hardly anything of them has changed since. */
async function allSettled(): Promise<void> {
  const texts = file.prepare("select count(distinct key >> 17) as n from search_text");
  for (;;) {
    if (Number(texts.get()?.["n"]) <= 1 && count("search_void") === 0 && count("search_block") === 2) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const questions: readonly { where?: readonly Clause<WorkflowField>[]; text: string; finds?: boolean }[] = [
  { text: "hello" },
  { text: "Hello, World" },
  { text: "hello*world" },
  { text: "world*hello", finds: false },
  { text: "greeting=hello" },
  { text: "customer" },
  { text: "customer-17" },
  { text: "zebra" },
  { text: "zebra3001" },
  { text: "zebra9999", finds: false },
  { text: "o" },
  { text: "ou" },
  { text: "north" },
  { text: "order" },
  { text: "part1700" },
  { text: "part9," },
  { text: "completed", finds: false },
  { text: "hello", where: [{ field: "workflowType", op: "=", values: ["order"] }] },
  { text: "customer", where: [{ field: "startTime", op: "<", values: [40] }] },
  { text: "north*hello", where: [{ field: "workflowType", op: "=", values: ["visit"] }], finds: false },
  { text: "world", where: [{ field: "workflowType", op: "!=", values: ["order"] }] },
];

const sorts = [[], [{ field: "startTime", order: "DESC" }], [{ field: "workflowType", order: "ASC" }]] as const;

async function expectTheSame(): Promise<void> {
  for (const { where = [], text } of questions) {
    for (const sort of sorts) {
      for (const [start, size] of [
        [0, 5],
        [700, 5],
      ] as const) {
        const search = { where, text: [text], sort, start, size };
        const [one, other] = await Promise.all([settled.search.workflows(search), loose.search.workflows(search)]);
        expect(one, JSON.stringify(search)).toEqual(other);
      }
    }
    const wanted = { where, text: [text, "customer"] };
    expect(await settled.search.countWorkflows(wanted)).toBe(await loose.search.countWorkflows(wanted));
    for (const after of [undefined, heads[COUNT / 2]?.id])
      expect(await settled.search.workflowIds(wanted, after, 50)).toEqual(
        await loose.search.workflowIds(wanted, after, 50),
      );
  }
}

test("texts that have settled are found as before", async () => {
  expect(count("search_slice")).toBeGreaterThan(500);
  for (const { where = [], text, finds = true } of questions) {
    const hits = await settled.search.countWorkflows({ where, text: [text] });
    expect(hits > 0, text).toBe(finds);
  }
  await expectTheSame();
});

test("what changes or goes afterwards is found as it is now", async () => {
  const changed = heads.filter((_, n) => n % 50 === 3);
  const gone = heads.filter((_, n) => n % 50 === 4);
  const archived = heads.filter((_, n) => n % 500 === 5);
  await both(async (store) => {
    await all(store, [
      ...changed.map((head) =>
        aStep(head, {
          head: { ...head, status: "COMPLETED", endTime: 9 },
          payloads: [{ no: 0, slot: "output", text: '{"said":"goodbye hello"}' }],
        }),
      ),
      ...gone.map(({ id }) => ({ kind: "remove-execution", id, keepsSearchRow: false }) as const),
      ...archived.map(({ id }) => ({ kind: "remove-execution", id, keepsSearchRow: true }) as const),
    ]);
  });
  expect(await settled.search.countWorkflows({ where: [], text: ["goodbye"] })).toBe(changed.length);
  expect(await settled.search.countWorkflows({ where: [], text: ["completed"] })).toBe(changed.length);
  expect(await settled.search.countWorkflows({ where: [], text: ["customer"] })).toBe(COUNT - gone.length);
  expect(count("search_void")).toBeGreaterThan(0);
  await expectTheSame();
});

test("a block of which much has gone is written again", { timeout: 60_000 }, async () => {
  const gone = heads.filter((_, n) => n % 50 !== 4 && n % 500 !== 5 && n % 3 === 1);
  await both((store) =>
    all(
      store,
      gone.map(({ id }) => ({ kind: "remove-execution", id, keepsSearchRow: false }) as const),
    ),
  );
  await allSettled();
  await expectTheSame();
  expect(await settled.search.countWorkflows({ where: [], text: ["customer"] })).toBe(
    await settled.search.countWorkflows({ where: [], text: [] }),
  );
});

test("blocks of which nothing is left go too", { timeout: 60_000 }, async () => {
  const rest = [...(await settled.search.workflows({ where: [], text: [], sort: [], start: 0, size: COUNT })).results];
  const ids = rest.filter(({ isArchived }) => !isArchived).map(({ head }) => head.id);
  await both((store) =>
    all(
      store,
      ids.map((id) => ({ kind: "remove-execution", id, keepsSearchRow: false }) as const),
    ),
  );
  await allSettled();
  expect(await settled.search.countWorkflows({ where: [], text: ["customer"] })).toBe(rest.length - ids.length);
});
