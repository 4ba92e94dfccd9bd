import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { aWorkflow, fork, join, once, repeat, type WorkflowBuilder } from "../builders.ts";
import { type Run, simulate } from "../simulate.ts";

function upgrade(
  run: Run,
  to: WorkflowBuilder,
  more: { workflowInput?: JsonObject; taskOutput?: JsonObject } = {},
): Run {
  const { hash } = run.world.register({ ...to.def, version: 2 });
  return run.send({
    kind: "upgrade",
    defHash: hash,
    workflowVersion: 2,
    workflowInput: more.workflowInput ?? {},
    taskOutput: more.taskOutput ?? {},
  });
}

describe("upgrade", () => {
  test("goes on with what follows in the new version", () => {
    const run = simulate(aWorkflow().once("a").once("b")).start();
    upgrade(run, aWorkflow().once("a").once("new").once("b"));
    expect(run.head.workflowVersion).toBe(2);
    expect(run.complete("a").list).toEqual(["a:COMPLETED", "new:SCHEDULED"]);
    expect(run.complete("new").complete("b").status).toBe("COMPLETED");
  });

  test("tasks of the new version that it is past show the output they are given, and are not run", () => {
    const run = simulate(aWorkflow().once("a").once("b")).start({ x: 1 }).complete("a");
    const next = aWorkflow()
      .once("first")
      .once("a")
      .once("b")
      .output({ v: "${first.output.v}", y: "${workflow.input.y}" });
    upgrade(run, next, { taskOutput: { first: { v: 7 } }, workflowInput: { y: 2 } });
    expect([run.task("first").status, run.input]).toEqual(["SKIPPED", { x: 1, y: 2 }]);
    run.complete("b");
    expect([run.status, run.output]).toEqual(["COMPLETED", { v: 7, y: 2 }]);
  });

  test("inside a fork and a loop the counters stay right", () => {
    const flow = (more: readonly string[]) =>
      aWorkflow().add(
        fork("f", [repeat("l", 2, [once("x"), ...more.map((ref) => once(ref))])], [once("y")]),
        join("j", ["l", "y"]),
      );
    const run = simulate(flow([])).start().complete("x");
    upgrade(run, flow(["z"]));
    run.complete("x").complete("z").complete("y");
    expect(run.status).toBe("COMPLETED");
  });

  test("is refused when an open JOIN would wait for a branch that never begins, unless its output is given", () => {
    const flow = (...branches: readonly string[][]) =>
      aWorkflow().add(
        fork("f", ...branches.map((refs) => refs.map((ref) => once(ref)))),
        join(
          "j",
          branches.map((refs) => refs.at(-1) ?? ""),
        ),
      );
    const run = simulate(flow(["a"], ["b"])).start();
    expect(() => upgrade(run, flow(["a"], ["b"], ["c"]))).toThrow("would wait for c, which is never reached");
    upgrade(run, flow(["a", "more"], ["b"], ["c"]), { taskOutput: { c: { v: 1 } } });
    expect(run.complete("a").complete("b").complete("more").status).toBe("COMPLETED");
  });

  test("is refused when an open task is not in the same place", () => {
    const run = simulate(aWorkflow().once("a")).start();
    expect(() => upgrade(run, aWorkflow().once("b"))).toThrow(
      "Expected version 2 to have the open task a of type SIMPLE",
    );
    expect(() => upgrade(run, aWorkflow().add(repeat("l", 2, [once("a")])))).toThrow("in the same place");
    expect(() => upgrade(run, aWorkflow().once("a"), { taskOutput: { none: {} } })).toThrow(
      "none does not exist in version 2",
    );
    expect([run.head.workflowVersion, run.complete("a").status]).toEqual([1, "COMPLETED"]);
    expect(() => upgrade(run, aWorkflow().once("a"))).toThrow("Workflow is in terminal state. Status = COMPLETED");
  });
});
