import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

/** Work that goes on until it is told to end. */
function open() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

test("so many work at a time, the others in the order they came", async () => {
  const turns = new Turns(2);
  const log: string[] = [];
  const works = ["a", "b", "c", "d"].map((name) => ({ name, ...open() }));
  const all = works.map(({ name, work }) =>
    turns.take(() => {
      log.push(name);
      return work();
    }),
  );
  expect(log).toEqual(["a", "b"]);
  works[1]?.end();
  await all[1];
  await Promise.resolve();
  expect(log).toEqual(["a", "b", "c"]);
  for (const { end } of works) end();
  await Promise.all(all);
  expect(log).toEqual(["a", "b", "c", "d"]);
});

test("one that fails gives its turn back; one that is called off leaves the line", async () => {
  const turns = new Turns(1);
  await expect(turns.take(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  const first = open();
  const running = turns.take(first.work);
  const controller = new AbortController();
  const waiting = turns.take(async () => "never", controller.signal);
  const last = turns.take(async () => "done");
  controller.abort(new Error("called off"));
  await expect(waiting).rejects.toThrow("called off");
  first.end();
  await running;
  expect(await last).toBe("done");
});
