import { expect, test } from "vitest";
import { readEntries, valueAt, withValueAt } from "./draft-entries.ts";

test("half written tasks can be drawn, and every one is found again in the text", () => {
  const draft = {
    tasks: [
      { name: "a", taskReferenceName: "a" },
      null,
      {
        taskReferenceName: "a",
        type: "FORK_JOIN",
        forkTasks: [[{ name: "b", taskReferenceName: "b", type: "HTTP" }], "?"],
        decisionCases: 5,
      },
    ],
  };
  const { entries, stepsOf } = readEntries(draft);
  expect(entries.map(({ taskReferenceName, type }) => [taskReferenceName, type])).toEqual([
    ["a", "SIMPLE"],
    ["a (2)", "FORK_JOIN"],
  ]);
  const inner = entries[1]?.forkTasks?.[0]?.[0];
  expect(inner?.type).toBe("HTTP");
  expect(inner && stepsOf.get(inner)).toEqual(["tasks", "2", "forkTasks", "0", "0"]);
  expect(readEntries("text").entries).toEqual([]);
  expect(readEntries({ tasks: {} }).entries).toEqual([]);
});

test("a value is set where it belongs, and taken away", () => {
  const draft = { tasks: [{ name: "a" }, { name: "b", sink: "x" }] };
  const steps = ["tasks", "1", "inputParameters", "http_request", "uri"];
  const changed = withValueAt(draft, steps, "http://a");
  expect(valueAt(changed, steps)).toBe("http://a");
  expect(valueAt(changed, ["tasks", "0", "name"])).toBe("a");
  expect(withValueAt(draft, ["tasks", "1", "sink"], undefined)).toEqual({ tasks: [{ name: "a" }, { name: "b" }] });
});
