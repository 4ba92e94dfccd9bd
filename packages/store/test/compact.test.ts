import { expect, test } from "vitest";
import { aHead, aTask } from "../src/conformance/builders.ts";
import { headFromText, headText, taskFromText, taskText } from "../src/sqlite/compact.ts";

test("a head comes back as it was, whatever has its usual value", () => {
  const plain = aHead();
  expect(headFromText(headText(plain))).toEqual(plain);
  const full = aHead({
    epoch: 2,
    open: 3,
    skipped: ["a"],
    taskToDomain: { t: "d" },
    loops: { 4: { iteration: 5, iter: "", open: 1 } },
    hasFailures: true,
    correlationId: "",
  });
  expect(headFromText(headText(full))).toEqual(full);
});

test("a task comes back as it was, whatever has its usual value", () => {
  const plain = aTask(1);
  expect(taskFromText(taskText(plain))).toEqual(plain);
  const full = aTask(2, { iter: "3", executed: true, startTime: 7, priority: 5, workerId: "w", pollCount: 2 });
  expect(taskFromText(taskText(full))).toEqual(full);
});

test("usual values take no room", () => {
  expect(JSON.parse(taskText(aTask(1)))).not.toHaveProperty("retryCount");
  expect(JSON.parse(headText(aHead()))).not.toHaveProperty("loops");
});
