import { describe, expect, test } from "vitest";
import { aWorkflow, dynamicFork, join, once, repeat, subWorkflow, wait } from "../builders.ts";
import { simulate } from "../simulate.ts";

describe("retry", () => {
  test("of a running execution is refused with the reference's text", () => {
    const run = simulate(aWorkflow().once("a")).start();
    expect(() => run.retry()).toThrow("Workflow is still running.  status=RUNNING");
  });

  test("with nothing to retry is refused", () => {
    const run = simulate(aWorkflow().once("a")).start().complete("a");
    expect(() => run.retry()).toThrow(
      "There are no retryable tasks! Use restart if you want to attempt entire workflow execution again.",
    );
  });

  test("makes a fresh attempt whatever the retry limit says, without the old reason", () => {
    const run = simulate(aWorkflow().once("a")).start().fail("a", "bad").retry();
    expect(run.tasks[0]).toMatchObject({ retried: true, executed: true });
    expect(run.tasks[1]).toMatchObject({ status: "SCHEDULED", retryCount: 1, retriedTaskNo: 1 });
    expect(run.tasks[1]?.reasonForIncompletion).toBeUndefined();
    expect(run.reason).toBeUndefined();
    expect(run.complete("a").status).toBe("COMPLETED");
  });

  test("resolves the input again", () => {
    const workflow = aWorkflow()
      .once("a", { inputParameters: { v: "${workflow.variables.v}" } })
      .with({ variables: { v: 1 } });
    const run = simulate(workflow).start();
    run
      .send({ kind: "set-variables", variables: { v: 2 } })
      .fail("a")
      .retry();
    expect(run.task("a").input).toEqual({ v: 2 });
  });

  test("of a permissive failure does not run what followed a second time", () => {
    const run = simulate(aWorkflow().once("a", { permissive: true }).once("b"))
      .start()
      .fail("a")
      .complete("b");
    expect(run.status).toBe("FAILED");
    run.retry().complete("a");
    expect(run.list).toEqual(["a:FAILED", "b:COMPLETED", "a:COMPLETED"]);
    expect(run.status).toBe("COMPLETED");
  });

  test("of a permissive failure under a failed join reopens the join", () => {
    const workflow = aWorkflow()
      .fork([once("a", { permissive: true })], [once("b")])
      .join("j", ["a", "b"]);
    const run = simulate(workflow).start().fail("a").complete("b").retry();
    expect(run.task("j")).toMatchObject({ status: "IN_PROGRESS", retryCount: 1 });
    expect(run.complete("a").status).toBe("COMPLETED");
  });

  test("takes up every cancelled branch, tasks in loops and waits too", () => {
    const workflow = aWorkflow()
      .fork([once("a")], [repeat("l", 2, [once("w")])], [wait("z", { duration: "10s" })])
      .join("j", ["a", "l", "z"]);
    const run = simulate(workflow).start().complete("w").fail("a").advance(60_000).retry();
    expect(run.complete("a").complete("w").status).toBe("RUNNING");
    expect(run.advance(10_000).status).toBe("COMPLETED");
  });

  test("of a dynamic branch reports to the same join", () => {
    const run = simulate(aWorkflow().add(...dynamicFork("f", [once("a"), once("b")])))
      .start()
      .fail("a")
      .retry();
    run.complete("a", { v: 1 }).complete("b", { v: 2 });
    expect(run.task("f_join")).toMatchObject({ status: "COMPLETED", output: { a: { v: 1 }, b: { v: 2 } } });
  });

  test("of an execution terminated while paused follows up what had ended", () => {
    const run = simulate(
      aWorkflow()
        .fork([once("a"), once("a2")], [once("b")])
        .join("j", ["a2", "b"]),
    ).start();
    run.pause().complete("a").terminate().retry();
    expect(run.list.slice(-2).sort()).toEqual(["a2:SCHEDULED", "b:SCHEDULED"]);
  });

  test("evaluates a loop's broken condition again", () => {
    let isBroken = true;
    const loop = repeat("l", 1, [once("w")]);
    const run = simulate(aWorkflow().add(loop), {
      evaluateScript: () => (isBroken ? { kind: "error", message: "no" } : { kind: "value", text: "false" }),
    }).start();
    run.complete("w");
    expect(run.status).toBe("FAILED");
    isBroken = false;
    expect(run.retry().status).toBe("COMPLETED");
  });
});

describe("a tree of three that failed at its leaf", () => {
  const leaf = aWorkflow("leaf").once("k").def;
  const mid = aWorkflow("mid").add(subWorkflow("m", "leaf")).def;
  const failed = () => {
    const root = simulate(aWorkflow("root").add(subWorkflow("r", "mid")), { workflows: [leaf, mid] }).start();
    const tree = { root, mid: root.child("r"), leaf: root.child("r").child("m") };
    tree.leaf.fail("k");
    expect([root.status, tree.mid.status, tree.leaf.status]).toEqual(["FAILED", "FAILED", "FAILED"]);
    return tree;
  };
  const statuses = (tree: ReturnType<typeof failed>) => [tree.root.status, tree.mid.status, tree.leaf.status];

  test.each([
    ["retry", "retry"],
    ["restart", "restart"],
    ["rerun", "rerun"],
  ] as const)("%s on the root starts new children", (_name, operation) => {
    const tree = failed();
    tree.root[operation]();
    expect(tree.root.child("r").id).not.toBe(tree.mid.id);
    tree.root.child("r").child("m").complete("k");
    expect(tree.root.status).toBe("COMPLETED");
  });

  test("retry on the middle starts a new leaf and revives the root", () => {
    const tree = failed();
    tree.mid.retry();
    expect(tree.root.child("r").id).toBe(tree.mid.id);
    expect(tree.mid.child("m").id).not.toBe(tree.leaf.id);
    expect(tree.root.logs("r")).toEqual([`Sub workflow ${tree.mid.id} retried.`]);
    tree.mid.child("m").complete("k");
    expect(tree.root.status).toBe("COMPLETED");
  });

  test.each([
    ["retry of the leaf", (tree: ReturnType<typeof failed>) => tree.leaf.retry()],
    ["rerun of the leaf", (tree: ReturnType<typeof failed>) => tree.leaf.rerun({ from: "k" })],
    ["restart of the leaf", (tree: ReturnType<typeof failed>) => tree.leaf.restart()],
    ["deep retry of the root", (tree: ReturnType<typeof failed>) => tree.root.retry({ resumeSubworkflowTasks: true })],
    ["deep retry of the middle", (tree: ReturnType<typeof failed>) => tree.mid.retry({ resumeSubworkflowTasks: true })],
  ])("%s goes on with the same leaf", (_name, operate) => {
    const tree = failed();
    operate(tree);
    expect(statuses(tree)).toEqual(["RUNNING", "RUNNING", "RUNNING"]);
    expect(tree.mid.child("m").id).toBe(tree.leaf.id);
    tree.leaf.complete("k");
    expect(statuses(tree)).toEqual(["COMPLETED", "COMPLETED", "COMPLETED"]);
  });

  test("the logs name the way from the leaf up", () => {
    const tree = failed();
    tree.leaf.retry();
    expect(tree.mid.logs("m")).toEqual([`Sub workflow ${tree.leaf.id} retried.`]);
    expect(tree.root.logs("r")).toEqual([`Sub workflow ${tree.mid.id} -> ${tree.leaf.id} retried.`]);
  });

  test("an end of the leaf that arrives before its revival does not matter", () => {
    const tree = failed();
    tree.leaf.retry().fail("k");
    expect(statuses(tree)).toEqual(["FAILED", "FAILED", "FAILED"]);
    tree.leaf.retry().complete("k");
    expect(statuses(tree)).toEqual(["COMPLETED", "COMPLETED", "COMPLETED"]);
  });
});

describe("a parent that is revived by one child", () => {
  const kid = aWorkflow("kid").once("k").def;
  const siblings = (extra = {}) =>
    simulate(
      aWorkflow()
        .fork([subWorkflow("s1", "kid", extra)], [subWorkflow("s2", "kid")], [once("w")])
        .add(join("j", ["s1", "s2", "w"])),
      { workflows: [kid] },
    ).start();

  test("takes its other children and its cancelled tasks along", () => {
    const run = siblings();
    run.child("s1").fail("k");
    expect(run.list).toEqual(["fork:COMPLETED", "s1:FAILED", "s2:CANCELED", "w:CANCELED", "j:CANCELED"]);
    run.child("s1").retry();
    expect(run.list).toEqual(["fork:COMPLETED", "s1:IN_PROGRESS", "s2:IN_PROGRESS", "w:SCHEDULED", "j:IN_PROGRESS"]);
    expect([run.child("s1").status, run.child("s2").status]).toEqual(["RUNNING", "RUNNING"]);
    expect(run.task("w").retryCount).toBe(1);
    run.child("s1").complete("k");
    run.child("s2").complete("k");
    expect(run.complete("w").status).toBe("COMPLETED");
  });

  test("does not wait for a sibling that had completed while the parent was ending", () => {
    const run = siblings();
    const [s1, s2] = [run.child("s1"), run.child("s2")];
    run.world.apply(s2.id, [{ kind: "task-result", no: 1, result: { status: "COMPLETED", outputMode: "replace" } }]);
    run.world.outbox.length = 0; // the word of s2 comes when the parent is over: it is ignored
    s1.fail("k");
    expect([run.status, s2.status]).toEqual(["FAILED", "COMPLETED"]);
    s1.retry().complete("k");
    expect(run.task("s2").status).toBe("COMPLETED");
    expect(run.complete("w").status).toBe("COMPLETED");
  });

  test("a child of an optional task does not revive it", () => {
    const run = siblings({ optional: true });
    run.child("s1").fail("k");
    expect(run.task("s1").status).toBe("COMPLETED_WITH_ERRORS");
    run.child("s1").retry();
    expect(run.task("s1").status).toBe("COMPLETED_WITH_ERRORS");
  });

  test("a child of a permissive task is waited for again, and what followed is not run twice", () => {
    const workflow = aWorkflow()
      .add(subWorkflow("s", "kid", { permissive: true }))
      .once("after");
    const run = simulate(workflow, { workflows: [kid] }).start();
    run.child("s").fail("k");
    expect(run.list).toEqual(["s:FAILED", "after:SCHEDULED"]);
    run.child("s").retry().complete("k");
    expect(run.list).toEqual(["s:COMPLETED", "after:SCHEDULED"]);
    expect(run.complete("after").status).toBe("COMPLETED");
  });

  test("a child that is restarted inside a loop that is over reopens the loop", () => {
    const run = simulate(
      aWorkflow()
        .add(repeat("l", 1, [subWorkflow("s", "kid")]))
        .once("after"),
      { workflows: [kid] },
    ).start();
    const child = run.child("s");
    child.complete("k");
    run.complete("after");
    child.restart();
    expect(run.list).toEqual(["l:IN_PROGRESS", "s__1:IN_PROGRESS", "after:COMPLETED"]);
    child.complete("k");
    expect(run.status).toBe("COMPLETED");
  });
});
