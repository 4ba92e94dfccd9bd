import { expect, test } from "vitest";
import { findMissingFields } from "./missing.ts";

test("required fields that are absent or null are found at every level, empty ones are not", () => {
  const whole = { name: "n", taskReferenceName: "n", type: "NOOP" };
  const json = {
    tasks: [
      { name: "", taskReferenceName: "", type: "" },
      {
        ...whole,
        type: null,
        decisionCases: { c: [{ name: "n", taskReferenceName: "n" }] },
        defaultCase: [whole, { ...whole, taskReferenceName: null }],
        forkTasks: [[], [{ ...whole, type: undefined }]],
        loopOver: [{ taskReferenceName: "n", type: "NOOP" }],
      },
    ],
  };
  expect([...findMissingFields(json)].sort()).toEqual([
    "name",
    "tasks[1].decisionCases[c].<map value>[0].type",
    "tasks[1].defaultCase[1].taskReferenceName",
    "tasks[1].forkTasks[1].<list element>[0].type",
    "tasks[1].loopOver[0].name",
    "tasks[1].type",
  ]);
});

test("inline sub-workflow definitions and embedded task definitions are not looked into", () => {
  const task = { name: "n", taskReferenceName: "n", type: "SUB_WORKFLOW" };
  const json = { name: "w", tasks: [{ ...task, taskDefinition: {}, subWorkflowParam: { workflowDefinition: {} } }] };
  expect(findMissingFields(json).size).toBe(0);
});

test.each([[null], ["x"], [[]], [{ name: "w", tasks: "no" }], [{ name: "w", tasks: [null, { forkTasks: 1 }, 2] }]])(
  "JSON of the wrong shape does no harm: %j",
  (json) => {
    expect(() => findMissingFields(json)).not.toThrow();
  },
);

test("depth does no harm", () => {
  let task: object = {};
  for (let level = 0; level < 10_000; level++) task = { name: "t", defaultCase: [task] };
  const paths = [...findMissingFields({ name: "w", tasks: [task] })];
  expect(paths).toContain("tasks[0].defaultCase[0].type");
  expect(Math.max(...paths.map((path) => path.length))).toBeLessThan(2100);
});
