import { expect, test } from "vitest";
import { AlikeEntries } from "./alike-entries.ts";
import { normalizeWorkflowTask } from "./normalize.ts";

const sources = [
  { name: "a", taskReferenceName: "a1", type: "SIMPLE" },
  { name: "a", taskReferenceName: "a2", type: "SIMPLE" },
  { name: "a", taskReferenceName: "a3", type: "SIMPLE", inputParameters: { x: { y: [1] } } },
  { name: "a", taskReferenceName: "a4", type: "SIMPLE", optional: true },
  { inputParameters: {}, type: "SIMPLE", taskReferenceName: "a5", name: "a" },
  { name: "b", type: "HTTP" },
  { name: "b", taskReferenceName: 7, type: "HTTP" },
  { name: "b", taskReferenceName: "b1", type: "HTTP", inputParameters: null },
];

test("entries are what each of them alone would be, in whatever order they come", () => {
  for (const list of [sources, sources.toReversed()]) {
    const alike = new AlikeEntries();
    for (const source of list) {
      const alone = normalizeWorkflowTask(source);
      const { task } = alike.normalize(source);
      expect(task).toEqual(alone);
      expect(JSON.stringify(task)).toBe(JSON.stringify(alone));
    }
  }
});

test("those that differ in name and parameters share a model; others do not", () => {
  const alike = new AlikeEntries();
  const [a1, a2, a3, a4] = sources.map((source) => alike.normalize(source).model);
  expect([a2 === a1, a3 === a1, a4 === a1]).toEqual([true, true, false]);
});

test("input parameters that nest too deep are refused of every one", () => {
  const alike = new AlikeEntries();
  alike.normalize({ name: "a", taskReferenceName: "a1" });
  let deep: object = {};
  for (let depth = 0; depth < 1001; depth++) deep = { deep };
  const source = { name: "a", taskReferenceName: "a2", inputParameters: deep } as never;
  expect(() => alike.normalize(source)).toThrow(/at most 1000 levels/);
});
