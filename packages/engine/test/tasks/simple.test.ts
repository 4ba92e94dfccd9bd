import { describe, expect, test } from "vitest";
import { aWorkflow, entry, simple } from "../builders.ts";
import { simulate } from "../simulate.ts";

describe("SIMPLE", () => {
  test("is polled under its name and keeps its definition's name", () => {
    const run = simulate(
      aWorkflow().simple("ref", { name: "pay", inputParameters: { a: "${workflow.input.a}" } }),
    ).start({
      a: 1,
    });
    expect(run.poll("pay")).toMatchObject({
      taskType: "pay",
      taskDefName: "pay",
      status: "IN_PROGRESS",
      pollCount: 1,
      workerId: "w1",
      startTime: run.world.now,
      input: { a: 1 },
    });
  });

  test("polled again after progress keeps its start time and counts the poll", () => {
    const run = simulate(aWorkflow().simple("w")).start();
    run.poll("w", "first");
    const { startTime } = run.task("w");
    run.advance(1000).progress("w", { callbackAfterSeconds: 0 });
    run.poll("w", "second");
    expect(run.task("w")).toMatchObject({ startTime, pollCount: 2, workerId: "second", updateTime: run.world.now });
  });

  test("completed without a poll has no start time", () => {
    const run = simulate(aWorkflow().simple("w")).start();
    run.result(run.task("w").no, { status: "COMPLETED", outputMode: "replace" });
    expect(run.task("w")).toMatchObject({ status: "COMPLETED", startTime: 0, pollCount: 0 });
  });

  test("ignores asyncComplete", () => {
    const run = simulate(aWorkflow().simple("w", { asyncComplete: true }))
      .start()
      .complete("w");
    expect(run.status).toBe("COMPLETED");
  });

  test("a late word about an ended task changes nothing", () => {
    const run = simulate(aWorkflow().simple("w").simple("x")).start().complete("w", { a: 1 });
    run.result(1, { status: "FAILED", outputMode: "replace" });
    expect(run.task("w")).toMatchObject({ status: "COMPLETED", output: { a: 1 } });
  });

  test("a word about a task that never was is refused", () => {
    const run = simulate(aWorkflow().simple("w")).start();
    expect(() => run.result(9, { status: "COMPLETED", outputMode: "replace" })).toThrow("No such task found by id: ");
  });

  test("a reason is cut to 500 characters", () => {
    const run = simulate(aWorkflow().simple("w")).start().failForGood("w", "x".repeat(900));
    expect(run.task("w").reasonForIncompletion).toHaveLength(500);
  });
});

describe("a type nobody registered", () => {
  test("is a worker task queued under its type", () => {
    const run = simulate(aWorkflow().add(entry("GET_SIGNED_JWT", "j", { name: "jwt" }))).start();
    expect(run.poll("GET_SIGNED_JWT")).toMatchObject({ taskType: "GET_SIGNED_JWT", taskDefName: "jwt" });
  });

  test("is not retried without a definition", () => {
    const run = simulate(aWorkflow().add(entry("ODD", "o")))
      .start()
      .fail("o");
    expect(run.status).toBe("FAILED");
  });
});

describe("domains", () => {
  const start = (taskToDomain: Record<string, string>, activeDomains: string[] = []) =>
    simulate(aWorkflow().add(simple("w")), { activeDomains }).start({}, { taskToDomain });

  test.each([
    ["the only one", { w: "eu" }, [], "eu:w"],
    ["the first with an active poller", { w: "eu,us" }, ["us:w"], "us:w"],
    ["the last when none is active", { w: "eu,us" }, [], "us:w"],
    ["none when the last is NO_DOMAIN", { w: "eu,no_domain" }, [], "w"],
    ["the wildcard's", { "*": "eu" }, [], "eu:w"],
    ["its own before the wildcard's", { "*": "eu", w: "us" }, [], "us:w"],
  ])("a worker task takes %s", (_what, taskToDomain, active, queue) => {
    expect(start(taskToDomain as Record<string, string>, active).work("w")?.queue).toBe(queue);
  });

  test("system tasks have none", () => {
    const run = simulate(aWorkflow().add(entry("HTTP", "h"))).start({}, { taskToDomain: { "*": "eu" } });
    expect(run.work("h")?.queue).toBe("HTTP");
  });

  test("name space and isolation group are part of the queue", () => {
    const taskDefs = { w: { executionNameSpace: "ns", isolationGroupId: "iso" } };
    const run = simulate(aWorkflow().simple("w"), { taskDefs }).start({}, { taskToDomain: { w: "eu" } });
    expect(run.work("w")?.queue).toBe("eu:w@ns-iso");
  });
});

test("tasks carry the priority of their execution, and the larger is polled first", () => {
  const simulation = simulate(aWorkflow().simple("w"));
  const low = simulation.start({}, { priority: 1 });
  const high = simulation.start({}, { priority: 9 });
  expect(low.task("w").priority).toBe(1);
  expect(low.poll("w")?.id.slice(0, 20)).toBe(high.id.slice(0, 20));
});

describe("startDelay", () => {
  test("keeps a worker task from being offered", () => {
    const run = simulate(aWorkflow().simple("w", { startDelay: 5 })).start();
    expect(run.task("w")).toMatchObject({ startDelayInSeconds: 5, callbackAfterSeconds: 5 });
    expect(run.poll("w")).toBeUndefined();
    expect(run.advance(5000).poll("w")).toBeDefined();
  });

  test.each([
    ["NOOP", entry("NOOP", "x", { startDelay: 5 })],
    ["SET_VARIABLE", entry("SET_VARIABLE", "x", { startDelay: 5 })],
    ["INLINE", entry("INLINE", "x", { startDelay: 5, inputParameters: { expression: "1" } })],
    ["SWITCH", entry("SWITCH", "x", { startDelay: 5, evaluatorType: "value-param", expression: "v" })],
    ["DO_WHILE", entry("DO_WHILE", "x", { startDelay: 5, loopCondition: "false", loopOver: [entry("NOOP", "n")] })],
    ["WAIT", entry("WAIT", "x", { startDelay: 5, inputParameters: { until: "2020-01-01" } })],
    ["TERMINATE", entry("TERMINATE", "x", { startDelay: 5, inputParameters: { terminationStatus: "COMPLETED" } })],
  ])("puts off %s, by a timer", (_type, task) => {
    const run = simulate(aWorkflow().add(task)).start();
    expect(run.advance(4999).status).toBe("RUNNING");
    expect(run.advance(1).status).toBe("COMPLETED");
  });

  test("puts off a fork with all it holds, and a join that is ready before its time", () => {
    const workflow = aWorkflow()
      .add(entry("FORK_JOIN", "f", { startDelay: 5, forkTasks: [[entry("NOOP", "n")]] }))
      .join("j", ["n"], { startDelay: 5 });
    const run = simulate(workflow).start();
    expect(run.list).toEqual(["f:IN_PROGRESS"]);
    expect(run.advance(5000).list).toEqual(["f:COMPLETED", "n:COMPLETED", "j:IN_PROGRESS"]);
    expect(run.advance(5000).status).toBe("COMPLETED");
  });

  test("that runs out during a pause is made up for by resume", () => {
    const run = simulate(aWorkflow().add(entry("NOOP", "n", { startDelay: 5 })))
      .start()
      .pause()
      .advance(6000);
    expect(run.task("n").status).toBe("IN_PROGRESS");
    expect(run.resume().status).toBe("COMPLETED");
  });
});

describe("cacheConfig", () => {
  const workflow = aWorkflow().simple("w", {
    inputParameters: { id: "${workflow.input.id}" },
    cacheConfig: { key: "${id}", ttlInSecond: 60 },
  });

  test("a task whose key was seen takes the stored output and never runs", () => {
    const simulation = simulate(workflow);
    simulation.start({ id: 1 }).complete("w", { price: 9 });
    const again = simulation.start({ id: 1 });
    expect(again.status).toBe("COMPLETED");
    expect(again.output).toEqual({ price: 9 });
  });

  test("another key, or a later time, runs", () => {
    const simulation = simulate(workflow);
    simulation.start({ id: 1 }).complete("w", { price: 9 });
    expect(simulation.start({ id: 2 }).status).toBe("RUNNING");
    simulation.world.advance(60_000);
    expect(simulation.start({ id: 1 }).status).toBe("RUNNING");
  });

  test("a failed task is not remembered", () => {
    const simulation = simulate(workflow);
    simulation.start({ id: 1 }).failForGood("w");
    expect(simulation.start({ id: 1 }).status).toBe("RUNNING");
  });
});
