import { describe, expect, test } from "vitest";
import { aWorkflow, entry, join, noop, once, switchOn } from "../builders.ts";
import { simulate } from "../simulate.ts";

const script = (ref: string, expression: string, extra = {}) =>
  entry("SWITCH", ref, {
    evaluatorType: "graaljs",
    expression,
    inputParameters: { n: "${workflow.input.n}" },
    decisionCases: { "2.5": [noop("half")], true: [noop("yes")], null: [noop("nothing")], empty: [] },
    defaultCase: [noop("other")],
    ...extra,
  });

describe("SWITCH", () => {
  test.each([
    ["a number", "$.n", 2.5, "half"],
    ["a boolean", "$.n > 1", 2, "yes"],
    ["nothing", "null", 0, "nothing"],
    ["no match", "'zzz'", 0, "other"],
  ])("compares the text of %s with its cases", (_what, expression, n, ref) => {
    const run = simulate(aWorkflow().add(script("sw", expression))).start({ n });
    expect(run.list).toEqual(["sw:COMPLETED", `${ref}:COMPLETED`]);
  });

  test("an empty case runs nothing", () => {
    const run = simulate(aWorkflow().add(script("sw", "'empty'"))).start({ n: 1 });
    expect(run.list).toEqual(["sw:COMPLETED"]);
    expect(run.status).toBe("COMPLETED");
  });

  test("shows the case in its input and its output", () => {
    const run = simulate(aWorkflow().add(switchOn("sw", "a", { a: [noop("n")] }))).start();
    expect(run.task("sw")).toMatchObject({
      taskType: "SWITCH",
      taskDefName: "SWITCH",
      input: { value: "a", case: "a", hasChildren: "true" },
      output: { evaluationResult: ["a"], selectedCase: "a" },
    });
  });

  test("a value-param that is missing is null", () => {
    const run = simulate(aWorkflow().add(switchOn("sw", null, { null: [noop("n")] }))).start();
    expect(run.has("n")).toBe(true);
  });

  test("the last task of a case leads to what follows the switch, outwards through any number of them", () => {
    const inner = switchOn("in", "a", { a: [once("w")] });
    const run = simulate(
      aWorkflow()
        .add(switchOn("out", "a", { a: [inner] }))
        .once("after"),
    ).start();
    expect(run.complete("w").task("after").status).toBe("SCHEDULED");
  });

  test("a script error fails it and the execution", () => {
    const run = simulate(aWorkflow().add(script("sw", "$.x.y"))).start({ n: 1 });
    expect(run.task("sw").status).toBe("FAILED");
    expect(run.task("sw").reasonForIncompletion).toContain("Error evaluating the script");
    expect(run.status).toBe("FAILED");
  });

  test("a script error of an optional one goes on with what follows", () => {
    const run = simulate(
      aWorkflow()
        .add(script("sw", "$.x.y", { optional: true }))
        .once("after"),
    ).start({ n: 1 });
    expect(run.list).toEqual(["sw:COMPLETED_WITH_ERRORS", "after:SCHEDULED"]);
  });

  test("is evaluated again by a retry", () => {
    let isBroken = true;
    const run = simulate(aWorkflow().add(script("sw", "anything")), {
      evaluateScript: () => (isBroken ? { kind: "error", message: "no" } : { kind: "value", text: "true" }),
    }).start({ n: 1 });
    isBroken = false;
    run.retry();
    expect(run.list).toEqual(["sw:FAILED", "sw:COMPLETED", "yes:COMPLETED"]);
    expect(run.status).toBe("COMPLETED");
  });

  test("an unknown evaluator fails the execution without a task", () => {
    const run = simulate(aWorkflow().add(script("sw", "1", { evaluatorType: "cobol" }))).start();
    expect(run.status).toBe("FAILED");
    expect(run.reason).toBe("No evaluator registered for type: cobol");
    expect(run.list.filter((task) => !task.endsWith("CANCELED"))).toEqual([]);
  });

  test("a join on a switch counts it when it is reached", () => {
    const branch = [once("w"), switchOn("sw", "a", { a: [once("x")] })];
    const run = simulate(
      aWorkflow()
        .fork(branch)
        .add(join("j", ["sw"]))
        .once("after"),
    ).start();
    expect(run.task("j").status).toBe("IN_PROGRESS");
    run.complete("w");
    expect(run.task("j").status).toBe("COMPLETED");
    expect(run.complete("after").status).toBe("RUNNING");
    expect(run.complete("x").status).toBe("COMPLETED");
  });
});

describe("DECISION", () => {
  const decision = (extra: object) =>
    entry("DECISION", "d", {
      inputParameters: { v: "${workflow.input.v}" },
      decisionCases: { a: [noop("a")], empty: [] },
      defaultCase: [noop("other")],
      ...extra,
    });

  test("chooses by a value and shows it", () => {
    const run = simulate(aWorkflow().add(decision({ caseValueParam: "v" }))).start({ v: "a" });
    expect(run.list).toEqual(["d:COMPLETED", "a:COMPLETED"]);
    expect(run.task("d")).toMatchObject({ input: { case: "a", hasChildren: "true" }, output: { caseOutput: ["a"] } });
  });

  test("falls back to the default for an empty case", () => {
    const run = simulate(aWorkflow().add(decision({ caseValueParam: "v" }))).start({ v: "empty" });
    expect(run.has("other")).toBe(true);
  });

  test("a script error ends the execution", () => {
    const run = simulate(aWorkflow().add(decision({ caseExpression: "$.x.y" }))).start({ v: 1 });
    expect([run.status, run.reason]).toEqual(["FAILED", "Error while evaluating script: $.x.y"]);
  });
});
