import { expect, test } from "vitest";
import { bareReference } from "./reference-name.ts";

test.each([
  ["pay", "pay"],
  ["pay__1", "pay"],
  ["pay__12", "pay"],
  ["pay__2__1", "pay"],
  ["a__b", "a__b"],
  ["a__b__3", "a__b"],
  ["a__1__b", "a__1__b"],
  ["a__1__b__2", "a__1__b"],
  ["a_1", "a_1"],
  ["a__", "a__"],
  ["a__1x", "a__1x"],
  ["a___1", "a_"],
  ["__1", "__1"],
  ["", ""],
])("%j is %j in the definition", (reference, bare) => {
  expect(bareReference(reference)).toBe(bare);
});
