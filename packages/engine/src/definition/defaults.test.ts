import { describe, expect, test } from "vitest";
import { adHocTaskDef, embedTaskDef, embedTaskDefs } from "./defaults.ts";
import { normalizeTaskDef, normalizeWorkflowDef, normalizeWorkflowTask } from "./normalize.ts";

describe("the task definition made up for an unregistered name", () => {
  test.each([
    ["SIMPLE", 3],
    ["HTTP", 0],
    ["WHATEVER", 0],
  ])("of type %s retries %i times and has no timeout", (type, retryCount) => {
    expect(adHocTaskDef("t", type)).toStrictEqual({ ...normalizeTaskDef({ name: "t" }), retryCount });
    expect(adHocTaskDef("t", type).responseTimeoutSeconds).toBe(0);
  });
});

describe("embedding task definitions", () => {
  const registered = normalizeTaskDef({ name: "known", retryCount: 7 });
  const find = (name: string) => (name === "known" ? registered : undefined);

  test("keeps the entry's own, else takes the registered one, else makes one up", () => {
    const own = normalizeTaskDef({ name: "known", retryCount: 1 });
    const def = normalizeWorkflowDef({
      name: "w",
      tasks: [
        { name: "known", taskReferenceName: "a", taskDefinition: own },
        { name: "known", taskReferenceName: "b" },
        { name: "unknown", taskReferenceName: "c" },
        { name: "unknown", taskReferenceName: "d", type: "WAIT" },
      ],
    });
    const embedded = embedTaskDefs(def, find);
    expect(embedded.tasks.map((task) => task.taskDefinition)).toStrictEqual([
      own,
      registered,
      adHocTaskDef("unknown", "SIMPLE"),
      adHocTaskDef("unknown", "WAIT"),
    ]);
  });

  test("reaches cases, the default case, branches and loops, and leaves the original alone", () => {
    const inner = (ref: string) => ({ name: "known", taskReferenceName: ref });
    const def = normalizeWorkflowDef({
      name: "w",
      tasks: [
        {
          name: "t",
          taskReferenceName: "t",
          type: "NOOP",
          decisionCases: { x: [{ ...inner("a"), loopOver: [inner("b")] }] },
          defaultCase: [inner("c")],
          forkTasks: [[inner("d")], [inner("e")]],
          loopOver: [inner("f")],
        },
      ],
    });
    const before = structuredClone(def);
    const task = embedTaskDefs(def, find).tasks[0];
    const reached = [
      task?.decisionCases["x"]?.[0],
      task?.decisionCases["x"]?.[0]?.loopOver[0],
      task?.defaultCase[0],
      task?.forkTasks[0]?.[0],
      task?.forkTasks[1]?.[0],
      task?.loopOver[0],
    ];
    expect(reached.map((entry) => entry?.taskReferenceName)).toEqual(["a", "b", "c", "d", "e", "f"]);
    for (const entry of reached) expect(entry?.taskDefinition).toBe(registered);
    expect(def).toStrictEqual(before);
  });

  test("works for a single entry", () => {
    const task = normalizeWorkflowTask({ name: "known", taskReferenceName: "a" });
    expect(embedTaskDef(task, find)).toStrictEqual({ ...task, taskDefinition: registered });
  });
});
