import { expect, test } from "vitest";
import { PollData } from "./poll-data.ts";

test("the last poll of a type and domain counts", () => {
  const data = new PollData(10_000);
  data.note("t", undefined, "w1", 1000);
  data.note("t", "d", "w2", 2000);
  data.note("t", undefined, "w3", 3000);
  expect(data.of("t")).toEqual([
    { queueName: "t", domain: "d", workerId: "w2", lastPollTime: 2000 },
    { queueName: "t", workerId: "w3", lastPollTime: 3000 },
  ]);
});

test("a domain is active until its last poll is too long ago", () => {
  const data = new PollData(10_000);
  data.note("t", "d", "w", 1000);
  expect([data.isActive("t", "d", 11_000), data.isActive("t", "d", 11_001)]).toEqual([true, false]);
  expect(data.isActive("t", "other", 1000)).toBe(false);
});

test("names without end do not fill the memory: the least recent goes", () => {
  const data = new PollData(10_000);
  data.note("kept", undefined, "w", 0);
  for (let i = 0; i < 9_999; i++) data.note(`t${i}`, undefined, "w", i);
  data.note("kept", undefined, "w", 10_000);
  data.note("new", undefined, "w", 10_001);
  expect(data.all()).toHaveLength(10_000);
  expect([data.of("kept").length, data.of("new").length, data.of("t0").length]).toEqual([1, 1, 0]);
});
