import { describe, expect, test } from "vitest";
import {
  aWorkflow,
  doWhile,
  dynamicFork,
  type entry,
  inline,
  noop,
  once,
  repeat,
  setVariable,
  simple,
  switchOn,
} from "../builders.ts";
import { simulate } from "../simulate.ts";

const endsWith = (loop: ReturnType<typeof entry>, input = {}) => simulate(aWorkflow().add(loop)).start(input);

describe("DO_WHILE", () => {
  test("names its tasks by iteration and gathers their outputs by bare name", () => {
    const run = endsWith(repeat("l", 2, [once("a"), noop("n")]));
    run.complete("a", { v: 1 }).complete("a", { v: 2 });
    expect(run.list).toEqual(["l:COMPLETED", "a__1:COMPLETED", "n__1:COMPLETED", "a__2:COMPLETED", "n__2:COMPLETED"]);
    expect(run.task("l").output).toEqual({ "1": { a: { v: 1 }, n: {} }, "2": { a: { v: 2 }, n: {} }, iteration: 2 });
    expect(run.task("a__2").iteration).toBe(2);
  });

  test("runs once when there is no condition", () => {
    const run = endsWith(doWhile("l", "", [noop("n")]));
    expect(run.task("l")).toMatchObject({ status: "COMPLETED", iteration: 1 });
  });

  test.each([
    ["true", "$.l.iteration < 3", 3],
    ["a number above zero", "$.l.iteration < 2 ? 1 : 0", 2],
    ["a text, which is not true", "'true'", 1],
    ["an object, which is not true", "({})", 1],
  ])("goes on while its condition gives %s", (_what, condition, iterations) => {
    expect(endsWith(doWhile("l", condition, [noop("n")])).task("l").iteration).toBe(iterations);
  });

  test("its condition sees inputParameters, its own output and its tasks' latest outputs", () => {
    const condition = "$.l.iteration < $.max && $.i.result < 4 && $.l['1'].i.result === 2";
    const loop = doWhile("l", condition, [inline("i", "$.n * 2", { n: "${l.output.iteration}" })], {
      inputParameters: { max: "${workflow.input.max}", l: "${l.output}" },
    });
    expect(endsWith(loop, { max: 9 }).task("l").output).toMatchObject({ iteration: 2, "2": { i: { result: 4 } } });
  });

  test("its condition sees a variable that the iteration has just changed", () => {
    const loop = doWhile("l", "$.go", [setVariable("v", { go: false })], {
      inputParameters: { go: "${workflow.variables.go}" },
    });
    expect(
      simulate(
        aWorkflow()
          .add(loop)
          .with({ variables: { go: true } }),
      )
        .start()
        .task("l").iteration,
    ).toBe(1);
  });

  test("a condition that breaks fails it for good", () => {
    const run = endsWith(doWhile("l", "$.x.y < 1", [noop("n")]));
    expect(run.task("l").status).toBe("FAILED_WITH_TERMINAL_ERROR");
    expect(run.task("l").reasonForIncompletion).toMatch(/^Unable to evaluate condition \$\.x\.y < 1, exception /);
    expect(run.status).toBe("FAILED");
  });

  test("a permissive task that fails makes the loop fail after its iteration", () => {
    const run = endsWith(repeat("l", 3, [once("a", { permissive: true }), once("b")]));
    run.fail("a", "bad").complete("b");
    expect(run.task("l")).toMatchObject({ status: "FAILED", reasonForIncompletion: "bad " });
    expect(run.status).toBe("FAILED");
  });

  test("an optional task that fails does not", () => {
    const run = endsWith(repeat("l", 1, [once("a", { optional: true })])).fail("a");
    expect([run.task("l").status, run.status]).toEqual(["COMPLETED", "COMPLETED"]);
  });

  test("retries a task inside its iteration", () => {
    const taskDefs = { a: { retryCount: 1, retryDelaySeconds: 0 } };
    const run = simulate(aWorkflow().add(repeat("l", 1, [simple("a")])), { taskDefs })
      .start()
      .fail("a")
      .complete("a");
    expect(run.list).toEqual(["l:COMPLETED", "a__1:FAILED", "a__1:COMPLETED"]);
  });

  test("waits for everything in a switch or a fork of its body", () => {
    const body = [switchOn("sw", "x", { x: [once("a"), once("b")] })];
    const run = endsWith(repeat("l", 2, body)).complete("a");
    expect(run.has("sw__2")).toBe(false);
    expect(run.complete("b").has("sw__2")).toBe(true);
  });

  test("an empty body completes at once", () => {
    expect(endsWith(doWhile("l", "true", [])).status).toBe("COMPLETED");
  });

  test("an endless loop of instant tasks goes on in further transitions and can be terminated", () => {
    const simulation = simulate(aWorkflow().add(doWhile("l", "true", [noop("n")])), { isUnchecked: true });
    const run = simulation.start();
    expect(run.status).toBe("RUNNING");
    const before = run.task("l").iteration;
    const next = run.world.nextTimer();
    run.world.fire(run.id, next?.no ?? -1);
    expect(run.task("l").iteration).toBeGreaterThan(before);
    expect(run.terminate().status).toBe("TERMINATED");
    expect(run.world.nextTimer()).toBeUndefined();
  });

  test("a long loop of instant tasks survives a pause between two of its transitions", () => {
    const run = simulate(aWorkflow().add(repeat("l", 700, [noop("n")])), { isUnchecked: true }).start();
    expect(run.status).toBe("RUNNING");
    run.pause().advance(1000);
    expect(run.status).toBe("PAUSED");
    run.resume().advance(1000);
    expect(run.status).toBe("COMPLETED");
    expect(run.head.nextNo).toBe(702);
  });

  test("ended by hand cancels what is open inside and goes on", () => {
    const run = simulate(
      aWorkflow()
        .add(repeat("l", 3, [once("a")]))
        .once("after"),
    ).start();
    run.complete("l");
    expect(run.list).toEqual(["l:COMPLETED", "a__1:CANCELED", "after:SCHEDULED"]);
    expect(run.complete("after").status).toBe("COMPLETED");
  });

  test("that times out although optional cancels what is open inside and goes on", () => {
    const taskDefs = { l: { timeoutSeconds: 10, timeoutPolicy: "RETRY" } };
    const loop = repeat("l", 3, [once("a")], { optional: true });
    const run = simulate(aWorkflow().add(loop).once("after"), { taskDefs }).start().advance(10_000);
    expect(run.list).toEqual(["l:COMPLETED_WITH_ERRORS", "a__1:CANCELED", "after:SCHEDULED"]);
  });
});

describe("DO_WHILE over items", () => {
  const items = (value: unknown, condition = "") =>
    doWhile("l", condition, [inline("i", "$.x", { x: "${l.output.loopItem}" })], { items: value });

  test("runs once per element and shows index and element", () => {
    const run = endsWith(items("${workflow.input.list}"), { list: ["a", "b"] });
    expect(run.task("l").output).toMatchObject({
      iteration: 2,
      loopIndex: 1,
      loopItem: "b",
      "1": { i: { result: "a" } },
      "2": { i: { result: "b" } },
    });
  });

  test.each([
    ["a single value is a list of one", "${workflow.input.list}", { list: "solo" }, 1],
    ["an empty list runs nothing", "${workflow.input.list}", { list: [] }, 0],
    ["nothing runs nothing", "${workflow.input.missing}", {}, 0],
  ])("%s", (_what, value, input, iterations) => {
    const run = endsWith(items(value), input);
    expect(run.task("l")).toMatchObject({ status: "COMPLETED", output: { iteration: iterations } });
  });

  test("a condition may end it before the list does", () => {
    const run = endsWith(items("${workflow.input.list}", "$.loopItem < 2"), { list: [1, 2, 3] });
    expect(run.task("l").iteration).toBe(2);
  });
});

describe("keepLastN", () => {
  const kept = (rounds: number, body = [inline("i", "$.n", { n: "${l.output.iteration}" })]) =>
    repeat("l", rounds, body, { inputParameters: { l: "${l.output}", keepLastN: 2 } });

  test("keeps only the tasks and outputs of the last iterations", () => {
    const run = endsWith(kept(5));
    expect(run.list).toEqual(["l:COMPLETED", "i__4:COMPLETED", "i__5:COMPLETED"]);
    expect(run.task("l").output).toEqual({ "4": { i: { result: 4 } }, "5": { i: { result: 5 } }, iteration: 5 });
  });

  test("the task before is still found in the iteration that forgets an older one", () => {
    const chain = [inline("i", "($.last || 0) + 1", { last: "${i.output.result}" })];
    expect(endsWith(kept(6, chain)).task("i__6").output).toEqual({ result: 6 });
  });

  test("forgets inner loops with their tasks", () => {
    const run = endsWith(kept(4, [repeat("in", 2, [noop("n")])]));
    expect(run.list.filter((task) => task.startsWith("n__"))).toEqual([
      "n__3__1:COMPLETED",
      "n__3__2:COMPLETED",
      "n__4__1:COMPLETED",
      "n__4__2:COMPLETED",
    ]);
  });
});

test("a loop forked dynamically shows its output in the join", () => {
  const run = simulate(aWorkflow().add(...dynamicFork("f", [repeat("l", 2, [inline("i", "7")])]))).start();
  expect(run.task("f_join").output).toEqual({
    l: { "1": { i: { result: 7 } }, "2": { i: { result: 7 } }, iteration: 2 },
  });
});

test("a dynamic fork in a loop uses the same names in every iteration", () => {
  const body = dynamicFork("f", [once("w")]);
  const run = simulate(aWorkflow().add(repeat("l", 2, body)))
    .start()
    .complete("w", { v: 1 })
    .complete("w", { v: 2 });
  expect(run.status).toBe("COMPLETED");
  expect(run.task("f_join__1").output).toEqual({ w__1: { v: 1 } });
  expect(run.task("f_join__2").output).toEqual({ w__2: { v: 2 } });
});

test("loops that were both ended from outside during a pause schedule nothing more when it is over", () => {
  const run = simulate(aWorkflow().add(repeat("outer", 1, [repeat("inner", 1, [once("a"), once("b")])]))).start();
  const ended = { status: "COMPLETED" as const, outputMode: "replace" as const };
  run.pause().complete("a").result(run.task("inner__1").no, ended).result(run.task("outer").no, ended).resume();
  expect([run.status, run.has("b__1__1")]).toEqual(["COMPLETED", false]);
});
