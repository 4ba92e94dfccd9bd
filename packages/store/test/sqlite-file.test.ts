import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { aHead, aStart, aStep, aTask, aWork, done } from "../src/conformance/builders.ts";
import { openSqliteStore } from "../src/index.ts";
import { openReader } from "../src/sqlite/connection.ts";
import { createExecutionReads } from "../src/sqlite/execution-reads.ts";
import { createQueueReads } from "../src/sqlite/queue-reads.ts";
import { statementTexts } from "../src/sqlite/statements.ts";

const folder = mkdtempSync(join(tmpdir(), "downbeat-sqlite-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newPath = (): string => join(folder, `${files++}`, "downbeat.db");

function execute(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

function read(path: string, sql: string): Record<string, unknown>[] {
  const db = new DatabaseSync(path, { readOnly: true });
  const rows = db.prepare(sql).all();
  db.close();
  return rows;
}

describe("one file, one server", () => {
  test("a file that is open cannot be opened a second time", async () => {
    const path = newPath();
    const store = openSqliteStore({ path });
    expect(() => openSqliteStore({ path })).toThrow(`Expected ${path} to be free, but another server has it open`);
    const head = aHead();
    await done(store, aStart(head));
    await store.close();
    const again = openSqliteStore({ path });
    expect(await again.executions.head(head.id)).toEqual(head);
    await again.close();
  });
});

describe("migrations", () => {
  test("an empty file is brought up to the newest schema", async () => {
    const path = newPath();
    await openSqliteStore({ path }).close();
    expect(read(path, "pragma user_version")[0]?.["user_version"]).toBeGreaterThan(0);
    expect(read(path, "pragma journal_mode")[0]?.["journal_mode"]).toBe("wal");
  });

  test("a file of the newest schema is left as it is", async () => {
    const path = newPath();
    await openSqliteStore({ path }).close();
    const before = read(path, "select name, sql from sqlite_schema order by name");
    await openSqliteStore({ path }).close();
    expect(read(path, "select name, sql from sqlite_schema order by name")).toEqual(before);
  });

  test("a file of a newer schema is refused with both numbers, and not held on to", async () => {
    const path = newPath();
    await openSqliteStore({ path }).close();
    const newest = Number(read(path, "pragma user_version")[0]?.["user_version"]);
    execute(path, "pragma user_version = 9999");
    const open = () => openSqliteStore({ path });
    const message = `Expected a database of schema ${newest} or older, got schema 9999: it was written by a newer version`;
    expect(open).toThrow(message);
    expect(open).toThrow(message);
    execute(path, `pragma user_version = ${newest}`);
    await open().close();
  });

  test("a folder that does not exist is made", async () => {
    const path = join(folder, "a", "b", "c.db");
    await openSqliteStore({ path }).close();
    expect(existsSync(path)).toBe(true);
  });
});

describe("groups", () => {
  test("a thousand commits that come at once take few disk writes", async () => {
    const store = openSqliteStore({ path: newPath() });
    await Promise.all(Array.from({ length: 1000 }, () => store.commit(aStart(aHead()))));
    const { groups, units } = store.written();
    expect(units).toBe(1000);
    expect(groups).toBeLessThanOrEqual(5);
    await store.close();
  });

  test("commits that trickle in gather while the disk is busy", async () => {
    const store = openSqliteStore({ path: newPath(), syncDelayMs: 5 });
    const callers = Array.from({ length: 200 }, async () => {
      let head = aHead();
      await done(store, aStart(head));
      for (let step = 0; step < 10; step++) {
        await done(store, aStep(head));
        head = { ...head, rev: head.rev + 1 };
      }
    });
    const startedAt = performance.now();
    await Promise.all(callers);
    const seconds = (performance.now() - startedAt) / 1000;
    const { groups, units } = store.written();
    expect(units).toBe(2200);
    // One disk write each would be 11 s: 200 writes a second.
    expect(units / groups).toBeGreaterThan(50);
    expect(units / seconds).toBeGreaterThan(2000);
    await store.close();
  });
});

/** Every statement that a call prepared and ran, as the reader's own connection plans it. */
describe("hot reads use their index", () => {
  const queries = new Map<string, string>();

  test("statements of the reader are as the schema wants them", async () => {
    const path = newPath();
    const store = openSqliteStore({ path });
    const head = aHead();
    const tasks = Array.from({ length: 100 }, (_, index) => aTask(index + 1));
    const work = new Map(tasks.map(({ no }) => [no, aWork({ timerAt: no })]));
    await done(store, aStart(head, { newTasks: tasks, work }));
    const db = openReader(path);
    const prepare = db.prepare.bind(db);
    db.prepare = (sql) => {
      queries.set(sql, planOf(prepare(`explain query plan ${sql}`).all()));
      return prepare(sql);
    };
    createExecutionReads(db);
    createQueueReads(db);
    db.close();
    await store.close();
    expect(queries.size).toBeGreaterThan(20);
  });

  test("no read scans a table or sorts", () => {
    for (const [sql, plan] of queries) {
      // Sizes are counted from an index that holds only what is counted.
      if (sql.includes("group by queue")) continue;
      expect(plan, sql).not.toMatch(/SCAN (?!.*USING (COVERING )?INDEX work_timer)/);
      expect(plan, sql).not.toContain("TEMP B-TREE");
    }
  });

  for (const [name, part, index] of [
    [
      "the latest task of a reference",
      "t.ref = ? and t.no > 32 and t.epoch = ? order by",
      "task_ref (exec=? AND ref=? AND no>?)",
    ],
    ["the task of an iteration", "t.epoch = ? and t.iter = ?", "task_ref (exec=? AND ref=? AND no>?)"],
    ["open tasks of a large execution", "t.no > 32 and t.epoch = ? and t.done = 0", "task_open (exec=? AND no>?)"],
    ["open tasks of a small execution", "t.no <= 32 and t.epoch = ? and t.done = 0", "PRIMARY KEY (exec=? AND no<?)"],
    ["ready work", "indexed by work_ready where queue = ? and state = 0 order by", "work_ready (queue=?)"],
    ["due timers", "timer <= ? order by timer", "work_timer (timer>? AND timer<?)"],
    ["large payloads", "select body from payload", "payload_key (exec=? AND no=? AND slot=?)"],
  ] as const) {
    test(`${name}: ${index}`, () => {
      const found = [...queries].filter(([sql]) => sql.includes(part));
      expect(found).toHaveLength(1);
      expect(found[0]?.[1]).toContain(index);
    });
  }
});

describe("writes use their index", () => {
  test("no statement that writes scans a table", async () => {
    const path = newPath();
    await openSqliteStore({ path }).close();
    const db = openReader(path);
    for (const sql of statementTexts) {
      const plan = planOf(db.prepare(`explain query plan ${sql}`).all());
      expect(plan, sql).not.toMatch(/SCAN (?!CONSTANT ROW)/);
    }
    db.close();
  });
});

const planOf = (rows: readonly Record<string, unknown>[]): string =>
  rows.map((row) => String(row["detail"])).join("\n");
