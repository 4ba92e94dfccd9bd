import { expect, test } from "vitest";
import { diffValues } from "./diff-values.ts";

test("differences are told by path, equal parts are not told", () => {
  const before = { status: "FAILED", input: { a: 1, list: [1, 2] }, gone: true };
  const after = { status: "COMPLETED", input: { a: 1, list: [1, 3, 4] } };
  expect(diffValues(before, after)).toEqual([
    { at: "status", before: '"FAILED"', after: '"COMPLETED"' },
    { at: "input.list.1", before: "2", after: "3" },
    { at: "input.list.2", before: "–", after: "4" },
    { at: "gone", before: "true", after: "–" },
  ]);
});
