import { describe, expect, test } from "vitest";
import { aWorkflow, dynamicFork, fork, join, once, repeat, subWorkflow, switchOn } from "../builders.ts";
import { simulate } from "../simulate.ts";

describe("rerun", () => {
  const ended = () => simulate(aWorkflow().once("a").once("b")).start({ x: 1 }).complete("a", { v: 1 }).complete("b");

  test("of a running execution is refused", () => {
    const run = simulate(aWorkflow().once("a")).start();
    expect(() => run.rerun()).toThrow(`Workflow: w.1/${run.id}.RUNNING is not in terminal state, unable to rerun.`);
  });

  test("from an unknown task is refused and changes nothing", () => {
    const run = ended();
    const { rev } = run.head;
    expect(() => run.send({ kind: "rerun", fromNo: 77 })).toThrow(/^Task .* not found$/);
    expect([run.status, run.head.rev]).toEqual(["COMPLETED", rev]);
  });

  test("from a skipped task is refused", () => {
    const run = simulate(aWorkflow().once("a").once("b")).start().skip("b").complete("a");
    expect(() => run.rerun({ from: "b" })).toThrow(/was skipped and cannot be rerun$/);
  });

  test("without a task starts over, with another input if given", () => {
    const run = ended().rerun({ workflowInput: { x: 2 } });
    expect([run.list, run.input, run.output]).toEqual([["a:SCHEDULED"], { x: 2 }, {}]);
    expect(run.complete("a").complete("b").status).toBe("COMPLETED");
  });

  test("from a task takes another input for it", () => {
    const run = ended().rerun({ from: "b", taskInput: { y: "changed" } });
    expect(run.task("b")).toMatchObject({ input: { y: "changed" }, output: {}, status: "SCHEDULED" });
    expect(run.reason).toBeUndefined();
  });

  test("from the first task removes all that followed, and their numbers are not used again", () => {
    const run = ended().rerun({ from: "a" });
    expect(run.list).toEqual(["a:SCHEDULED"]);
    run.complete("a");
    expect(run.task("b")).toMatchObject({ no: 3, seq: 2 });
  });

  test("from an old attempt removes the later ones", () => {
    const taskDefs = { a: { retryCount: 1, retryDelaySeconds: 0 } };
    const run = simulate(aWorkflow().simple("a"), { taskDefs }).start().fail("a").complete("a");
    run.send({ kind: "rerun", fromNo: 1 });
    expect(run.list).toEqual(["a:SCHEDULED"]);
    expect(run.complete("a").status).toBe("COMPLETED");
  });

  test("of a failed execution goes on with the other branches too", () => {
    const run = simulate(
      aWorkflow()
        .fork([once("a")], [once("b")])
        .join("j", ["a", "b"]),
    )
      .start()
      .fail("a");
    run.rerun({ from: "a" });
    expect(run.list).toEqual(["fork:COMPLETED", "a:SCHEDULED", "b:SCHEDULED", "j:IN_PROGRESS"]);
    expect(run.complete("a").complete("b").status).toBe("COMPLETED");
  });

  test("from a join ends it again at once", () => {
    const run = simulate(
      aWorkflow()
        .fork([once("a")])
        .join("j", ["a"])
        .once("after"),
    ).start();
    run.complete("a", { v: 1 }).complete("after").rerun({ from: "j" });
    expect(run.task("j").output).toEqual({ a: { v: 1 } });
    expect(run.list).toEqual(["fork:COMPLETED", "a:COMPLETED", "j:COMPLETED", "after:SCHEDULED"]);
  });

  test("from a fork runs all its branches anew", () => {
    const run = simulate(
      aWorkflow()
        .fork([once("a")], [once("b")])
        .join("j", ["a", "b"]),
    ).start();
    run.complete("a").complete("b").rerun({ from: "fork" });
    expect(run.list).toEqual(["fork:COMPLETED", "a:SCHEDULED", "b:SCHEDULED", "j:IN_PROGRESS"]);
  });

  test("from a switch evaluates it anew", () => {
    const workflow = aWorkflow().add(switchOn("s", "${workflow.input.way}", { l: [once("left")], r: [once("right")] }));
    const run = simulate(workflow)
      .start({ way: "l" })
      .complete("left")
      .rerun({ from: "s", workflowInput: { way: "r" } });
    expect(run.list).toEqual(["s:COMPLETED", "right:SCHEDULED"]);
  });

  test("inside a case removes what follows the switch", () => {
    const run = simulate(
      aWorkflow()
        .add(switchOn("s", "x", { x: [once("a"), once("b")] }))
        .once("after"),
    ).start();
    run.complete("a").complete("b").complete("after").rerun({ from: "a" });
    expect(run.list).toEqual(["s:COMPLETED", "a:SCHEDULED"]);
    expect(run.complete("a").complete("b").complete("after").status).toBe("COMPLETED");
  });

  test("inside a loop goes on from that iteration", () => {
    const run = simulate(
      aWorkflow()
        .add(repeat("l", 3, [once("a"), once("b")]))
        .once("after"),
    ).start();
    for (let round = 0; round < 3; round++) run.complete("a").complete("b");
    run.complete("after").rerun({ from: "a__2" });
    expect(run.list).toEqual(["l:IN_PROGRESS", "a__1:COMPLETED", "b__1:COMPLETED", "a__2:SCHEDULED"]);
    run.complete("a").complete("b").complete("a").complete("b").complete("after");
    expect([run.status, run.task("l").iteration]).toEqual(["COMPLETED", 3]);
  });

  test("inside a loop of a loop removes later rounds of both", () => {
    const run = simulate(aWorkflow().add(repeat("o", 2, [repeat("i", 2, [once("w")])]))).start();
    for (let round = 0; round < 4; round++) run.complete("w");
    run.rerun({ from: "w__1__2" });
    expect(run.list).toEqual(["o:IN_PROGRESS", "i__1:IN_PROGRESS", "w__1__1:COMPLETED", "w__1__2:SCHEDULED"]);
    expect(run.complete("w").complete("w").complete("w").status).toBe("COMPLETED");
  });

  test("from a dynamic fork expands it again", () => {
    const run = simulate(
      aWorkflow()
        .add(...dynamicFork("f", "${workflow.input.tasks}"))
        .once("after"),
    ).start({
      tasks: [once("a")],
    } as never);
    run.complete("a").complete("after");
    run.rerun({ from: "f", workflowInput: { tasks: [once("b"), once("c")] } as never });
    expect(run.list).toEqual(["f:COMPLETED", "b:SCHEDULED", "c:SCHEDULED", "f_join:IN_PROGRESS"]);
  });

  test("from a dynamic branch keeps the other branches", () => {
    const run = simulate(
      aWorkflow()
        .add(...dynamicFork("f", [once("a"), once("b")]))
        .once("after"),
    ).start();
    run.complete("a").complete("b").complete("after").rerun({ from: "a" });
    expect(run.list).toEqual(["f:COMPLETED", "a:SCHEDULED", "b:COMPLETED", "f_join:IN_PROGRESS"]);
    expect(run.complete("a").complete("after").status).toBe("COMPLETED");
  });

  test.each([
    ["its root", "s"],
    ["a task inside it", "x"],
  ])("from %s of a dynamic container keeps the other branches", (_what, from) => {
    const tree = switchOn("s", "v", { v: [once("x"), once("y")] });
    const run = simulate(aWorkflow().add(...dynamicFork("f", [once("a"), tree]))).start();
    run.complete("a").complete("x").complete("y").rerun({ from });
    expect(run.task("a").status).toBe("COMPLETED");
    expect(run.complete("x").complete("y").status).toBe("COMPLETED");
  });

  test("a fork inside a loop keeps the other branches of the same iteration", () => {
    const body = [fork("f", [once("a")], [once("b")]), join("j", ["a", "b"])];
    const run = simulate(aWorkflow().add(repeat("l", 1, body)))
      .start()
      .complete("a")
      .complete("b")
      .rerun({ from: "a" });
    expect(run.list).toEqual([
      "l:IN_PROGRESS",
      "f__1:COMPLETED",
      "a__1:SCHEDULED",
      "b__1:COMPLETED",
      "j__1:IN_PROGRESS",
    ]);
    expect(run.complete("a").status).toBe("COMPLETED");
  });

  test("from a SUB_WORKFLOW task starts a new child", () => {
    const run = simulate(aWorkflow().add(subWorkflow("s", "kid")), {
      workflows: [aWorkflow("kid").once("k").def],
    }).start();
    const first = run.child("s");
    first.complete("k");
    run.rerun({ from: "s" });
    expect(run.child("s").id).not.toBe(first.id);
    run.child("s").complete("k");
    expect(run.status).toBe("COMPLETED");
  });

  test("inside a child takes the parent's task up again, and removes nothing there", () => {
    const workflow = aWorkflow().add(subWorkflow("s", "kid")).once("after");
    const run = simulate(workflow, { workflows: [aWorkflow("kid").once("k").def] }).start();
    run.child("s").complete("k");
    run.complete("after");
    run.child("s").rerun({ from: "k" });
    expect(run.list).toEqual(["s:IN_PROGRESS", "after:COMPLETED"]);
    expect(run.logs("s")).toEqual([`Sub workflow ${run.child("s").id} reran.`]);
    run.child("s").complete("k");
    expect(run.status).toBe("COMPLETED");
  });

  test("a skipped task beside the way stays skipped", () => {
    const workflow = aWorkflow()
      .fork([once("a")], [once("b"), once("c")])
      .join("j", ["a", "c"]);
    const run = simulate(workflow).start().skip("c").fail("a").rerun({ from: "a" });
    run.complete("a").complete("b");
    expect(run.status).toBe("COMPLETED");
    expect(run.list).toContain("c:SKIPPED");
  });
});
