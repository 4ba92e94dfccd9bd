import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aClaim, aHead, aStart, aStep, aTask, aWork, done, newName } from "../src/conformance/builders.ts";
import { connect } from "../src/postgres/connection.ts";
import { createDocumentReads } from "../src/postgres/document-reads.ts";
import { createExecutionReads } from "../src/postgres/execution-reads.ts";
import { createQueueReads } from "../src/postgres/queue-reads.ts";
import type { Reads, Statement } from "../src/postgres/reader.ts";
import { createScheduleReads } from "../src/postgres/schedule-reads.ts";
import { openPostgresStore } from "../src/postgres/store.ts";
import { administer, hasPostgres, newDatabase, testThatPostgresIsThere } from "./support/postgres.ts";
import { LossyProxy } from "./support/proxy.ts";

testThatPostgresIsThere();

describe.skipIf(!hasPostgres)("the schema", () => {
  const open = (url: string) => openPostgresStore({ url, node: "node-1" });
  const columns = (url: string) =>
    administer(
      "select table_name, column_name, data_type from information_schema.columns where table_schema = 'public' order by 1, 2",
      url,
    );

  test("a database of the newest schema is left as it is", async () => {
    const url = await newDatabase();
    await (await open(url)).close();
    const before = await columns(url);
    expect(before.length).toBeGreaterThan(100);
    await (await open(url)).close();
    expect(await columns(url)).toEqual(before);
  });

  test("a database of a newer schema is refused with both numbers", async () => {
    const url = await newDatabase();
    await (await open(url)).close();
    const newest = Number((await administer("select version from schema_version", url))[0]?.["version"]);
    await administer("update schema_version set version = 9999", url);
    await expect(open(url)).rejects.toThrow(
      `Expected a database of schema ${newest} or older, got schema 9999: it was written by a newer version`,
    );
    await administer(`update schema_version set version = ${newest}`, url);
    await (await open(url)).close();
  });

  test("many nodes that start at once on an empty database all start", async () => {
    const url = await newDatabase();
    const stores = await Promise.all(
      Array.from({ length: 8 }, (_, n) => openPostgresStore({ url, node: `node-${n}` })),
    );
    for (const store of stores) await store.close();
    expect(await administer("select count(*)::int as n from node", url)).toEqual([{ n: 8 }]);
  });

  test("a database that holds other than Unicode text is refused", async () => {
    const url = await newDatabase();
    await administer(
      "create database downbeat_latin1 template template0 encoding 'LATIN1' lc_collate 'C' lc_ctype 'C'",
    );
    const other = new URL(url);
    other.pathname = "/downbeat_latin1";
    await expect(open(other.href)).rejects.toThrow("Expected a database with encoding UTF8, got LATIN1");
    await administer("drop database downbeat_latin1");
  });
});

describe.skipIf(!hasPostgres)("groups", () => {
  test("a group is one statement, whatever its size", async () => {
    const proxy = await LossyProxy.start(await newDatabase());
    const store = await openPostgresStore({ url: proxy.url, node: "node-1" });
    await done(store, aStart(aHead()));
    for (const size of [1, 30, 700]) {
      const before = store.written();
      const sent = proxy.statements;
      const work = aWork();
      const heads = Array.from({ length: size }, () => aHead({ nextNo: 2 }));
      const start = (head: (typeof heads)[number]) =>
        aStart(head, { newTasks: [aTask(1)], work: new Map([[1, work]]), logs: [{ no: 1, at: 1, line: "line" }] });
      await Promise.all(heads.map((head) => store.commit(start(head))));
      const { groups, units, statements } = store.written();
      expect([groups - before.groups, units - before.units, statements - before.statements]).toEqual([1, size, 1]);
      expect(proxy.statements - sent).toBe(1);
    }
    await store.close();
    await proxy.close();
  });

  test("commits that trickle in gather while a group is under way", async () => {
    const store = await openPostgresStore({ url: await newDatabase(), node: "node-1" });
    const callers = Array.from({ length: 200 }, async () => {
      let head = aHead();
      await done(store, aStart(head));
      for (let step = 0; step < 10; step++) {
        await done(store, aStep(head));
        head = { ...head, rev: head.rev + 1 };
      }
    });
    await Promise.all(callers);
    const { groups, units, statements } = store.written();
    expect(units).toBe(2200);
    expect(units / groups).toBeGreaterThan(20);
    expect(statements).toBe(groups);
    await store.close();
  });

  test("point reads that come at once are one statement", async () => {
    const store = await openPostgresStore({ url: await newDatabase(), node: "node-1" });
    const heads = Array.from({ length: 50 }, () => aHead());
    await Promise.all(heads.map((head) => store.commit(aStart(head, { newTasks: [aTask(1)] }))));
    const before = store.written().statements;
    const found = await Promise.all(heads.map(({ id }) => store.executions.head(id)));
    expect(found).toEqual(heads);
    await Promise.all(heads.map(({ id }) => store.executions.task(id, 1)));
    await Promise.all(heads.map(({ id }) => store.executions.payload(id, 1, "input")));
    expect(store.written().statements - before).toBe(3);
    await store.close();
  });
});

describe.skipIf(!hasPostgres)("rows are found by their keys", () => {
  let url: string;
  let client: pg.Client;
  let scansBefore: unknown;
  const scans = () => administer("select relname, seq_scan from pg_stat_user_tables order by relname", url);
  const statements = new Map<string, Statement & { readonly values: readonly unknown[] }>();

  beforeAll(async () => {
    url = await newDatabase();
    const store = await openPostgresStore({ url, node: "node-1" });
    scansBefore = await scans();
    const head = aHead({ nextNo: 101 });
    const work = aWork({ queue: newName("queue"), timerAt: 9 });
    const tasks = Array.from({ length: 100 }, (_, index) => aTask(index + 1));
    const large = `"${"x".repeat(1000)}"`;
    const sent = { sender: head.id, n: 1, target: head.id, body: "{}" };
    await done(
      store,
      aStart(
        head,
        {
          newTasks: tasks,
          work: new Map(tasks.map(({ no }) => [no, work])),
          payloads: [{ no: 1, slot: "input", text: large }],
        },
        { sends: [sent], idempotency: { name: "orders", key: "key", replaces: undefined } },
      ),
      { kind: "claim", id: head.id, no: 40, work: aClaim(work), node: undefined },
      aStep(
        head,
        {
          changedTasks: [aTask(40, { status: "COMPLETED", executed: true })],
          work: new Map([[40, undefined]]),
          removedTasks: [50],
        },
        { consumes: [{ sender: head.id, n: 1 }] },
      ),
      { kind: "remove-execution", id: head.id, keepsSearchRow: false },
    );
    const recorder: Reads = {
      all: async (statement, values) => {
        statements.set(statement.name, { ...statement, values });
        return [];
      },
      first: async (statement, values) => {
        statements.set(statement.name, { ...statement, values });
        return undefined;
      },
    };
    const { executions, queues, documents, schedules } = {
      executions: createExecutionReads(recorder),
      queues: createQueueReads(recorder),
      documents: createDocumentReads(recorder),
      schedules: createScheduleReads(recorder),
    };
    await Promise.all([
      executions.whole(head.id, { includeTasks: true }),
      executions.head(head.id),
      executions.task(head.id, 1),
      executions.latest(head, "a"),
      executions.inIteration(head, "a", "1"),
      executions.open(head, 10),
      executions.unfollowed(head),
      executions.all(head),
      executions.work(head.id, 1),
      executions.payload(head.id, 1, "input"),
      executions.joinedOutputs(head, 1),
      executions.loopTasks(head, 1),
      executions.messages(head.id, 1, 5),
      schedules.cursor("s", 0),
      schedules.oldestRun(),
      queues.ready("q", 10),
      queues.due(9, 10),
      queues.nextTimer(),
      queues.sizes(),
      queues.size("q"),
      queues.nextRateSlot("n", 1, 1),
      documents.find("c", "i"),
      documents.list("c", { start: 0, limit: 10 }),
      documents.count("c"),
    ]);
    await store.close();
    client = await connect(url, "read");
  });
  afterAll(() => client?.end());

  test("no read scans a table", async () => {
    expect(statements.size).toBe(24);
    for (const { name, text, values } of statements.values()) {
      const { rows } = await client.query<{ "QUERY PLAN": string }>(`explain ${text}`, [...values]);
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      expect(plan, name).not.toContain("Seq Scan");
      // Few are open at a time, and few are in an iteration: those are put in order after they were found.
      if (["ready", "due", "documents", "all", "inLoop", "joined"].includes(name))
        expect(plan, name).not.toContain("Sort");
    }
  });

  test("no commit scans a table", async () => {
    expect(await scans()).toEqual(scansBefore);
    const [used] = await administer("select idx_scan::int as n from pg_stat_user_tables where relname = 'work'", url);
    expect(used?.["n"]).toBeGreaterThan(0);
  });
});

describe.skipIf(!hasPostgres)("a table that was empty when it was vacuumed", () => {
  const fill = {
    work: `insert into work (exec, no, state, limited, prio, due, timer, polls, started, polled, queue)
           select 'x', n, 1, false, 0, 0, 0, 0, 0, 0, 'q' from generate_series(1, 5000) n`,
    open_task: "insert into open_task (exec, no) select 'x', n from generate_series(1, 5000) n",
    outbox: `insert into outbox (sender, n, target, body, node)
             select 'x', n, 'y', '{}', 'node-1' from generate_series(1, 5000) n`,
  };
  const statements = {
    work: "update work t set state = 2 from unnest($1::commit_move_1[]) m where t.exec = m.exec and t.no = m.no",
    open_task: "delete from open_task t using unnest($1::commit_change_1[]) c where t.exec = c.exec and t.no = c.no",
    outbox: "delete from outbox t using unnest($1::commit_event_1[]) e where t.sender = e.sender and t.n = e.n",
  };

  for (const table of ["work", "open_task", "outbox"] as const)
    test(`is found by its keys when it has filled: ${table}`, async () => {
      const url = await newDatabase();
      await (await openPostgresStore({ url, node: "node-1" })).close();
      await administer(fill[table], url);
      await administer(`delete from ${table} where ${table === "outbox" ? "sender" : "exec"} = 'x'`, url);
      // Its pages stay, as they do where someone else looks at the table meanwhile.
      await administer(`vacuum (analyze, truncate false) ${table}`, url);
      await administer(fill[table], url);
      const client = await connect(url, "write");
      const { rows } = await client.query<{ "QUERY PLAN": string }>(`explain ${statements[table]}`, [[]]);
      await client.end();
      expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).toContain("Index Cond");
    });
});

describe.skipIf(!hasPostgres)("hot updates stay in their page", () => {
  test("steps rewrite the execution and its task without touching an index", async () => {
    const url = await newDatabase();
    const store = await openPostgresStore({ url, node: "node-1" });
    const run = async () => {
      let head = aHead({ nextNo: 2 });
      await done(store, aStart(head, { newTasks: [aTask(1)] }));
      for (let step = 0; step < 10; step++) {
        await done(store, aStep(head, { changedTasks: [aTask(1, { pollCount: step, callbackAfterSeconds: step })] }));
        head = { ...head, rev: head.rev + 1 };
      }
    };
    await Promise.all(Array.from({ length: 20 }, run));
    // What a connection counted is known when it has ended.
    await store.close();
    const rows = await administer(
      "select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname in ('execution', 'task')",
      url,
    );
    for (const row of rows) {
      expect(row["all"]).toBe(200);
      expect(Number(row["hot"])).toBeGreaterThan(100);
    }
    expect(rows).toHaveLength(2);
  });
});
