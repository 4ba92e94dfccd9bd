import { expect, onTestFinished, test } from "vitest";
import { Helper } from "../../src/helpers/helper.ts";
import { HelperPool } from "../../src/helpers/helper-pool.ts";
import { inProcess } from "../../src/helpers/process.ts";
import { inThread } from "../../src/helpers/thread.ts";
import type { Echo } from "../support/echo-helper.ts";
import { waitFor } from "../support/wait-for.ts";

const script = new URL("../support/echo-helper.ts", import.meta.url);
const signal = new AbortController().signal;

const kinds = [
  ["thread", inThread(script, undefined)],
  ["process", inProcess(script, 64)],
] as const;

function aHelper(start: (typeof kinds)[number][1]): Helper<Echo, string> {
  const helper = new Helper<Echo, string>(start);
  onTestFinished(() => helper.close());
  return helper;
}

const say = (text: string) => ({ kind: "say", text }) as const;

test.each(kinds)("%s: questions are answered in their order, and a mistake in one is its own", async (_, start) => {
  const helper = aHelper(start);
  const answers = await Promise.allSettled([
    helper.call(say("a")),
    helper.call({ kind: "throw" }),
    helper.call(say("b")),
  ]);
  expect(answers).toMatchObject([{ value: "a" }, { reason: { message: "as told" } }, { value: "b" }]);
});

test.each(kinds)("%s: what takes too long ends, and the next question is answered", async (_, start) => {
  const helper = aHelper(start);
  await expect(helper.call({ kind: "spin" }, { timeoutMs: 300 })).rejects.toThrow(
    "Expected an end within 300 ms, got none",
  );
  expect(await helper.call(say("still here"))).toBe("still here");
});

test.each(kinds)("%s: what is given up ends with the reason", async (_, start) => {
  const helper = aHelper(start);
  const abort = new AbortController();
  const answer = helper.call({ kind: "spin" }, { signal: abort.signal });
  abort.abort(new Error("enough"));
  await expect(answer).rejects.toThrow("enough");
  await expect(helper.call(say("x"), { signal: abort.signal })).rejects.toThrow("enough");
});

test.each(kinds)("a %s that dies fails its question, and the next one starts another", async (kind, start) => {
  const helper = aHelper(start);
  await expect(helper.call({ kind: "exit" })).rejects.toThrow(`The ${kind} ended before it answered`);
  expect(await helper.call(say("again"))).toBe("again");
});

test("a process that takes too much memory ends without taking the server along", async () => {
  const helper = aHelper(inProcess(script, 64));
  await expect(helper.call({ kind: "fill" }, { timeoutMs: 15_000 })).rejects.toThrow(/memory/i);
  expect(await helper.call(say("alive"))).toBe("alive");
});

test("in a pool one who gives up takes nobody else's work along, and those who wait get their turn", async () => {
  const pool = new HelperPool<Echo, string>(inProcess(script, 64), 2);
  onTestFinished(() => pool.close());
  const options = { signal, timeoutMs: 10_000 };
  const slow = pool.call({ kind: "spin" }, { signal, timeoutMs: 500 });
  const waiting = new AbortController();
  const others = ["a", "b", "c", "d"].map((text) => pool.call(say(text), options));
  const left = pool.call(say("never"), { signal: waiting.signal, timeoutMs: 10_000 });
  waiting.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  expect(await Promise.all(others)).toEqual(["a", "b", "c", "d"]);
  await expect(slow).rejects.toThrow("500 ms");
  expect(await Promise.all(["e", "f", "g"].map((text) => pool.call(say(text), options)))).toEqual(["e", "f", "g"]);
});

test("one that rests for long goes home, and another comes with the next question", async () => {
  const pool = new HelperPool<Echo, string>(inProcess(script, 64), 1, 50);
  onTestFinished(() => pool.close());
  const options = { signal, timeoutMs: 10_000 };
  const pid = await pool.call({ kind: "pid" }, options);
  await waitFor(async () => (isAlive(Number(pid)) ? undefined : true), 5000);
  expect(await pool.call({ kind: "pid" }, options)).not.toBe(pid);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
