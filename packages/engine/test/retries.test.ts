import { describe, expect, test } from "vitest";
import type { TaskType } from "../src/index.ts";
import { aWorkflow, simple, wait } from "./builders.ts";
import { simulate } from "./simulate.ts";

const start = (taskDef: object, extra = {}, options = {}) =>
  simulate(aWorkflow().simple("w", extra), { taskDefs: { w: taskDef }, ...options }).start();

/** Fails every attempt and says how long each was put off, in milliseconds. */
function delays(taskDef: object, attempts: number, options = {}): number[] {
  const run = start({ retryCount: attempts, ...taskDef }, {}, options);
  const found: number[] = [];
  for (let attempt = 0; attempt < attempts; attempt++) {
    run.fail("w");
    const due = run.work("w")?.dueAt ?? 0;
    found.push(due - run.world.now);
    run.advance(due - run.world.now);
  }
  return found;
}

describe("the delay before the next attempt", () => {
  test.each([
    ["FIXED", {}, [7000, 7000, 7000]],
    ["LINEAR_BACKOFF", { backoffScaleFactor: 2 }, [14_000, 28_000, 42_000]],
    ["EXPONENTIAL_BACKOFF", {}, [7000, 14_000, 28_000]],
    ["EXPONENTIAL_BACKOFF", { maxRetryDelaySeconds: 10 }, [7000, 10_000, 10_000]],
    ["LINEAR_BACKOFF", { retryDelaySeconds: 2_000_000_000, backoffScaleFactor: 9 }, [2_147_483_647_000]],
  ])("%s with %o", (retryLogic, more, expected) => {
    expect(delays({ retryDelaySeconds: 7, retryLogic, ...more }, expected.length)).toEqual(expected);
  });

  test("jitter comes on top, after the cap", () => {
    const taskDef = { retryDelaySeconds: 7, maxRetryDelaySeconds: 5, backoffJitterMs: 1000 };
    expect(delays(taskDef, 1, { random: () => 0.5 })).toEqual([5500]);
    expect(delays(taskDef, 1, { random: () => 0.9999 })).toEqual([6000]);
    expect(delays(taskDef, 1, { random: () => 0 })).toEqual([5000]);
  });
});

test("a failure may say itself when the next attempt comes", () => {
  const run = start({ retryCount: 2, retryDelaySeconds: 7 });
  run.fail("w", "at once", { retryDelaySeconds: 0 });
  expect(run.tasks[1]).toMatchObject({ status: "SCHEDULED", startDelayInSeconds: 0 });
  run.fail("w", "later", { retryDelaySeconds: 40 });
  expect((run.work("w")?.dueAt ?? 0) - run.world.now).toBe(40_000);
});

test("a type may be tried again although its definition allows no retries", () => {
  const eager: TaskType = {
    type: "EAGER",
    mode: "outside",
    initialStatus: "SCHEDULED",
    taskDef: (def) => (def.retryCount > 0 ? def : { ...def, retryCount: 1, retryDelaySeconds: 9 }),
  };
  const run = simulate(aWorkflow().add({ name: "e", taskReferenceName: "e", type: "EAGER" }), {
    types: [eager],
  }).start();
  run.fail("e");
  expect(run.list).toEqual(["e:FAILED", "e:SCHEDULED"]);
  expect((run.work("e")?.dueAt ?? 0) - run.world.now).toBe(9000);
  expect(run.advance(9000).fail("e").status).toBe("FAILED");
});

test("a result may show what the task really worked with", () => {
  const run = start({}, { inputParameters: { a: 1, b: 2 } }).report("w", "COMPLETED", { input: { b: 3, c: 4 } });
  expect(run.tasks[0]?.input).toEqual({ a: 1, b: 3, c: 4 });
});

describe("an attempt after a failure", () => {
  test("starts clean, knows the last one and shows its reason", () => {
    const run = start({ retryCount: 1, retryDelaySeconds: 3 }).fail("w", "bad", { output: { half: 1 } });
    expect(run.tasks[0]).toMatchObject({ retried: true, executed: false, output: { half: 1 } });
    expect(run.tasks[1]).toMatchObject({
      retryCount: 1,
      retriedTaskNo: 1,
      seq: 2,
      status: "SCHEDULED",
      pollCount: 0,
      startTime: 0,
      output: {},
      reasonForIncompletion: "bad",
      startDelayInSeconds: 3,
      callbackAfterSeconds: 3,
      firstScheduledTime: run.tasks[0]?.firstScheduledTime,
    });
    expect(run.tasks[1]?.workerId).toBeUndefined();
  });

  test("resolves its parameters again", () => {
    const run = start(
      { retryCount: 1, retryDelaySeconds: 0 },
      { inputParameters: { id: "${CPEWF_TASK_ID}", v: "${workflow.variables.v}" } },
    );
    run.send({ kind: "set-variables", variables: { v: 2 } }).fail("w");
    expect(run.tasks.map((task) => task.input)).toEqual([
      { id: run.tasks[0]?.id, v: null },
      { id: run.tasks[1]?.id, v: 2 },
    ]);
  });

  test("the entry's own count comes before the definition's", () => {
    expect(start({ retryCount: 5 }, { retryCount: 0 }).fail("w").status).toBe("FAILED");
    expect(start({ retryCount: 0, retryDelaySeconds: 0 }, { retryCount: 1 }).fail("w").status).toBe("RUNNING");
  });

  test("an unregistered worker is tried four times, a minute apart", () => {
    const run = simulate(aWorkflow().simple("w")).start();
    for (let attempt = 0; attempt < 3; attempt++) run.fail("w").advance(60_000);
    expect(run.status).toBe("RUNNING");
    expect(run.fail("w").list).toEqual(["w:FAILED", "w:FAILED", "w:FAILED", "w:FAILED"]);
  });

  test("names of failed tasks stay known after the execution completes", () => {
    const run = start({ retryCount: 1, retryDelaySeconds: 0 }).fail("w").complete("w");
    expect(run.head).toMatchObject({ status: "COMPLETED", failedReferenceTaskNames: ["w"], failedTaskNames: ["w"] });
  });
});

describe("time limits of a task", () => {
  const response = { responseTimeoutSeconds: 10, retryCount: 0 };

  test("no limit is set by default, or by 0", () => {
    for (const taskDef of [{}, { responseTimeoutSeconds: 0, timeoutSeconds: 0, pollTimeoutSeconds: 0 }]) {
      const run = start(taskDef);
      run.poll("w");
      expect(run.world.nextTimer()).toBeUndefined();
    }
  });

  test("a response timeout ends the execution TIMED_OUT when no attempt is left, whatever the policy", () => {
    const run = start({ ...response, timeoutPolicy: "ALERT_ONLY" });
    run.poll("w");
    run.advance(10_000);
    expect([run.status, run.task("w").status]).toEqual(["TIMED_OUT", "TIMED_OUT"]);
    expect(run.task("w").reasonForIncompletion).toBe(
      `responseTimeout: 10 exceeded for the taskId: ${run.task("w").id} with Task Definition: w`,
    );
  });

  test("an update or an extended lease starts the response clock anew", () => {
    const run = start(response);
    run.poll("w");
    run.advance(9000).send({ kind: "extend-lease", no: 1 });
    expect(run.advance(9000).status).toBe("RUNNING");
    run.progress("w", { callbackAfterSeconds: 0 });
    run.poll("w");
    expect(run.advance(9000).status).toBe("RUNNING");
    expect(run.advance(1000).status).toBe("TIMED_OUT");
  });

  test("the response clock does not run while the task waits to be offered again", () => {
    const run = start(response);
    run.progress("w", { callbackAfterSeconds: 60 });
    expect(run.advance(59_000).status).toBe("RUNNING");
  });

  test("the execution clock does: from the first poll, through callbacks", () => {
    const run = start({ timeoutSeconds: 30, timeoutPolicy: "TIME_OUT_WF" });
    run.progress("w", { callbackAfterSeconds: 60 });
    run.advance(30_000);
    expect([run.status, run.reason]).toEqual([
      "TIMED_OUT",
      "Task timed out after 30 seconds. Timeout configured as 30 seconds. Timeout policy configured to TIME_OUT_WF",
    ]);
  });

  test("a poll timeout counts from when the task was offered", () => {
    const run = start({ pollTimeoutSeconds: 5, timeoutPolicy: "TIME_OUT_WF" }, { startDelay: 10 });
    expect(run.advance(14_000).status).toBe("RUNNING");
    run.advance(1000);
    expect(run.reason).toBe(
      "Task poll timed out after 5 seconds. Poll timeout configured as 5 seconds. Timeout policy configured to TIME_OUT_WF",
    );
    expect(run.task("w")).toMatchObject({ status: "TIMED_OUT", startTime: 0 });
  });

  test("a task that was polled in time has no poll timeout any more", () => {
    const run = start({ pollTimeoutSeconds: 5 });
    run.poll("w");
    run.advance(6000).progress("w", { callbackAfterSeconds: 0 });
    expect(run.advance(60_000).status).toBe("RUNNING");
  });

  test("reset callbacks bring the poll timeout forward with the offer", () => {
    const run = start({ pollTimeoutSeconds: 5, timeoutPolicy: "TIME_OUT_WF" }, { startDelay: 100 });
    run.send({ kind: "reset-callbacks" });
    expect(run.advance(5000).status).toBe("TIMED_OUT");
  });

  test("a total timeout runs through all attempts and their delays", () => {
    const taskDef = { totalTimeoutSeconds: 25, retryDelaySeconds: 10, timeoutPolicy: "TIME_OUT_WF" };
    const run = start(taskDef).fail("w").advance(10_000).fail("w").advance(10_000);
    expect(run.status).toBe("RUNNING");
    run.advance(5000);
    expect(run.status).toBe("TIMED_OUT");
    expect(run.reason).toBe(
      `Task w/${run.task("w").id} exceeded total timeout of 25 seconds (elapsed 25 seconds across all attempts including retry delays). Timeout policy: TIME_OUT_WF`,
    );
  });

  test("a failure after the total time is not tried again", () => {
    const run = start({ totalTimeoutSeconds: 10, retryDelaySeconds: 0, timeoutPolicy: "RETRY" });
    run.advance(10_000);
    expect(run.status).toBe("TIMED_OUT");
    expect(run.reason).toBe(
      `Task ${run.task("w").id}/w exceeded total timeout of 10 seconds (elapsed 10 seconds across all attempts). No further retries will be attempted.`,
    );
  });

  test("a retry by hand gets a time budget of its own", () => {
    const run = start({ totalTimeoutSeconds: 10, timeoutPolicy: "TIME_OUT_WF" }).advance(10_000).retry();
    expect(run.advance(9000).status).toBe("RUNNING");
    expect(run.complete("w").status).toBe("COMPLETED");
  });

  test("ALERT_ONLY does nothing by itself", () => {
    const limits = { timeoutSeconds: 5, pollTimeoutSeconds: 5, totalTimeoutSeconds: 5 };
    const run = start({ ...limits, timeoutPolicy: "ALERT_ONLY" });
    expect(run.advance(60_000).status).toBe("RUNNING");
  });

  test("RETRY tries again, and again counts from the new attempt's start", () => {
    const run = start({ timeoutSeconds: 5, timeoutPolicy: "RETRY", retryCount: 1, retryDelaySeconds: 0 });
    run.poll("w");
    run.advance(5000).advance(100_000);
    run.poll("w");
    expect(run.advance(4000).status).toBe("RUNNING");
    expect(run.advance(1000).status).toBe("TIMED_OUT");
  });

  test("an optional task that timed out with RETRY is passed over", () => {
    const taskDefs = { w: { timeoutSeconds: 5, timeoutPolicy: "RETRY", retryCount: 0 } };
    const run = simulate(aWorkflow().simple("w", { optional: true }).once("x"), { taskDefs }).start();
    run.poll("w");
    expect(run.advance(5000).list).toEqual(["w:COMPLETED_WITH_ERRORS", "x:SCHEDULED"]);
  });

  test("a waiting task times out by its definition", () => {
    const taskDefs = { x: { timeoutSeconds: 5, timeoutPolicy: "TIME_OUT_WF" } };
    const run = simulate(aWorkflow().add(wait("x", { duration: "1h" })), { taskDefs }).start();
    expect(run.advance(5000).status).toBe("TIMED_OUT");
  });

  test("a timer that fires for a task that is over does nothing", () => {
    const run = simulate(aWorkflow().add(simple("a")).add(simple("b")))
      .start()
      .complete("a");
    const { rev } = run.head;
    run.send({ kind: "timer", no: 1 }).send({ kind: "timer", no: 99 }).send({ kind: "timer", no: 0 });
    expect(run.head.rev).toBe(rev);
  });
});

describe("the workflow timeout", () => {
  const workflow = (timeoutPolicy: string) => aWorkflow().once("w").with({ timeoutSeconds: 10, timeoutPolicy });

  test("ALERT_ONLY sets no timer", () => {
    expect(simulate(workflow("ALERT_ONLY")).start().world.nextTimer()).toBeUndefined();
  });

  test("resume starts the clock anew", () => {
    const run = simulate(workflow("TIME_OUT_WF")).start().advance(9000).pause().resume();
    expect(run.advance(9000).status).toBe("RUNNING");
    expect(run.advance(1000).status).toBe("TIMED_OUT");
  });

  test("restart starts the clock anew", () => {
    const run = simulate(workflow("TIME_OUT_WF")).start().advance(9000).terminate().restart();
    expect(run.advance(9000).status).toBe("RUNNING");
    expect(run.advance(1000).status).toBe("TIMED_OUT");
  });
});
