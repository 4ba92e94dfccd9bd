import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aHead, aStart, aStep, aTask, aWork, newName } from "../src/conformance/builders.ts";
import { openPostgresStore, type PostgresStore } from "../src/postgres/store.ts";
import { hasPostgres, newDatabase, testThatPostgresIsThere } from "./support/postgres.ts";

testThatPostgresIsThere();

describe.skipIf(!hasPostgres)("a group of commits", () => {
  let store: PostgresStore;
  beforeAll(async () => {
    store = await openPostgresStore({ url: await newDatabase(), node: "node-1" });
  });
  afterAll(() => store?.close());

  /** What was sent meanwhile. */
  const counted = async (work: () => Promise<unknown>) => {
    const before = store.written();
    await work();
    const { units, groups, statements } = store.written();
    return {
      units: units - before.units,
      groups: groups - before.groups,
      statements: statements - before.statements,
    };
  };

  test.each([1, 10, 1000])("of %i is one statement", async (count) => {
    const queue = newName("queue");
    const heads = Array.from({ length: count }, () => aHead());
    const starts = heads.map((head) =>
      aStart(head, { newTasks: [aTask(1), aTask(2)], work: new Map([[1, aWork({ queue })]]) }),
    );
    const started = await counted(() => Promise.all(starts.map((unit) => store.commit(unit))));
    expect(started).toEqual({ units: count, groups: 1, statements: 1 });
    const steps = heads.map((head) => aStep(head, { changedTasks: [aTask(1, { status: "COMPLETED" })] }));
    const done = await counted(() => Promise.all(steps.map((unit) => store.commit(unit))));
    expect(done).toEqual({ units: count, groups: 1, statements: 1 });
  });
});
