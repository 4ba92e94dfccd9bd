import { expect, test } from "vitest";
import { run } from "../../test/support/run-script.ts";
import { injectContext } from "./inject-context.ts";
import { resolveContext } from "./resolve-context.ts";

const limits = { maxSize: 1000, maxValueSize: 10 };

test.each([
  [{ a: 1 }, { a: 1 }],
  [null, {}],
  ["text", {}],
  [[1], {}],
])("the context %j of a caller is %j", (ctx, expected) => {
  expect(run(resolveContext, { ctx })).toEqual(expected);
});

test("nothing to say is an empty text", () => {
  expect(run(injectContext, { state: {}, signals: "", ...limits })).toBe("");
  expect(run(injectContext, { state: null, signals: null, ...limits })).toBe("");
});

test("signals come first, then the state, with long values cut", () => {
  expect(
    run(injectContext, { state: { a: { b: 1 }, c: "x".repeat(12) }, signals: "hurry", required: "call t", ...limits }),
  ).toBe(
    '[SIGNALS]\nhurry\ncall t\n[/SIGNALS]\n\nContext:\n```json\n{"a":"{\\"b\\":1}","c":"xxxxxxxxxx[truncated]"}\n```\n\n',
  );
});

test("the oldest keys give way until the state fits", () => {
  const state = { old: "aaaaaaaaaa", newer: "bbbbbbbbbb" };
  expect(run(injectContext, { state, signals: "", maxSize: 30, maxValueSize: 10 })).toContain('{"newer":"bbbbbbbbbb"}');
});
