import { expect, test } from "vitest";
import { LeastRecent } from "./least-recent.ts";

test("what was used longest ago goes first when there are too many", () => {
  const recent = new LeastRecent<number>({ count: 2, bytes: 1000 });
  recent.put("a", 1, 0);
  recent.put("b", 2, 0);
  recent.find("a");
  recent.put("c", 3, 0);
  expect([recent.find("a"), recent.find("b"), recent.find("c")]).toEqual([1, undefined, 3]);
});

test("what was used longest ago goes first when they hold too much", () => {
  const recent = new LeastRecent<number>({ count: 100, bytes: 50 });
  recent.put("a", 1, 20);
  recent.put("b", 2, 20);
  recent.put("c", 3, 20);
  expect([recent.find("a"), recent.find("b"), recent.find("c")]).toEqual([undefined, 2, 3]);
});

test("a value that is replaced counts once", () => {
  const recent = new LeastRecent<number>({ count: 100, bytes: 50 });
  recent.put("a", 1, 10);
  for (let i = 0; i < 10; i++) {
    recent.put("b", i, 30);
  }
  expect([recent.find("a"), recent.find("b")]).toEqual([1, 9]);
});

test("what is larger than everything allowed is not kept", () => {
  const recent = new LeastRecent<number>({ count: 100, bytes: 50 });
  recent.put("a", 1, 60);
  expect(recent.find("a")).toBeUndefined();
});
