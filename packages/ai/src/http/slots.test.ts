import { expect, test } from "vitest";
import { Slots } from "./slots.ts";

test("whoever gives up while waiting leaves the line, and the next one comes in its turn", async () => {
  const slots = new Slots(1);
  const signal = new AbortController().signal;
  const done: string[] = [];
  let finish = (): void => undefined;
  const first = slots.run(signal, () => new Promise<void>((resolve) => (finish = resolve)));
  const gone = new AbortController();
  const second = slots.run(gone.signal, async () => done.push("second"));
  const third = slots.run(signal, async () => done.push("third"));
  gone.abort(new Error("gave up"));
  await expect(second).rejects.toThrow("gave up");
  finish();
  await Promise.all([first, third]);
  expect(done).toEqual(["third"]);
  await slots.run(signal, async () => done.push("fourth"));
  expect(done).toEqual(["third", "fourth"]);
});
