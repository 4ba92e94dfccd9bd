import { describe, expect, test } from "vitest";
import type { Event } from "../../src/index.ts";
import { aWorkflow, dynamicFork, entry, join, noop, once, simple, switchOn } from "../builders.ts";
import { type Run, simulate } from "../simulate.ts";

const uniform = (inputParameters: object, extra = {}) => [
  entry("FORK_JOIN_DYNAMIC", "f", { inputParameters, ...extra }),
  join("j", []),
];
const startUniform = (inputParameters: object, extra = {}, options = {}) =>
  simulate(aWorkflow().add(...uniform(inputParameters, extra)), options).start();

describe("FORK_JOIN_DYNAMIC over forkTaskInputs", () => {
  test("makes one task per element, with its index", () => {
    const run = startUniform({ forkTaskName: "w", forkTaskInputs: [{ a: 1 }, "text"] });
    expect(run.list).toEqual(["f:COMPLETED", "_w_0:SCHEDULED", "_w_1:SCHEDULED", "j:IN_PROGRESS"]);
    expect(run.task("_w_0").input).toEqual({ a: 1, __index: 0 });
    expect(run.task("_w_1").input).toEqual({ input: "text", __index: 1 });
    expect(run.task("j").input).toEqual({ joinOn: ["_w_0", "_w_1"] });
  });

  test("takes the fork's own name for workers and the type for system tasks", () => {
    expect(startUniform({ forkTaskInputs: [{}] }).has("_f_0")).toBe(true);
    expect(startUniform({ forkTaskInputs: [{}], forkTaskType: "NOOP" }).list).toContain("_NOOP_0:COMPLETED");
  });

  test("starts sub-workflows, in the version given as text", () => {
    const kid = aWorkflow("kid").once("k").def;
    const input = { forkTaskWorkflow: "kid", forkTaskWorkflowVersion: "2", forkTaskInputs: [{ a: 1 }] };
    const run = startUniform(input, {}, { workflows: [kid, { ...kid, version: 2 }] });
    expect(run.child("_kid_0").head.workflowVersion).toBe(2);
    expect(run.child("_kid_0").input).toEqual({ a: 1, __index: 0 });
  });

  test("a second fork's tasks carry the name of the fork", () => {
    const first = uniform({ forkTaskName: "w", forkTaskInputs: [{}] });
    const second = [
      entry("FORK_JOIN_DYNAMIC", "g", { inputParameters: { forkTaskName: "w", forkTaskInputs: [{}] } }),
      join("k", []),
    ];
    const run = simulate(aWorkflow().add(...first, ...second))
      .start()
      .complete("_w_0");
    expect(run.has("_g_w_0")).toBe(true);
  });

  test("its branches are optional when it is", () => {
    const run = startUniform(
      { forkTaskName: "w", forkTaskInputs: [{}] },
      { optional: true },
      { taskDefs: { w: { retryCount: 0 } } },
    );
    run.fail("_w_0");
    expect(run.task("j").status).toBe("COMPLETED_WITH_ERRORS");
    expect(run.status).toBe("COMPLETED");
  });
});

describe("FORK_JOIN_DYNAMIC over listed tasks", () => {
  test("lays the input map over each entry's own parameters", () => {
    const tasks = [simple("a", { inputParameters: { x: 1, y: "${workflow.input.y}" } }), simple("b")];
    const run = simulate(aWorkflow().add(...dynamicFork("f", tasks, { a: { x: 2 } }))).start({ y: 3 });
    expect(run.task("a").input).toEqual({ x: 2, y: 3 });
    expect(run.task("b").input).toEqual({});
  });

  test("an empty list completes its join with an empty output", () => {
    const run = simulate(
      aWorkflow()
        .add(...dynamicFork("f", []))
        .once("after"),
    ).start();
    expect(run.task("f_join")).toMatchObject({ status: "COMPLETED", output: {} });
    expect(run.task("after").status).toBe("SCHEDULED");
  });

  test("its join gathers outputs of workers and of containers' roots", () => {
    const run = simulate(
      aWorkflow().add(...dynamicFork("f", [once("a"), switchOn("s", "x", { x: [once("in")] })])),
    ).start();
    run.complete("a", { v: 1 }).complete("in", { v: 2 });
    expect(run.task("f_join").output).toEqual({ a: { v: 1 }, s: { evaluationResult: ["x"], selectedCase: "x" } });
  });

  test("a branch is retried with its own input", () => {
    const taskDefs = { a: { retryCount: 1, retryDelaySeconds: 0 } };
    const run = simulate(aWorkflow().add(...dynamicFork("f", [simple("a")], { a: { x: 2 } })), { taskDefs }).start();
    run.fail("a");
    expect(run.task("a")).toMatchObject({ retryCount: 1, input: { x: 2 } });
    expect(run.complete("a").status).toBe("COMPLETED");
  });

  test.each([
    [
      "no list",
      "nonsense",
      {},
      "Input 'tasks' is invalid. Cannot deserialize a list of Workflow Tasks from 'nonsense'",
    ],
    ["nothing", null, {}, "Input 'tasks' is invalid. Cannot deserialize a list of Workflow Tasks from 'null'"],
    [
      "a list of inputs",
      [simple("a")],
      [1],
      "Input to the dynamically forked tasks is not a map -> expecting a map of K,V  but found [1]",
    ],
    [
      "an input that is no map",
      [simple("a")],
      { a: 7 },
      'Tasks could not be dynamically forked due to invalid input: expected the input of "a" to be a map, got 7',
    ],
    [
      "a name twice",
      [simple("a"), simple("a")],
      {},
      "No dynamic tasks could be created for the Workflow: w, Dynamic Fork Task: f attempted to create a duplicate task reference name: a",
    ],
    [
      "a name twice, once inside a container",
      [simple("a"), switchOn("s", "x", { x: [simple("a")] })],
      {},
      "No dynamic tasks could be created for the Workflow: w, Dynamic Fork Task: f attempted to create a duplicate task reference name: a",
    ],
  ])("%s fails the execution", (_what, tasks, inputs, reason) => {
    const run = simulate(aWorkflow().add(...dynamicFork("f", tasks as never, inputs as never))).start();
    expect([run.status, run.reason, run.list]).toEqual(["FAILED", reason, []]);
  });

  test("must be followed by a join", () => {
    const [forkEntry] = dynamicFork("f", [noop("n")]);
    const run = simulate(aWorkflow().add(forkEntry).once("a")).start();
    expect(run.reason).toBe("Dynamic join definition is not followed by a join task.  Check the workflow definition.");
  });

  test("whose join was skipped goes on beside its branches", () => {
    const run = simulate(
      aWorkflow()
        .once("w")
        .add(...dynamicFork("f", [once("a")]))
        .once("after"),
    ).start();
    run.skip("f_join").complete("w");
    expect(run.list).toEqual(["f_join:SKIPPED", "w:COMPLETED", "f:COMPLETED", "a:SCHEDULED", "after:SCHEDULED"]);
    expect(run.complete("after").complete("a").status).toBe("COMPLETED");
  });
});

test("the old form names tasks and inputs in one list", () => {
  const legacy = {
    dynamicTasks: [
      { taskName: "w", referenceName: "r", input: { a: 1 } },
      { taskName: "n", referenceName: "n", type: "NOOP" },
    ],
  };
  const tasks = [
    entry("FORK_JOIN_DYNAMIC", "f", { dynamicForkJoinTasksParam: "d", inputParameters: { d: legacy } }),
    join("j", []),
  ];
  const run = simulate(aWorkflow().add(...tasks)).start();
  expect(run.task("r")).toMatchObject({ taskType: "w", input: { a: 1 } });
  expect(run.task("n").status).toBe("COMPLETED");
  const bad = [
    entry("FORK_JOIN_DYNAMIC", "f", { dynamicForkJoinTasksParam: "d", inputParameters: { d: 1 } }),
    join("j", []),
  ];
  expect(simulate(aWorkflow().add(...bad)).start().reason).toBe(
    "Dynamic tasks could not be created. The value of d from task's input {d=1} has no dynamic tasks to be scheduled",
  );
});

test("a thousand branches that end in one transition are one commit", () => {
  const tasks = Array.from({ length: 1000 }, (_, index) => once(`b${index}`));
  const run = simulate(aWorkflow().add(...dynamicFork("f", tasks)), { isUnchecked: true }).start();
  const { rev } = run.head;
  const results = tasks.map((_, index) => ({
    kind: "task-result" as const,
    no: index + 2,
    result: { status: "COMPLETED" as const, outputMode: "replace" as const },
  }));
  run.sendTogether(...results);
  expect([run.status, run.head.rev]).toEqual(["COMPLETED", rev + 1]);
});

test("terminating more than a thousand open tasks goes on in further transitions", () => {
  const tasks = Array.from({ length: 2500 }, (_, index) => once(`b${index}`));
  const run = simulate(aWorkflow().add(...dynamicFork("f", tasks)), { isUnchecked: true }).start();
  const { rev } = run.head;
  run.terminate();
  expect(run.stored.allTasks().filter((task) => task.status === "SCHEDULED")).toEqual([]);
  expect(run.stored.work.size).toBe(0);
  expect(run.head.rev).toBe(rev + 3);
});

describe("a fork of more branches than one transition takes", () => {
  const branches = Array.from({ length: 2500 }, (_, index) => once(`b${index}`));
  /** A worker task first, so that what happens to the fork can share its transition. */
  const growing = () => {
    const run = simulate(
      aWorkflow()
        .simple("go")
        .add(...dynamicFork("f", branches)),
      { isUnchecked: true },
    ).start();
    const go: Event = { kind: "task-result", no: 1, result: { status: "COMPLETED", outputMode: "replace" } };
    return { run, go };
  };
  const completeAll = (run: Run) => {
    const open = run.stored.allTasks().filter((task) => task.join !== 0 && task.status === "SCHEDULED");
    run.sendTogether(
      ...open.map(({ no }) => ({
        kind: "task-result" as const,
        no,
        result: { status: "COMPLETED" as const, outputMode: "replace" as const },
      })),
    );
  };

  test("grows in further transitions, in the order of its input, with the JOIN last", () => {
    const { run, go } = growing();
    const { rev } = run.head;
    run.sendTogether(go);
    expect(run.head.rev).toBe(rev + 3);
    const bySeq = [...run.stored.allTasks()].sort((a, b) => a.seq - b.seq).map((task) => task.ref);
    expect(bySeq).toEqual(["go", "f", ...branches.map((branch) => branch.taskReferenceName), "f_join"]);
    completeAll(run);
    expect(run.status).toBe("COMPLETED");
  });

  test("goes on growing after it was paused in the middle", () => {
    const { run, go } = growing();
    run.sendTogether(go, { kind: "pause" });
    expect(run.stored.allTasks().filter((task) => task.join !== 0)).toHaveLength(1000);
    run.resume();
    expect(run.stored.allTasks().filter((task) => task.join !== 0)).toHaveLength(2500);
    completeAll(run);
    expect(run.status).toBe("COMPLETED");
  });

  test("goes on growing when the execution ended in the middle and is retried", () => {
    const { run, go } = growing();
    run.sendTogether(go, { kind: "terminate" });
    expect(run.status).toBe("TERMINATED");
    run.retry();
    completeAll(run);
    expect(run.status).toBe("COMPLETED");
  });

  test("waits for branches that are not there yet, however many of the others have ended", () => {
    const { run, go } = growing();
    run.sendTogether(go, { kind: "pause" });
    completeAll(run);
    expect(run.task("f_join").status).toBe("IN_PROGRESS");
    run.resume();
    completeAll(run);
    expect(run.status).toBe("COMPLETED");
  });
});
