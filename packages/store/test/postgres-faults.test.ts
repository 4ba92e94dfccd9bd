import type { Head } from "@downbeat/engine";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aClaim, aHead, aStart, aStep, aTask, aWork, conflictOf, done, newName } from "../src/conformance/builders.ts";
import { openPostgresStore, type PostgresStore } from "../src/postgres/store.ts";
import { administer, hasPostgres, newDatabase, testThatPostgresIsThere } from "./support/postgres.ts";
import { LossyProxy } from "./support/proxy.ts";

testThatPostgresIsThere();

describe.skipIf(!hasPostgres)("a PostgreSQL store whose connections fail", () => {
  let url: string;
  let proxy: LossyProxy;
  let store: PostgresStore;

  beforeAll(async () => {
    url = await newDatabase();
    proxy = await LossyProxy.start(url);
    store = await openPostgresStore({ url: proxy.url, node: "node-1" });
  });
  afterAll(async () => {
    await store?.close();
    await proxy?.close();
  });

  const step = (head: Head): Head => ({ ...head, rev: head.rev + 1 });
  const endBackends = (like: string): Promise<unknown> =>
    administer(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like '${like}'`,
      url,
    );

  /** So many backends wait for a lock. */
  const areWaiting = async (count: number): Promise<void> => {
    const sql = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    while ((await administer(sql, url)).length < count);
  };

  test("a commit whose answer was lost is done once, and told as done", async () => {
    const head = aHead();
    await done(store, aStart(head));
    proxy.loseAnswers(1);
    await done(store, aStep(head));
    expect(proxy.lost).toBe(1);
    expect((await store.executions.head(head.id))?.rev).toBe(2);
  });

  test("a start, a claim and events whose answers were lost are not taken for someone else's", async () => {
    const [head, other] = [aHead(), aHead()];
    const work = aWork({ queue: newName("queue") });
    const idempotency = { name: "orders", key: newName("key"), replaces: undefined };
    const sends = [{ sender: head.id, n: 1, target: other.id, body: "{}" }];
    const before = proxy.lost;
    proxy.loseAnswers(1);
    await done(store, aStart(head, { newTasks: [aTask(1)], work: new Map([[1, work]]) }, { idempotency, sends }));
    proxy.loseAnswers(1);
    await done(store, { kind: "claim", id: head.id, no: 1, work: aClaim(work), node: undefined });
    proxy.loseAnswers(1);
    await done(store, aStart(other, {}, { consumes: [{ sender: head.id, n: 1 }] }));
    expect(proxy.lost - before).toBe(3);
    expect(await store.findIdempotent("orders", idempotency.key)).toBe(head.id);
    expect((await store.executions.work(head.id, 1))?.polls).toBe(1);
    expect((await store.undelivered(1000)).filter(({ sender }) => sender === head.id)).toEqual([]);
  });

  test("the answer that was lost is the answer that is told", async () => {
    const heads = [aHead(), aHead(), aHead()] as const;
    await done(store, ...heads.map((head) => aStart(head)));
    proxy.loseAnswers(1);
    const late = { ...heads[1], rev: 7 };
    const answers = await Promise.all(
      [aStep(heads[0]), aStep(late), aStep(heads[2])].map((unit) => store.commit(unit)),
    );
    expect(answers).toEqual([{ kind: "done" }, conflictOf("revision"), { kind: "done" }]);
    for (const [index, { id }] of heads.entries())
      expect((await store.executions.head(id))?.rev).toBe(index === 1 ? 1 : 2);
  });

  test("a group that is still under way in a backend nobody listens to is waited for, not repeated", async () => {
    const head = aHead();
    await done(store, aStart(head));
    const blocker = new pg.Client({ connectionString: url });
    await blocker.connect();
    await blocker.query("begin");
    await blocker.query("select from execution where id = $1 for update", [head.id]);
    const committed = store.commit(aStep(head));
    await areWaiting(1);
    proxy.cut();
    // The group comes again, and waits for what became of the first.
    await areWaiting(2);
    await blocker.query("commit");
    await blocker.end();
    expect(await committed).toEqual({ kind: "done" });
    expect((await store.executions.head(head.id))?.rev).toBe(2);
  });

  test("a group that has to wait does not hold up the ones behind it", async () => {
    const [blocked, free] = [aHead(), aHead()];
    await done(store, aStart(blocked), aStart(free));
    const blocker = new pg.Client({ connectionString: url });
    await blocker.connect();
    await blocker.query("begin");
    await blocker.query("select from execution where id = $1 for update", [blocked.id]);
    const waiting = store.commit(aStep(blocked));
    await areWaiting(1);
    await done(store, aStep(free));
    expect((await store.executions.head(blocked.id))?.rev).toBe(1);
    await blocker.query("commit");
    await blocker.end();
    expect(await waiting).toEqual({ kind: "done" });
  });

  test("nothing is lost or repeated while backends are ended all the time", async () => {
    let rounds = 0;
    const ending = (async () => {
      for (; rounds < 12; rounds++) {
        await endBackends("downbeat%");
        await administer("select pg_sleep(0.02)", url);
      }
    })();
    const callers = Array.from({ length: 20 }, async () => {
      let head = aHead();
      await done(store, aStart(head));
      for (; rounds < 12; head = step(head)) await done(store, aStep(head, { newTasks: [aTask(head.rev)] }));
      return head;
    });
    const heads = await Promise.all(callers);
    await ending;
    for (const head of heads) {
      const whole = await store.executions.whole(head.id, { includeTasks: true });
      expect([whole?.head.rev, whole?.tasks.length]).toEqual([head.rev, head.rev - 1]);
    }
  });

  test("nothing is lost or repeated while answers are lost again and again", async () => {
    const before = proxy.lost;
    const callers = Array.from({ length: 20 }, async (_, caller) => {
      let head = aHead();
      await done(store, aStart(head));
      for (let n = 0; n < 15; n++, head = step(head)) {
        if (caller === n) proxy.loseAnswers(1);
        await done(store, aStep(head, { newTasks: [aTask(n + 1)] }));
      }
      return head;
    });
    const heads = await Promise.all(callers);
    expect(proxy.lost - before).toBeGreaterThan(5);
    for (const head of heads) expect((await store.executions.head(head.id))?.rev).toBe(16);
  });

  test("reads are asked again", async () => {
    const head = aHead();
    await done(store, aStart(head));
    for (let n = 0; n < 5; n++) {
      proxy.loseAnswers(1);
      expect(await store.executions.head(head.id)).toEqual(head);
      await endBackends("downbeat read");
      expect(await store.executions.head(head.id)).toEqual(head);
    }
  });

  test("searches work again on the next connection", async () => {
    await store.search.countWorkflows({ where: [], text: [] });
    await endBackends("downbeat search");
    expect(await store.search.countWorkflows({ where: [], text: [] })).toBeGreaterThan(0);
  });
});
