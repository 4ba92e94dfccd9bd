import { describe, expect, test } from "vitest";
import {
  aWorkflow,
  dynamicFork,
  entry,
  inline,
  noop,
  once,
  repeat,
  simple,
  subWorkflow,
  switchOn,
  terminate,
} from "./builders.ts";
import { simulate } from "./simulate.ts";

/** The expected task lists that the reference's own integration specs state, row by row. */

const twoWorkers = aWorkflow().once("w1").once("w2");
const kid = aWorkflow("kid").once("k").def;

describe("two worker tasks", () => {
  test("the first is scheduled at the start", () => {
    const run = simulate(twoWorkers).start();
    expect(run.list).toEqual(["w1:SCHEDULED"]);
    expect(run.status).toBe("RUNNING");
  });

  test("the second is scheduled when the first completes", () => {
    const run = simulate(twoWorkers).start().complete("w1");
    expect(run.list).toEqual(["w1:COMPLETED", "w2:SCHEDULED"]);
  });

  test("the output is that of the last task when the definition names none", () => {
    const run = simulate(twoWorkers).start().complete("w1", { a: 1 }).complete("w2", { b: 2 });
    expect(run.status).toBe("COMPLETED");
    expect(run.output).toEqual({ b: 2 });
  });

  test("the output is what the definition names", () => {
    const run = simulate(twoWorkers.output({ first: "${w1.output.a}" }))
      .start()
      .complete("w1", { a: 1 })
      .complete("w2");
    expect(run.output).toEqual({ first: 1 });
  });
});

describe("a worker that fails with one retry", () => {
  const workflow = aWorkflow().simple("w", { retryCount: 1 });
  const taskDefs = { w: { retryDelaySeconds: 0 } };

  test("is tried again", () => {
    const run = simulate(workflow, { taskDefs }).start().fail("w");
    expect(run.list).toEqual(["w:FAILED", "w:SCHEDULED"]);
    expect(run.tasks.map((task) => task.retried)).toEqual([true, false]);
    expect(run.tasks[1]).toMatchObject({ retryCount: 1, retriedTaskNo: 1 });
    expect(run.status).toBe("RUNNING");
  });

  test("fails the execution with the second task's reason", () => {
    const run = simulate(workflow, { taskDefs }).start().fail("w", "one").fail("w", "two");
    expect(run.list).toEqual(["w:FAILED", "w:FAILED"]);
    expect(run.status).toBe("FAILED");
    expect(run.reason).toBe(`Task ${run.task("w").id} failed with status: FAILED and reason: 'two'`);
  });
});

test("a terminal error is not tried again, and the reason says FAILED", () => {
  const run = simulate(aWorkflow().simple("w")).start().failForGood("w", "stop");
  expect(run.list).toEqual(["w:FAILED_WITH_TERMINAL_ERROR"]);
  expect(run.task("w").retryCount).toBe(0);
  expect(run.status).toBe("FAILED");
  expect(run.reason).toContain("failed with status: FAILED and reason: 'stop'");
});

test("a response timeout schedules the next attempt", () => {
  const taskDefs = { w: { responseTimeoutSeconds: 10, retryDelaySeconds: 0 } };
  const run = simulate(aWorkflow().simple("w"), { taskDefs }).start();
  run.poll("w");
  run.advance(11_000);
  expect(run.list).toEqual(["w:TIMED_OUT", "w:SCHEDULED"]);
  expect(run.status).toBe("RUNNING");
});

test("an execution timeout with policy RETRY ends the execution when the retries are used up", () => {
  const taskDefs = { w: { timeoutSeconds: 10, timeoutPolicy: "RETRY", retryCount: 1, retryDelaySeconds: 0 } };
  const run = simulate(aWorkflow().simple("w"), { taskDefs }).start();
  run.poll("w");
  run.advance(11_000);
  run.poll("w");
  run.advance(11_000);
  expect(run.list).toEqual(["w:TIMED_OUT", "w:TIMED_OUT"]);
  expect(run.status).toBe("TIMED_OUT");
});

describe("a workflow timeout with TIME_OUT_WF", () => {
  const start = () =>
    simulate(aWorkflow().once("w").with({ timeoutSeconds: 30, timeoutPolicy: "TIME_OUT_WF" })).start();

  test("cancels what is open", () => {
    const run = start().advance(31_000);
    expect(run.list).toEqual(["w:CANCELED"]);
    expect(run.status).toBe("TIMED_OUT");
    expect(run.reason).toBe(
      "Workflow timed out after 30 seconds. Timeout configured as 30 seconds. Timeout policy configured to TIME_OUT_WF",
    );
  });

  test("then a retry schedules it again and starts the clock anew", () => {
    const run = start().advance(31_000).retry();
    expect(run.list).toEqual(["w:CANCELED", "w:SCHEDULED"]);
    expect(run.status).toBe("RUNNING");
    expect(run.head.lastRetriedTime).toBeGreaterThan(0);
    expect(run.advance(29_000).status).toBe("RUNNING");
    expect(run.advance(2_000).status).toBe("TIMED_OUT");
  });
});

test("an optional task that fails for good lets the flow go on and the execution complete", () => {
  const taskDefs = { w1: { retryDelaySeconds: 0 } };
  const workflow = aWorkflow().simple("w1", { optional: true, retryCount: 1 }).once("w2");
  const run = simulate(workflow, { taskDefs }).start().fail("w1").fail("w1");
  expect(run.list).toEqual(["w1:FAILED", "w1:COMPLETED_WITH_ERRORS", "w2:SCHEDULED"]);
  expect(run.complete("w2").status).toBe("COMPLETED");
});

test("a permissive task that fails for good lets the flow go on, and the execution fails at its end", () => {
  const taskDefs = { w1: { retryDelaySeconds: 0 } };
  const workflow = aWorkflow().simple("w1", { permissive: true, retryCount: 1 }).once("w2");
  const run = simulate(workflow, { taskDefs }).start().fail("w1").fail("w1", "two");
  expect(run.list).toEqual(["w1:FAILED", "w1:FAILED", "w2:SCHEDULED"]);
  expect(run.status).toBe("RUNNING");
  run.complete("w2");
  expect(run.status).toBe("FAILED");
  expect(run.reason).toBe(`Task ${run.task("w1").id} failed with status: FAILED and reason: 'two'`);
});

describe("a fork of two", () => {
  const start = (extra = {}) =>
    simulate(
      aWorkflow()
        .fork([once("w1", extra)], [once("w2")])
        .join("j", ["w1", "w2"]),
    ).start();

  test("creates the fork, the branches and the join in one step", () => {
    expect(start().list).toEqual(["fork:COMPLETED", "w1:SCHEDULED", "w2:SCHEDULED", "j:IN_PROGRESS"]);
  });

  test("is cancelled when a branch fails for good", () => {
    const run = start().fail("w1");
    expect(run.list).toEqual(["fork:COMPLETED", "w1:FAILED", "w2:CANCELED", "j:CANCELED"]);
    expect(run.status).toBe("FAILED");
  });

  test("then a retry tries both branches again, under the same join", () => {
    const run = start().fail("w1");
    const join = run.task("j").no;
    run.retry();
    expect(run.list.slice(1)).toEqual(["w1:FAILED", "w2:CANCELED", "j:IN_PROGRESS", "w1:SCHEDULED", "w2:SCHEDULED"]);
    expect(run.task("j").no).toBe(join);
    expect(run.complete("w1").complete("w2").status).toBe("COMPLETED");
  });

  test("waits for the other branch when a permissive one failed, then fails", () => {
    const run = start({ permissive: true }).fail("w1", "bad");
    expect(run.list).toEqual(["fork:COMPLETED", "w1:FAILED", "w2:SCHEDULED", "j:IN_PROGRESS"]);
    run.complete("w2");
    expect(run.task("j").status).toBe("FAILED");
    expect(run.task("j").reasonForIncompletion).toBe("bad");
    expect(run.status).toBe("FAILED");
  });
});

test("a fork of permissive children that a user terminated ends TERMINATED", () => {
  const child = (ref: string) => subWorkflow(ref, "kid", { permissive: true });
  const workflow = aWorkflow()
    .fork([child("s1")], [child("s2")])
    .join("j", ["s1", "s2"]);
  const run = simulate(workflow, { workflows: [kid] }).start();
  run.child("s1").terminate();
  run.child("s2").terminate();
  expect(run.list).toEqual(["fork:COMPLETED", "s1:CANCELED", "s2:CANCELED", "j:CANCELED"]);
  expect(run.status).toBe("TERMINATED");
});

describe("a dynamic fork of two", () => {
  const workflow = aWorkflow()
    .once("prep")
    .add(...dynamicFork("fork", "${prep.output.tasks}", "${prep.output.inputs}"));

  test("creates fork, branches and join when its preparation is done", () => {
    const run = simulate(workflow).start();
    run.complete("prep", { tasks: [simple("w1"), simple("w2")], inputs: { w1: { x: 1 } } } as never);
    expect(run.list).toEqual([
      "prep:COMPLETED",
      "fork:COMPLETED",
      "w1:SCHEDULED",
      "w2:SCHEDULED",
      "fork_join:IN_PROGRESS",
    ]);
    expect(run.task("w1").input).toEqual({ x: 1 });
  });

  test("fails the execution without a trace when its input map is none", () => {
    const run = simulate(workflow).start();
    run.complete("prep", { tasks: [simple("w1")], inputs: "nonsense" } as never);
    expect(run.list).toEqual(["prep:COMPLETED"]);
    expect(run.status).toBe("FAILED");
  });
});

test("a SWITCH without a match and with an empty default goes on with what follows it", () => {
  const run = simulate(
    aWorkflow()
      .add(switchOn("sw", "zzz", { a: [once("a")] }))
      .once("after"),
  ).start();
  expect(run.list).toEqual(["sw:COMPLETED", "after:SCHEDULED"]);
});

test("a loop of instant tasks is over when the start returns", () => {
  const jq = entry("JSON_JQ_TRANSFORM", "b", { inputParameters: { queryExpression: ".v", v: 1 } });
  const lambda = entry("LAMBDA", "a", { inputParameters: { scriptExpression: "return 1" } });
  const run = simulate(
    aWorkflow()
      .add(repeat("loop", 2, [lambda, jq]))
      .once("next"),
  ).start();
  expect(run.list).toEqual([
    "loop:COMPLETED",
    "a__1:COMPLETED",
    "b__1:COMPLETED",
    "a__2:COMPLETED",
    "b__2:COMPLETED",
    "next:SCHEDULED",
  ]);
  expect(run.task("loop").iteration).toBe(2);
});

describe("a loop whose worker fails without retries", () => {
  const start = () =>
    simulate(aWorkflow().add(repeat("loop", 2, [once("w")])))
      .start()
      .fail("w");

  test("is cancelled with the execution", () => {
    const run = start();
    expect(run.list).toEqual(["loop:CANCELED", "w__1:FAILED"]);
    expect(run.status).toBe("FAILED");
  });

  test("goes on in the same iteration after a retry", () => {
    const run = start().retry();
    expect(run.list).toEqual(["loop:IN_PROGRESS", "w__1:FAILED", "w__1:SCHEDULED"]);
    expect(run.task("loop").iteration).toBe(1);
    expect(run.complete("w").complete("w").status).toBe("COMPLETED");
  });
});

test("a TERMINATE beside an open child and a join ends all of it", () => {
  const workflow = aWorkflow()
    .fork([subWorkflow("s", "kid")], [noop("n"), terminate("t", "COMPLETED", { terminationReason: "enough" })])
    .join("j", ["s", "t"]);
  const run = simulate(workflow, { workflows: [kid] }).start();
  expect(run.list).toEqual(["fork:COMPLETED", "s:CANCELED", "n:COMPLETED", "j:CANCELED", "t:COMPLETED"]);
  expect(run.status).toBe("COMPLETED");
  expect(run.reason).toBe("enough");
  expect(run.child("s").status).toBe("TERMINATED");
  expect(run.child("s").list).toEqual(["k:CANCELED"]);
});

test("nothing is scheduled while paused, and it is after resume", () => {
  const run = simulate(twoWorkers).start().pause().complete("w1");
  expect(run.list).toEqual(["w1:COMPLETED"]);
  expect(run.status).toBe("PAUSED");
  expect(run.resume().list).toEqual(["w1:COMPLETED", "w2:SCHEDULED"]);
});

test("a skipped task is listed first and jumped over later", () => {
  const run = simulate(aWorkflow().once("t1").once("t2").once("t3")).start().skip("t2");
  expect(run.list).toEqual(["t2:SKIPPED", "t1:SCHEDULED"]);
  run.complete("t1");
  expect(run.list).toEqual(["t2:SKIPPED", "t1:COMPLETED", "t3:SCHEDULED"]);
});

test("a task in progress with a callback is offered again after it", () => {
  const run = simulate(aWorkflow().once("w")).start();
  run.progress("w", { callbackAfterSeconds: 2 });
  expect(run.task("w").status).toBe("IN_PROGRESS");
  expect(run.poll("w")).toBeUndefined();
  run.advance(2000);
  expect(run.poll("w")?.pollCount).toBe(2);
});

test("a rerun from the second task of a completed execution keeps its id", () => {
  const run = simulate(twoWorkers).start().complete("w1").complete("w2");
  const { id } = run.task("w2");
  run.rerun({ from: "w2" });
  expect(run.list).toEqual(["w1:COMPLETED", "w2:SCHEDULED"]);
  expect(run.task("w2").id).toBe(id);
  expect(run.status).toBe("RUNNING");
});

describe("a parent that times out with an open child", () => {
  const start = () => {
    const workflow = aWorkflow()
      .add(subWorkflow("s", "kid"))
      .with({ timeoutSeconds: 10, timeoutPolicy: "TIME_OUT_WF" });
    return simulate(workflow, { workflows: [kid] })
      .start()
      .advance(11_000);
  };

  test("takes the child with it", () => {
    const run = start();
    expect(run.status).toBe("TIMED_OUT");
    expect(run.list).toEqual(["s:CANCELED"]);
    expect(run.child("s").status).toBe("TERMINATED");
    expect(run.child("s").list).toEqual(["k:CANCELED"]);
  });

  test("comes back when the child is retried", () => {
    const run = start();
    run.child("s").retry();
    expect(run.child("s").list).toEqual(["k:CANCELED", "k:SCHEDULED"]);
    expect(run.list).toEqual(["s:IN_PROGRESS"]);
    expect([run.status, run.child("s").status]).toEqual(["RUNNING", "RUNNING"]);
    run.child("s").complete("k");
    expect(run.status).toBe("COMPLETED");
  });
});

test("an output above the hard limit fails the task for good and is not kept", () => {
  const run = simulate(aWorkflow().once("w"), { settings: { maxTaskOutputBytes: 100 } }).start();
  run.complete("w", { text: "x".repeat(200) });
  expect(run.list).toEqual(["w:FAILED_WITH_TERMINAL_ERROR"]);
  expect(run.task("w").output).toEqual({});
  expect(run.status).toBe("FAILED");
  expect(run.task("w").reasonForIncompletion).toBe(
    `The payload size: 211 of task: ${run.task("w").id} in workflow: ${run.id}  is greater than the permissible limit: 100 bytes`,
  );
});

test("an input above the hard limit fails the task for good and is not kept", () => {
  const workflow = aWorkflow().add(inline("i", "1", { text: "${workflow.input.text}" }));
  const run = simulate(workflow, { settings: { maxTaskInputBytes: 100 } }).start({ text: "x".repeat(200) });
  expect(run.list).toEqual(["i:FAILED_WITH_TERMINAL_ERROR"]);
  expect(run.task("i").input).toEqual({});
});
