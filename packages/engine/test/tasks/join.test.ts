import { describe, expect, test } from "vitest";
import { aWorkflow, entry, fork, join, noop, once, repeat, simple, subWorkflow, switchOn } from "../builders.ts";
import { simulate } from "../simulate.ts";

const start = (a = {}, b = {}) =>
  simulate(
    aWorkflow()
      .fork([once("a", a)], [once("b", b)])
      .join("j", ["a", "b"]),
  ).start();

describe("JOIN", () => {
  test("completes when the last open branch ends, with the outputs that are not empty", () => {
    const run = start().complete("b", { v: 2 });
    expect(run.task("j").status).toBe("IN_PROGRESS");
    expect(run.task("j").output).toEqual({ b: { v: 2 } });
    run.complete("a");
    expect(run.task("j")).toMatchObject({
      status: "COMPLETED",
      output: { b: { v: 2 } },
      input: { joinOn: ["a", "b"] },
    });
  });

  test("an optional branch that fails still lets the join complete", () => {
    const run = start({}, { optional: true }).complete("a").fail("b");
    expect(run.task("j").status).toBe("COMPLETED_WITH_ERRORS");
    expect(run.task("j").reasonForIncompletion).toBe(`b/${run.task("b").id} completed with errors`);
    expect(run.status).toBe("COMPLETED");
  });

  test("names every permissive branch that failed", () => {
    const run = start({ permissive: true }, { permissive: true }).fail("a", "one").fail("b", "two");
    expect(run.task("j")).toMatchObject({ status: "FAILED", reasonForIncompletion: "one two" });
  });

  test("waits for a reference that is yet to come", () => {
    const run = simulate(
      aWorkflow()
        .fork([once("a"), once("later")], [once("b")])
        .join("j", ["later", "b"]),
    ).start();
    run.complete("b").complete("a");
    expect(run.task("j").status).toBe("IN_PROGRESS");
    expect(run.complete("later").status).toBe("COMPLETED");
  });

  test("counts a joined name once, however often it is written", () => {
    const run = simulate(
      aWorkflow()
        .fork([once("a")])
        .join("j", ["a", "a"]),
    )
      .start()
      .complete("a");
    expect(run.status).toBe("COMPLETED");
  });

  test("without joinOn completes at once with an empty output", () => {
    const run = simulate(
      aWorkflow()
        .fork([once("a")])
        .join("j", [])
        .once("after"),
    ).start();
    expect(run.task("j")).toMatchObject({ status: "COMPLETED", output: {} });
    expect(run.task("after").status).toBe("SCHEDULED");
  });

  test("counts a skipped branch as done, skipped before or after it exists", () => {
    const before = simulate(
      aWorkflow()
        .once("w")
        .fork([once("a")], [once("b")])
        .join("j", ["a", "b"]),
    ).start();
    before.skip("a").complete("w").complete("b");
    expect(before.status).toBe("COMPLETED");
    const workflow = aWorkflow()
      .fork([once("a"), once("a2")], [once("b")])
      .join("j", ["a2", "b"]);
    const after = simulate(workflow).start().skip("a2").complete("a");
    expect(after.complete("b").status).toBe("COMPLETED");
  });

  test("waits for the retry of a branch", () => {
    const taskDefs = { a: { retryCount: 1, retryDelaySeconds: 0 } };
    const workflow = aWorkflow()
      .fork([simple("a")], [once("b")])
      .join("j", ["a", "b"]);
    const run = simulate(workflow, { taskDefs }).start().complete("b").fail("a");
    expect(run.task("j").status).toBe("IN_PROGRESS");
    run.complete("a", { v: 2 });
    expect(run.task("j").output).toEqual({ a: { v: 2 } });
  });

  test("inside a loop joins the tasks of its own iteration and names them so", () => {
    const body = [fork("f", [once("a")], [noop("n")]), join("j", ["a", "n"])];
    const run = simulate(aWorkflow().add(repeat("l", 2, body)))
      .start()
      .complete("a", { v: 1 })
      .complete("a", { v: 2 });
    expect(run.status).toBe("COMPLETED");
    expect(run.task("j__1")).toMatchObject({ input: { joinOn: ["a__1", "n__1"] }, output: { a__1: { v: 1 } } });
    expect(run.task("j__2").output).toEqual({ a__2: { v: 2 } });
  });

  test("an expression reads one branch or all of it", () => {
    const workflow = aWorkflow()
      .fork([once("a")])
      .join("j", ["a"])
      .output({ one: "${j.output.a.v}", all: "${j.output}" });
    expect(simulate(workflow).start().complete("a", { v: 7 }).output).toEqual({ one: 7, all: { a: { v: 7 } } });
  });

  test("ended by hand lets the flow go on, and its branches too", () => {
    const run = simulate(
      aWorkflow()
        .fork([once("a")])
        .join("j", ["a"])
        .once("after"),
    ).start();
    run.complete("j").complete("after");
    expect(run.status).toBe("RUNNING");
    expect(run.complete("a").status).toBe("COMPLETED");
  });

  test("with a registered time limit times out", () => {
    const taskDefs = { j: { timeoutSeconds: 10, timeoutPolicy: "TIME_OUT_WF" } };
    const run = simulate(
      aWorkflow()
        .fork([once("a")])
        .join("j", ["a"]),
      { taskDefs },
    )
      .start()
      .advance(10_000);
    expect([run.status, run.task("j").status, run.task("a").status]).toEqual(["TIMED_OUT", "TIMED_OUT", "CANCELED"]);
  });
});

describe("a JOIN script", () => {
  const scripted = (expression: string) =>
    simulate(
      aWorkflow()
        .fork([once("a")], [once("b", { optional: true })])
        .join("j", ["a", "b"], { evaluatorType: "javascript", expression }),
    ).start();

  test("sees names, statuses and outputs of the joined tasks that are there", () => {
    const run = scripted("$.joinOn.length === 2 && $.a.status === 'COMPLETED' && $.a.output.v === 1");
    expect(run.complete("a", { v: 1 }).task("j").status).toBe("COMPLETED");
  });

  test("that says no goes on waiting, until all are there", () => {
    const run = scripted("false").complete("a");
    expect(run.task("j").status).toBe("IN_PROGRESS");
    expect(run.complete("b").task("j").status).toBe("COMPLETED");
  });

  test("that breaks goes on waiting", () => {
    const run = scripted("$.x.y").complete("a");
    expect(run.task("j").status).toBe("IN_PROGRESS");
    expect(run.complete("b").status).toBe("COMPLETED");
  });

  test("lets the execution end only when the branches left behind have", () => {
    const run = scripted("true").complete("a");
    expect(run.status).toBe("RUNNING");
    expect(run.complete("b").status).toBe("COMPLETED");
  });
});

describe("EXCLUSIVE_JOIN", () => {
  const exclusive = (joinOn: string[], defaults: string[] = []) =>
    entry("EXCLUSIVE_JOIN", "ej", { joinOn, defaultExclusiveJoinTask: defaults });
  const branching = (way: string, extra = {}) =>
    simulate(
      aWorkflow()
        .add(switchOn("sw", way, { a: [once("a", extra)], b: [once("b", extra)] }))
        .add(exclusive(["a", "b"], ["sw"])),
    ).start();

  test("takes over the output of the alternative that ran", () => {
    const run = branching("b").complete("b", { v: 2 });
    expect(run.task("ej")).toMatchObject({
      status: "COMPLETED",
      output: { v: 2 },
      taskDefName: "EXCLUSIVE_JOIN",
      input: { joinOn: ["a", "b"], defaultExclusiveJoinTask: ["sw"] },
    });
    expect(run.status).toBe("COMPLETED");
  });

  test("the default decides when all that are there ended and none did well", () => {
    const run = branching("a", { permissive: true }).fail("a", "bad");
    expect(run.task("ej")).toMatchObject({ status: "COMPLETED", output: { selectedCase: "a" } });
  });

  test("fails with the reason when there is no default", () => {
    const workflow = aWorkflow()
      .once("a", { permissive: true })
      .add(exclusive(["a"]));
    const run = simulate(workflow).start().fail("a", "bad");
    expect(run.task("ej")).toMatchObject({ status: "FAILED", reasonForIncompletion: "bad" });
  });

  test("is done with the first of several that ends well", () => {
    const workflow = aWorkflow()
      .fork([once("a")], [once("b")])
      .join("j", [])
      .add(exclusive(["a", "b"]))
      .once("after");
    const run = simulate(workflow).start();
    expect(run.task("ej").status).toBe("IN_PROGRESS");
    run.complete("b", { v: 2 });
    expect(run.task("ej").output).toEqual({ v: 2 });
    expect(run.task("after").status).toBe("SCHEDULED");
  });
});

test("a fork without a join fails the execution", () => {
  const run = simulate(
    aWorkflow()
      .fork([once("a")])
      .once("b"),
  ).start();
  expect(run.status).toBe("FAILED");
  expect(run.reason).toBe("Fork task definition is not followed by a join task.  Check the blueprint");
});

test("children in branches are joined like any task", () => {
  const workflows = [aWorkflow("kid").once("k").def];
  const workflow = aWorkflow()
    .fork([subWorkflow("s", "kid")], [once("b")])
    .join("j", ["s", "b"]);
  const run = simulate(workflow, { workflows }).start().complete("b");
  run.child("s").complete("k", { v: 1 });
  expect(run.task("j").output).toMatchObject({ s: { v: 1 } });
  expect(run.status).toBe("COMPLETED");
});
