import type { Head } from "@downbeat/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  aClaim,
  aConsumption,
  aHead,
  aRun,
  aStart,
  aStep,
  aTask,
  aWork,
  done,
  newId,
  newName,
} from "../src/conformance/builders.ts";
import type { Commit, Unit } from "../src/index.ts";
import { openPostgresStore, type PostgresStore } from "../src/postgres/store.ts";
import { hasPostgres, newDatabase, testThatPostgresIsThere } from "./support/postgres.ts";

testThatPostgresIsThere();

describe.skipIf(!hasPostgres)("several nodes on one PostgreSQL", () => {
  let url: string;
  let stores: readonly PostgresStore[];
  const first = (): PostgresStore => storeAt(0);
  const storeAt = (index: number): PostgresStore => {
    const store = stores[index % stores.length];
    if (store === undefined) throw new Error("Expected the stores to be open");
    return store;
  };

  beforeAll(async () => {
    url = await newDatabase();
    // All at once, on a database that nothing is in.
    stores = await Promise.all(["a", "b", "c"].map((node) => openPostgresStore({ url, node })));
  });
  afterAll(async () => {
    await Promise.all((stores ?? []).map((store) => store.close()));
  });

  /** The same unit, or one like it, by every node at once. */
  const byAll = (unit: (node: number) => Unit): Promise<Commit[]> =>
    Promise.all(stores.map((store, node) => store.commit(unit(node))));
  const winners = (commits: readonly Commit[]): number => commits.filter(({ kind }) => kind === "done").length;
  const started = async (count: number): Promise<Head[]> => {
    const heads = Array.from({ length: count }, () => aHead());
    await done(first(), ...heads.map((head) => aStart(head)));
    return heads;
  };
  const outcomes = (commits: readonly (readonly Commit[])[]): unknown => [...new Set(commits.map(winners))];

  test("of all steps decided on one revision, one is written", async () => {
    const heads = await started(60);
    const commits = await Promise.all(
      heads.map((head) => byAll((node) => aStep(head, { head: { ...head, priority: node }, newTasks: [aTask(1)] }))),
    );
    expect(outcomes(commits)).toEqual([1]);
    for (const [index, { id }] of heads.entries()) {
      const winner = commits[index]?.findIndex(({ kind }) => kind === "done");
      expect(await first().executions.head(id)).toMatchObject({ rev: 2, priority: winner });
    }
  });

  test("an execution starts once, and a key is taken once", async () => {
    const heads = Array.from({ length: 30 }, () => aHead());
    expect(outcomes(await Promise.all(heads.map((head) => byAll(() => aStart(head)))))).toEqual([1]);
    const keys = Array.from({ length: 30 }, () => newName("key"));
    const starts = keys.map((key) =>
      byAll(() => aStart(aHead(), {}, { idempotency: { name: "orders", key, replaces: undefined } })),
    );
    expect(outcomes(await Promise.all(starts))).toEqual([1]);
  });

  test("a slot of a schedule is dealt with once, and in order", async () => {
    const schedules = Array.from({ length: 20 }, () => newName("schedule"));
    for (const slotAt of [1000, 2000, 3000]) {
      const starts = schedules.map((schedule) =>
        byAll(() => {
          const head = aHead();
          return { ...aStart(head), run: aRun(schedule, slotAt, { workflowId: head.id }) };
        }),
      );
      expect(outcomes(await Promise.all(starts))).toEqual([1]);
    }
    const mine = (await first().schedules.cursors()).filter(({ schedule }) => schedules.includes(schedule));
    expect(mine.map(({ slotAt }) => slotAt)).toEqual(schedules.map(() => 3000));
  });

  test("an event is consumed once", async () => {
    const [sender] = await started(1);
    const id = sender?.id ?? "";
    const sends = Array.from({ length: 40 }, (_, n) => ({ sender: id, n, target: newId(), body: "{}" }));
    await done(first(), { ...aConsumption(id, 0), consumes: [], sends });
    expect(outcomes(await Promise.all(sends.map(({ n }) => byAll(() => aConsumption(id, n)))))).toEqual([1]);
    expect((await first().undelivered(1000)).filter((row) => row.sender === id)).toEqual([]);
  });

  test("work is claimed once, and a document is new once", async () => {
    const head = aHead({ nextNo: 41 });
    const tasks = Array.from({ length: 40 }, (_, index) => aTask(index + 1));
    const work = aWork({ queue: newName("queue") });
    await done(first(), aStart(head, { newTasks: tasks, work: new Map(tasks.map(({ no }) => [no, work])) }));
    const claims = tasks.map(({ no }) =>
      byAll((node) => ({
        kind: "claim",
        id: head.id,
        no,
        work: aClaim(work, { worker: `w${node}` }),
        node: undefined,
      })),
    );
    expect(outcomes(await Promise.all(claims))).toEqual([1]);
    expect(await first().queues.ready(work.queue, 100)).toEqual([]);
    const documents = tasks.map(({ no }) =>
      byAll((node) => ({
        kind: "put-documents",
        documents: [{ collection: work.queue, id: `${no}`, body: `${node}`, mustBeNew: true }],
      })),
    );
    expect(outcomes(await Promise.all(documents))).toEqual([1]);
  });

  test("limits hold across nodes, exactly", async () => {
    const head = aHead({ nextNo: 61 });
    const tasks = Array.from({ length: 60 }, (_, index) => aTask(index + 1));
    const limit = (fields: object) => ({ name: newName("def"), concurrent: 0, perWindow: 0, windowMs: 0, ...fields });
    const concurrent = aWork({ queue: newName("queue"), limit: limit({ concurrent: 7 }) });
    const rated = aWork({ queue: newName("queue"), limit: limit({ perWindow: 5, windowMs: 1000 }) });
    const workOf = (no: number) => (no <= 30 ? concurrent : rated);
    await done(first(), aStart(head, { newTasks: tasks, work: new Map(tasks.map(({ no }) => [no, workOf(no)])) }));
    const claim = (no: number, at: number) =>
      storeAt(no).commit({ kind: "claim", id: head.id, no, work: aClaim(workOf(no), { at }), node: undefined });
    const commits = await Promise.all(tasks.map(({ no }) => claim(no, 5000 + no)));
    expect([winners(commits.slice(0, 30)), winners(commits.slice(30))]).toEqual([7, 5]);
    const isOpen = (no: number) => commits[no - 1]?.kind === "conflict";
    const later = tasks.filter(({ no }) => no > 30 && isOpen(no)).map(({ no }) => claim(no, 7000));
    expect(winners(await Promise.all(later))).toBe(5);
    // Ended work makes room for as much.
    const ended = tasks.filter(({ no }) => no <= 30 && !isOpen(no)).slice(0, 3);
    await done(storeAt(1), aStep(head, { work: new Map(ended.map(({ no }) => [no, undefined])) }));
    const again = tasks.filter(({ no }) => no <= 30 && isOpen(no)).map(({ no }) => claim(no, 8000));
    expect(winners(await Promise.all(again))).toBe(3);
  });

  test("a search finds at once what another node committed", async () => {
    const head = aHead({ workflowName: newName("type") });
    await done(storeAt(1), aStart(head));
    const where = [{ field: "workflowType", op: "=", values: [head.workflowName] }] as const;
    expect(await storeAt(2).search.countWorkflows({ where, text: [head.id] })).toBe(1);
  });

  test("a node that starts again gives back its own claims, and nobody else's", async () => {
    const head = aHead({ nextNo: 3 });
    const queue = newName("queue");
    const work = aWork({ queue });
    const works = new Map([1, 2].map((no) => [no, work]));
    const [one, other] = await Promise.all(["d", "e"].map((node) => openPostgresStore({ url, node })));
    if (one === undefined || other === undefined) throw new Error("Expected both to open");
    await done(one, aStart(head, { newTasks: [aTask(1), aTask(2)], work: works }));
    const claim = (no: number) => ({ kind: "claim", id: head.id, no, work: aClaim(work), node: "own" }) as const;
    await done(one, claim(1));
    await done(other, claim(2));
    await one.close();
    const again = await openPostgresStore({ url, node: "d" });
    expect((await again.queues.ready(queue, 10)).map(({ no }) => no)).toEqual([1]);
    expect((await again.executions.task(head.id, 2))?.status).toBe("IN_PROGRESS");
    await again.close();
    await other.close();
  });
});
