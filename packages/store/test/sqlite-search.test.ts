import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Head } from "@downbeat/engine";
import { afterAll, describe, expect, test } from "vitest";
import { aHead, aStart, aStep, aTask, aWork, done } from "../src/conformance/builders.ts";
import { type Clause, openSqliteStore, SearchTimeout, type Store, type WorkflowField } from "../src/index.ts";
import { headText, taskText } from "../src/sqlite/compact.ts";
import { createSearchQueries } from "../src/sqlite/search-queries.ts";

const folder = mkdtempSync(join(tmpdir(), "downbeat-search-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function newPath(): string {
  const path = join(folder, `${files++}`, "downbeat.db");
  mkdirSync(dirname(path), { recursive: true });
  return path;
}

const everything = { where: [], text: [], sort: [], start: 0, size: 100 } as const;
const idsOf = async (store: Store, where: readonly Clause<WorkflowField>[] = []): Promise<string[]> =>
  (await store.search.workflows({ ...everything, where })).results.map(({ head }) => head.id);
const tasksOf = async (store: Store, { id }: Head): Promise<[no: number, status: string][]> => {
  const where = [{ field: "workflowId", op: "=", values: [id] }] as const;
  const { results } = await store.search.tasks({ ...everything, where });
  return results.map(({ task }) => [task.no, task.status]);
};

describe("a search that takes too long", () => {
  /** So many patterns for each of so many rows take half a minute, all of it inside the database. */
  const tooMuch = {
    ...everything,
    where: [{ field: "classifier", op: "=", values: Array.from({ length: 3000 }, (_, n) => `no${n}*`) }],
  } as const;

  async function openLarge(searchTimeoutMs: number): Promise<Store> {
    const path = newPath();
    await openSqliteStore({ path }).close();
    const db = new DatabaseSync(path);
    db.exec(`with recursive n(no) as (select 1 union all select no + 1 from n where no < 20000)
      insert into search (no, name, version, status, start_time, end_time, update_time, priority, classifier, masked, epoch)
      select no, 'usual', 1, 'RUNNING', no, 0, 0, 0, 'workflow', 0, 0 from n`);
    db.close();
    return openSqliteStore({ path, searchTimeoutMs });
  }

  test("is given up at its deadline, and those that wait in line are answered", async () => {
    const store = await openLarge(400);
    const startedAt = performance.now();
    const outcomes = await Promise.allSettled([
      store.search.workflows(tooMuch),
      store.search.countWorkflows({ where: [{ field: "priority", op: "=", values: [0] }], text: [] }),
      store.search.workflows(tooMuch),
      store.search.countWorkflows({ where: [], text: [] }),
    ]);
    expect(performance.now() - startedAt).toBeLessThan(8000);
    expect(outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : outcome.reason))).toEqual([
      expect.any(SearchTimeout),
      20000,
      expect.any(SearchTimeout),
      20000,
    ]);
    await store.close();
  });

  test("does not keep the store from closing", async () => {
    const store = await openLarge(60_000);
    await store.search.countWorkflows({ where: [], text: [] });
    const outcomes = Promise.allSettled([store.search.workflows(tooMuch), store.search.workflows(everything)]);
    // The searches are asked before this is answered.
    await done(store, aStart(aHead()), aStart(aHead()));
    const startedAt = performance.now();
    await store.close();
    expect(performance.now() - startedAt).toBeLessThan(5000);
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: "rejected", reason: { message: "The store is closed" } });
    await expect(store.search.workflows(everything)).rejects.toThrow("The store is closed");
  });
});

describe("after a crash", () => {
  /** The file as a crash at this moment leaves it. */
  function crashed(path: string): string {
    const copy = newPath();
    for (const suffix of ["", "-wal"]) copyFileSync(`${path}${suffix}`, `${copy}${suffix}`);
    return copy;
  }

  const dirtyRows = (path: string): number => {
    const db = new DatabaseSync(path, { readOnly: true });
    const count = Number(db.prepare("select count(*) as n from dirty").get()?.["n"]);
    db.close();
    return count;
  };

  test("what was committed and could not be found yet is found", async () => {
    const path = newPath();
    const store = openSqliteStore({ path });
    const known = aHead({ nextNo: 4 });
    await done(store, aStart(known, { newTasks: [aTask(1), aTask(2), aTask(3)] }));
    expect(await tasksOf(store, known)).toHaveLength(3);
    const unknown = aHead({ nextNo: 2 });
    const ended = { ...known, status: "COMPLETED", endTime: 9 } as const;
    await done(
      store,
      aStart(unknown, { newTasks: [aTask(1)] }),
      aStep(known, { head: ended, changedTasks: [aTask(2, { status: "COMPLETED" })], removedTasks: [3] }),
    );
    const copy = crashed(path);
    expect(dirtyRows(copy)).toBe(2);
    const again = openSqliteStore({ path: copy });
    const later = aHead();
    await done(again, aStart(later));
    expect(await idsOf(again)).toEqual([known.id, unknown.id, later.id]);
    expect(await idsOf(again, [{ field: "status", op: "=", values: ["COMPLETED"] }])).toEqual([known.id]);
    expect(await tasksOf(again, known)).toEqual([
      [1, "SCHEDULED"],
      [2, "COMPLETED"],
    ]);
    expect(await tasksOf(again, unknown)).toEqual([[1, "SCHEDULED"]]);
    await again.close();
    expect(dirtyRows(copy)).toBe(0);
    await store.close();
  });

  test("a change to an execution that is not known yet does not hide its other tasks", async () => {
    const path = newPath();
    const store = openSqliteStore({ path });
    const head = aHead({ nextNo: 3 });
    const work = aWork();
    await done(store, aStart(head, { newTasks: [aTask(1), aTask(2)], work: new Map([[2, work]]) }));
    const again = openSqliteStore({ path: crashed(path) });
    const claim = { ...work, state: "claimed", startedAt: 5, polledAt: 5, polls: 1 } as const;
    await done(again, { kind: "claim", id: head.id, no: 2, work: claim, node: undefined });
    expect(await tasksOf(again, head)).toEqual([
      [1, "SCHEDULED"],
      [2, "IN_PROGRESS"],
    ]);
    await again.close();
    await store.close();
  });

  test("an execution that was archived before it could be found is found", async () => {
    const path = newPath();
    const store = openSqliteStore({ path });
    const [kept, gone] = [aHead(), aHead()];
    await done(store, aStart(kept, { newTasks: [aTask(1)] }), aStart(gone));
    await done(store, { kind: "remove-execution", id: kept.id, keepsSearchRow: true });
    await done(store, { kind: "remove-execution", id: gone.id, keepsSearchRow: false });
    const again = openSqliteStore({ path: crashed(path) });
    const { results } = await again.search.workflows(everything);
    expect(results.map(({ head, isArchived }) => [head.id, isArchived])).toEqual([[kept.id, true]]);
    expect(await tasksOf(again, kept)).toEqual([]);
    await again.close();
    await store.close();
  });

  test("work that the server had claimed for itself is not in progress any more", async () => {
    const path = newPath();
    const store = openSqliteStore({ path });
    const head = aHead({ nextNo: 2 });
    const work = aWork();
    await done(store, aStart(head, { newTasks: [aTask(1)], work: new Map([[1, work]]) }));
    const claim = { ...work, state: "claimed", startedAt: 5, polledAt: 5, polls: 1 } as const;
    await done(store, { kind: "claim", id: head.id, no: 1, work: claim, node: "here" });
    expect(await tasksOf(store, head)).toEqual([[1, "IN_PROGRESS"]]);
    await store.close();
    const again = openSqliteStore({ path });
    const where = [{ field: "status", op: "=", values: ["IN_PROGRESS"] }] as const;
    expect((await again.search.tasks({ ...everything, where })).totalHits).toBe(0);
    expect(await tasksOf(again, head)).toEqual([[1, "SCHEDULED"]]);
    await again.close();
  });

  test("a unit that cannot be written hides nothing of its neighbours", async () => {
    const path = newPath();
    const store = openSqliteStore({ path });
    const heads = [aHead(), aHead(), aHead()] as const;
    const broken = aStart(heads[1], { newTasks: [aTask(1), aTask(1)] });
    await Promise.allSettled([store.commit(aStart(heads[0])), store.commit(broken), store.commit(aStart(heads[2]))]);
    const copy = crashed(path);
    expect(await idsOf(store)).toEqual([heads[0].id, heads[2].id]);
    const again = openSqliteStore({ path: copy });
    expect(await idsOf(again)).toEqual([heads[0].id, heads[2].id]);
    await again.close();
    await store.close();
  });
});

describe("a file of the first schema", () => {
  test("is brought up to date, and everything in it is found, oldest first", async () => {
    const path = newPath();
    const db = new DatabaseSync(path);
    db.exec(readFileSync(new URL("../src/sqlite/schema/0001-init.sql", import.meta.url), "utf8"));
    db.exec("pragma user_version = 1");
    const heads = Array.from({ length: 300 }, (_, n) =>
      aHead({ correlationId: `c${n}`, nextNo: 2, ...(n % 2 === 0 ? {} : { status: "COMPLETED", endTime: 5000 }) }),
    );
    const insertExecution = db.prepare(
      "insert into execution (id, rev, epoch, status, head, inp, out, vars) values (?, 1, 0, ?, ?, ?, '', '')",
    );
    const insertTask = db.prepare(
      "insert into task (exec, no, epoch, ref, iter, scope, joins, done, meta, inp, out) values (?, 1, 0, 'a', '', 0, 0, 0, ?, '', '')",
    );
    for (const [n, head] of heads.entries()) {
      insertExecution.run(head.id, head.status, headText(head), `{"word":"w${n}x"}`);
      insertTask.run(head.id, taskText(aTask(1, { ref: "a" })));
    }
    db.exec(
      `insert into search (id, name, version, status, start_time, end_time, update_time) values ('${heads[0]?.id}', 'old', 1, 'PAUSED', 0, 0, 0)`,
    );
    db.close();

    const store = openSqliteStore({ path });
    const later = aHead();
    await done(store, aStart(later));
    const { totalHits, results } = await store.search.workflows({ ...everything, size: 1000 });
    expect(totalHits).toBe(301);
    expect(results.map(({ head }) => head)).toEqual([...heads, later]);
    const where = [{ field: "status", op: "=", values: ["COMPLETED"] }] as const;
    expect(await store.search.countWorkflows({ where, text: ["w7x"] })).toBe(1);
    expect((await store.search.tasks({ ...everything, text: ["c171"] })).totalHits).toBe(1);
    expect((await store.executions.whole(heads[3]?.id ?? "", { includeTasks: true }))?.tasks).toHaveLength(1);
    await store.close();
  });
});

test("a file whose search rows lacked reasons and the like is searched by them", async () => {
  const path = newPath();
  const failed = aHead({
    status: "FAILED",
    endTime: 5000,
    reasonForIncompletion: "card refused",
    failedReferenceTaskNames: ["pay", "ship"],
    createdBy: "ann",
    event: "service:paid",
    idempotencyKey: "k-1",
  });
  const running = aHead();
  const before = openSqliteStore({ path });
  await done(before, aStart(failed), aStart(running));
  await before.search.workflows(everything);
  await before.close();
  const db = new DatabaseSync(path);
  const added = ["created_by", "event", "reason", "idempotency_key", "failed"];
  for (const name of ["created_by", "event", "reason", "idempotency", "failed"]) db.exec(`drop index search_${name}`);
  for (const column of added) db.exec(`alter table search drop column ${column}`);
  for (const table of ["search_block", "search_slice", "search_void"]) db.exec(`drop table ${table}`);
  db.exec("drop index task_join; pragma user_version = 4");
  db.close();

  const store = openSqliteStore({ path });
  for (const [field, value] of [
    ["reasonForIncompletion", "card*"],
    ["failedReferenceTaskNames", "pay,ship"],
    ["createdBy", "ann"],
    ["event", "service:paid"],
    ["idempotencyKey", "k-1"],
  ] as const) {
    const found = await store.search.workflows({ ...everything, where: [{ field, op: "=", values: [value] }] });
    expect(found.results.map(({ head }) => head.id)).toEqual([failed.id]);
    expect(await store.search.countWorkflows({ where: [{ field, op: "!=", values: [value] }], text: [] })).toBe(1);
  }
  await store.close();
});

describe("typical searches use their index", () => {
  for (const [name, fields, plan] of [
    ["by id", [["workflowId", "x"]], "INTEGER PRIMARY KEY"],
    ["by correlation id", [["correlationId", "x"]], "search_correlation (correlation_id=?)"],
    ["children", [["parentWorkflowId", "x"]], "search_parent (parent_id=?)"],
    [
      "by type and status",
      [
        ["workflowType", "x"],
        ["status", "FAILED"],
      ],
      "COVERING INDEX search_name (name=? AND status=?)",
    ],
    ["by reason", [["reasonForIncompletion", "x"]], "COVERING INDEX search_reason (reason=?)"],
    ["by a part of the reason", [["reasonForIncompletion", "*x*"]], "COVERING INDEX search_reason"],
    ["by failed task", [["failedReferenceTaskNames", "*pay*"]], "COVERING INDEX search_failed"],
    ["by status", [["status", "FAILED"]], "COVERING INDEX search_status (status=?)"],
  ] as const) {
    test(`${name}: ${plan}`, async () => {
      const path = newPath();
      await openSqliteStore({ path }).close();
      const db = new DatabaseSync(path, { readOnly: true });
      const plans: string[] = [];
      const prepare = db.prepare.bind(db);
      const queries = createSearchQueries(db);
      db.prepare = (sql) => {
        plans.push(
          prepare(`explain query plan ${sql}`)
            .all()
            .map((row) => String(row["detail"]))
            .join("\n"),
        );
        return prepare(sql);
      };
      queries.countWorkflows({
        where: fields.map(([field, value]) => ({ field, op: "=", values: [value] })),
        text: [],
      });
      db.close();
      expect(plans.join("\n")).toContain(plan);
    });
  }
});
