import { describe, expect, test } from "vitest";
import { aWorkflow, entry, fork, join, once, repeat, subWorkflow } from "../builders.ts";
import { simulate } from "../simulate.ts";

const jump = (ref: string, taskInput?: { readonly [key: string]: string }) =>
  ({ kind: "jump", ref, ...(taskInput === undefined ? {} : { taskInput }) }) as const;

describe("jump", () => {
  test("ahead passes over what lies between and goes on from there", () => {
    const run = simulate(aWorkflow().once("a").once("b").once("c").once("d"))
      .start()
      .send(jump("c", { x: "1" }));
    expect(run.list).toEqual(["a:SKIPPED", "c:SCHEDULED"]);
    expect(run.task("a")).toMatchObject({ reasonForIncompletion: "Jumped to c", executed: true });
    expect(run.task("c").input).toEqual({ x: "1" });
    expect(run.work("a")).toBeUndefined();
    expect(run.complete("c").complete("d").status).toBe("COMPLETED");
  });

  test("back runs the tasks from there again", () => {
    const run = simulate(aWorkflow().once("a").once("b")).start().complete("a").send(jump("a"));
    expect(run.list).toEqual(["a:COMPLETED", "b:SKIPPED", "a:SCHEDULED"]);
    expect(run.complete("a").list.at(-1)).toBe("b:SCHEDULED");
    expect(run.complete("b").status).toBe("COMPLETED");
  });

  test("out of a fork and a loop leaves nothing of them behind", () => {
    const flow = aWorkflow()
      .add(fork("f", [repeat("l", 3, [once("x")])], [once("y")]), join("j", ["l", "y"]))
      .once("z");
    const run = simulate(flow).start().complete("x").send(jump("z"));
    expect(run.head).toMatchObject({ open: 1, loops: {}, joins: {} });
    expect(run.list.filter((task) => !/SKIPPED|COMPLETED/.test(task))).toEqual(["z:SCHEDULED"]);
    expect(run.complete("z").status).toBe("COMPLETED");
  });

  test("back and then retried goes through everything that follows again", () => {
    const run = simulate(aWorkflow().once("a").once("b").once("c")).start();
    run.complete("a").complete("b").send(jump("a")).fail("a").retry().complete("a");
    expect(run.list.at(-1)).toBe("b:SCHEDULED");
    expect(run.complete("b").complete("c").status).toBe("COMPLETED");
  });

  test("back to a fork lets its JOIN wait for the new branches", () => {
    const flow = aWorkflow()
      .add(fork("f", [once("a")], [once("b"), once("c")]), join("j", ["a", "c"]))
      .once("z");
    const run = simulate(flow).start().complete("b").send(jump("f")).complete("a");
    expect([run.task("j").status, run.has("z")]).toEqual(["IN_PROGRESS", false]);
    expect(run.complete("b").complete("c").complete("z").status).toBe("COMPLETED");
  });

  test("leaves what came before it for good: a rerun from there is refused, one from after it is not", () => {
    const run = simulate(aWorkflow().once("a").once("b").once("c")).start().send(jump("b"));
    run.complete("b").complete("c");
    expect(() => run.rerun({ from: "a" })).toThrow();
    expect(run.rerun({ from: "b" }).complete("b").complete("c").status).toBe("COMPLETED");
  });

  test("to a JOIN is refused: nothing says what it would wait for", () => {
    const run = simulate(aWorkflow().add(fork("f", [once("x")], [once("y")]), join("j", ["x", "y"]))).start();
    expect(() => run.send(jump("j"))).toThrow("The task referenced by j is a JOIN");
  });

  test("ends a sub-workflow it leaves", () => {
    const child = aWorkflow("child").once("c").def;
    const run = simulate(aWorkflow().add(subWorkflow("s", "child")).once("z"), { workflows: [child] }).start();
    const inside = run.child("s");
    run.send(jump("z"));
    expect([inside.status, run.task("s").status, run.complete("z").status]).toEqual([
      "TERMINATED",
      "SKIPPED",
      "COMPLETED",
    ]);
  });

  test("what was left does not come back with a retry", () => {
    const run = simulate(aWorkflow().once("a").once("b")).start().send(jump("b")).fail("b").retry();
    expect(run.list).toEqual(["a:SKIPPED", "b:FAILED", "b:SCHEDULED"]);
    expect(run.complete("b").status).toBe("COMPLETED");
  });

  test("is refused for tasks that are not there or inside others, and for executions that do not run", () => {
    const run = simulate(aWorkflow().add(entry("NOOP", "n"), fork("f", [once("x")]), join("j", ["x"]))).start();
    expect(() => run.send(jump("none"))).toThrow(
      "The task referenced by none does not exist in the WorkflowDefinition w",
    );
    expect(() => run.send(jump("x"))).toThrow("The task referenced by x is inside f");
    run.pause();
    expect(() => run.send(jump("j"))).toThrow(`The workflow ${run.id} is not RUNNING so cannot jump`);
  });
});
