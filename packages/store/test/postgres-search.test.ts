import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aHead, aStart, aStep, aTask, aWork, done, newName } from "../src/conformance/builders.ts";
import { type Clause, SearchTimeout, type WorkflowField } from "../src/index.ts";
import { connect } from "../src/postgres/connection.ts";
import { Values } from "../src/postgres/search-clause.ts";
import { openPostgresStore, type PostgresStore } from "../src/postgres/store.ts";
import { workflowSource } from "../src/postgres/workflow-source.ts";
import { administer, hasPostgres, newDatabase, testThatPostgresIsThere } from "./support/postgres.ts";

testThatPostgresIsThere();

const everything = { where: [], text: [], sort: [], start: 0, size: 100 } as const;

describe.skipIf(!hasPostgres)("searches on PostgreSQL", () => {
  let url: string;
  const opened: PostgresStore[] = [];
  const open = async (searchTimeoutMs?: number): Promise<PostgresStore> => {
    const store = await openPostgresStore({
      url,
      node: `node-${opened.length}`,
      ...(searchTimeoutMs === undefined ? {} : { searchTimeoutMs }),
    });
    opened.push(store);
    return store;
  };

  beforeAll(async () => {
    url = await newDatabase();
    await (await open()).close();
    await administer(
      `insert into search (id, name, version, status, start_time, end_time, priority, masked, classifier, correlation_id,
         parent_id, created_by, event, reason, idempotency_key, failed)
       select 'id-' || lpad(n::text, 8, '0'), 'type ' || n % 50, 1, case n % 100 when 0 then 'FAILED' else 'COMPLETED' end, n, n, 0,
         false, 'workflow', 'c-' || n, case n % 1000 when 0 then 'p-' || n else '' end, '', '', '', '', ''
       from generate_series(1, 20000) n`,
      url,
    );
    await administer("vacuum analyze search", url);
  });
  afterAll(async () => {
    for (const store of opened) await store.close();
  });

  /** So many patterns for each of so many rows take minutes. */
  const tooMuch = {
    ...everything,
    where: [{ field: "classifier", op: "=", values: Array.from({ length: 20_000 }, (_, n) => `no${n}*${n}*x`) }],
  } as const;

  test("one that takes too long is given up at its deadline, and the others are answered", async () => {
    const store = await open(400);
    const startedAt = performance.now();
    const count = () => store.search.countWorkflows({ where: [{ field: "priority", op: "=", values: [0] }], text: [] });
    const outcomes = await Promise.allSettled([
      store.search.workflows(tooMuch),
      store.search.workflows(tooMuch),
      count(),
      store.search.workflows(tooMuch),
      count(),
    ]);
    expect(performance.now() - startedAt).toBeLessThan(8000);
    expect(outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : outcome.reason))).toEqual([
      expect.any(SearchTimeout),
      expect.any(SearchTimeout),
      20_000,
      expect.any(SearchTimeout),
      20_000,
    ]);
  });

  test("one that is under way does not keep the store from closing, and ends in the database too", async () => {
    const store = await open(60_000);
    const isSearching = async () =>
      (
        await administer(
          "select 1 from pg_stat_activity where datname = current_database() and application_name = 'downbeat search' and state = 'active'",
          url,
        )
      ).length > 0;
    const outcome = Promise.allSettled([store.search.workflows(tooMuch)]);
    while (!(await isSearching()));
    const startedAt = performance.now();
    await store.close();
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(await outcome).toMatchObject([{ status: "rejected", reason: { message: "The store is closed" } }]);
    while (await isSearching());
    await expect(store.search.workflows(everything)).rejects.toThrow("The store is closed");
  });

  for (const [name, where, index] of [
    ["by id", [{ field: "workflowId", op: "=", values: ["x"] }], "search_pkey"],
    ["by correlation id", [{ field: "correlationId", op: "=", values: ["x"] }], "search_correlation"],
    ["children", [{ field: "parentWorkflowId", op: "=", values: ["x"] }], "search_parent"],
    ["by type", [{ field: "workflowType", op: "=", values: ["type 7"] }], "search_name"],
    ["by status", [{ field: "status", op: "IN", values: ["FAILED"] }], "search_status"],
    ["by time", [{ field: "startTime", op: ">", values: [19_900] }], "search_start"],
  ] as const satisfies readonly (readonly [string, readonly Clause<WorkflowField>[], string])[]) {
    test(`${name}: ${index}`, async () => {
      const client = await connect(url, "search");
      const values = new Values();
      const source = workflowSource(values, { where });
      const { rows } = await client.query<{ "QUERY PLAN": string }>(`explain select count(*) ${source}`, values.list);
      await client.end();
      expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).toContain(index);
    });
  }

  test("what changes back while it runs is seen: a pause, a resume, a new correlation id", async () => {
    const store = await open();
    let head = aHead({ workflowName: newName("type") });
    await done(store, aStart(head));
    const find = async (field: WorkflowField, value: string): Promise<number> =>
      store.search.countWorkflows({
        where: [
          { field: "workflowType", op: "=", values: [head.workflowName] },
          { field, op: "=", values: [value] },
        ],
        text: [value],
      });
    for (const fields of [
      { status: "PAUSED" },
      { status: "RUNNING" },
      { correlationId: "new one" },
      { correlationId: "newer" },
    ] as const) {
      await done(store, aStep(head, { head: { ...head, ...fields } }));
      head = { ...head, ...fields, rev: head.rev + 1 };
      const [[field, value] = ["", ""]] = Object.entries(fields);
      expect([value, await find(field as WorkflowField, value)]).toEqual([value, 1]);
    }
    expect(await find("correlationId", "new one")).toBe(0);
    expect(await find("status", "PAUSED")).toBe(0);
  });

  test("texts that callers chose are found whatever is in them", async () => {
    const store = await open();
    const odd = `\0 \u0001 "quoted" %_\\ ${"long ".repeat(3000)}`;
    const name = newName("type");
    const head = aHead({ workflowName: name, correlationId: odd, idempotencyKey: odd, createdBy: "a\0b", nextNo: 2 });
    const task = aTask(1, { ref: odd, workerId: odd, reasonForIncompletion: odd });
    const work = aWork({ queue: `q\0${name}`, workerId: "w\0" });
    const start = aStart(
      head,
      { newTasks: [task], work: new Map([[1, work]]), cachePuts: [{ key: odd, text: "1", expiresAt: 9 }] },
      { idempotency: { name: odd, key: odd, replaces: undefined } },
    );
    await done(store, start, {
      kind: "put-documents",
      documents: [{ collection: name, id: "\0id\u0001", body: "{}", mustBeNew: true }],
    });
    const where = [
      { field: "workflowType", op: "=", values: [name] },
      { field: "correlationId", op: "=", values: [odd] },
      { field: "createdBy", op: "=", values: ["a\0*"] },
    ] as const;
    const { results } = await store.search.workflows({ ...everything, where, text: ["quoted"] });
    expect(results.map((found) => found.head)).toEqual([head]);
    const { results: tasks } = await store.search.tasks({
      ...everything,
      where: [
        { field: "workflowId", op: "=", values: [head.id] },
        { field: "referenceTaskName", op: "=", values: [odd] },
      ],
    });
    expect(tasks.map((found) => found.task)).toEqual([task]);
    expect(await store.findIdempotent(odd, odd)).toBe(head.id);
    expect(await store.findIdempotent(odd, `${odd}x`)).toBeUndefined();
    expect(await store.findCached(odd, 1)).toBe("1");
    expect(await store.queues.ready(work.queue, 10)).toEqual([{ id: head.id, no: 1, work }]);
    expect((await store.queues.sizes()).get(work.queue)).toBe(1);
    expect(await store.documents.list(name, { start: 0, limit: 9 })).toEqual([{ id: "\0id\u0001", body: "{}" }]);
    expect(await store.executions.latest(head, odd)).toEqual(task);
  });
});
