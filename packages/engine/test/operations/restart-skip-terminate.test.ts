import { describe, expect, test } from "vitest";
import { aWorkflow, dynamicFork, once, repeat, setVariable, subWorkflow } from "../builders.ts";
import { simulate } from "../simulate.ts";

describe("restart", () => {
  test("begins again under the same id with the same input, and nothing else is left", () => {
    const run = simulate(aWorkflow().once("a").once("b").output({ v: "${a.output.v}" })).start({ x: 1 });
    run.complete("a", { v: 1 }).fail("b").advance(5000).restart();
    expect([run.list, run.output, run.input]).toEqual([["a:SCHEDULED"], {}, { x: 1 }]);
    expect(run.head).toMatchObject({
      status: "RUNNING",
      createTime: run.world.now,
      endTime: 0,
      lastRetriedTime: 0,
      failedReferenceTaskNames: [],
      epoch: 1,
    });
    expect(run.head.reasonForIncompletion).toBeUndefined();
    expect(run.complete("a", { v: 2 }).complete("b").output).toEqual({ v: 2 });
  });

  test("numbers of old tasks are not used again, and late words about them change nothing", () => {
    const run = simulate(aWorkflow().once("a")).start().fail("a").restart();
    expect(run.task("a")).toMatchObject({ no: 2, seq: 1 });
    expect(() => run.result(1, { status: "COMPLETED", outputMode: "replace" })).toThrow("No such task found");
    expect(run.status).toBe("RUNNING");
  });

  test("of a running execution is refused", () => {
    const run = simulate(aWorkflow().once("a")).start();
    expect(() => run.restart()).toThrow(`Workflow: w.1/${run.id}.RUNNING is not in terminal state, unable to restart.`);
  });

  test("of a completed execution that is not restartable is refused, of a failed one it is not", () => {
    const simulation = simulate(aWorkflow().once("a").with({ restartable: false }));
    const completed = simulation.start().complete("a");
    expect(() => completed.restart()).toThrow(`Workflow: w.1/${completed.id}.COMPLETED is non-restartable`);
    expect(simulation.start().fail("a").restart().status).toBe("RUNNING");
  });

  test("with another definition runs that one", () => {
    const run = simulate(aWorkflow().once("a")).start().complete("a");
    const newer = run.world.register({ ...aWorkflow().once("z").def, version: 2 });
    run.send({ kind: "restart", defHash: newer.hash, workflowVersion: 2 });
    expect([run.list, run.head.workflowVersion]).toEqual([["z:SCHEDULED"], 2]);
  });

  test("in the same transition as the end that allowed it leaves nothing of the old tasks", () => {
    const run = simulate(aWorkflow().add(...dynamicFork("f", [once("a"), once("b")]))).start();
    run.sendTogether({ kind: "terminate" }, { kind: "restart" });
    expect(run.list).toEqual(["f:COMPLETED", "a:SCHEDULED", "b:SCHEDULED", "f_join:IN_PROGRESS"]);
    expect(run.complete("a").complete("b").status).toBe("COMPLETED");
  });
});

describe("skip", () => {
  const start = () => simulate(aWorkflow().once("a").once("b").once("c")).start();

  test("gives the task the input and output it is told", () => {
    const run = start().skip("b", { taskInput: { i: 1 }, taskOutput: { z: "skipped" } });
    expect(run.task("b")).toMatchObject({
      status: "SKIPPED",
      seq: 0,
      input: { i: 1 },
      output: { z: "skipped" },
      startTime: 0,
    });
  });

  test("of the last tasks lets the execution complete, with the output of the last that ran", () => {
    const run = start().skip("b").skip("c").complete("a", { v: 1 });
    expect([run.status, run.output]).toEqual(["COMPLETED", { v: 1 }]);
  });

  test("of one iteration jumps over it there only", () => {
    const run = simulate(aWorkflow().add(repeat("l", 2, [once("a"), once("b")])))
      .start()
      .skip("b__1")
      .complete("a");
    expect(run.task("a").referenceTaskName).toBe("a__2");
    expect(run.complete("a").complete("b__2").status).toBe("COMPLETED");
  });

  test.each([
    [
      "an unknown reference",
      "ghost",
      "The task referenced by ghost does not exist in the WorkflowDefinition w",
      "invalid",
    ],
    ["a task that is there", "a", "The task referenced a has already been processed, cannot be skipped", "conflict"],
  ])("of %s is refused", (_what, ref, message, code) => {
    expect(() => start().skip(ref)).toThrow(expect.objectContaining({ message, code }));
  });

  test("twice is refused, and so is one of an execution that is not running", () => {
    expect(() => start().skip("b").skip("b")).toThrow("has already been processed");
    const paused = start().pause();
    expect(() => paused.skip("b")).toThrow(
      `The workflow ${paused.id} is not running so the task referenced by b cannot be skipped`,
    );
  });
});

describe("terminate", () => {
  test("cancels what is open and keeps the reason", () => {
    const run = simulate(aWorkflow().once("a").output({ v: "${a.output.v}" }))
      .start()
      .terminate("enough");
    expect([run.status, run.reason, run.list, run.output]).toEqual([
      "TERMINATED",
      "enough",
      ["a:CANCELED"],
      { v: null },
    ]);
    expect(run.task("a")).toMatchObject({ startTime: 0, endTime: run.world.now });
    expect(run.stored.work.size).toBe(0);
  });

  test("of a completed execution is refused, of a terminated one does nothing", () => {
    const simulation = simulate(aWorkflow().once("a"));
    const completed = simulation.start().complete("a");
    expect(() => completed.terminate()).toThrow("Cannot terminate a COMPLETED workflow.");
    const terminated = simulation.start().terminate("first").terminate("second");
    expect(terminated.reason).toBe("first");
  });

  test("does not change a child that is over", () => {
    const run = simulate(aWorkflow().add(subWorkflow("s", "kid")), {
      workflows: [aWorkflow("kid").once("k").def],
    }).start();
    const child = run.child("s");
    child.fail("k", "own");
    expect(run.status).toBe("FAILED");
    run.terminate();
    expect([run.status, child.status]).toEqual(["TERMINATED", "FAILED"]);
  });
});

describe("reset callbacks", () => {
  test("offers delayed worker tasks at once", () => {
    const run = simulate(aWorkflow().once("a")).start().progress("a", { callbackAfterSeconds: 600 });
    run.send({ kind: "reset-callbacks" });
    expect(run.task("a").callbackAfterSeconds).toBe(0);
    expect(run.poll("a")).toBeDefined();
  });

  test("of an ended execution is refused", () => {
    const run = simulate(aWorkflow().once("a")).start().terminate();
    expect(() => run.send({ kind: "reset-callbacks" })).toThrow("Workflow is in terminal state. Status = TERMINATED");
  });
});

describe("variables set from outside", () => {
  test("are laid over those that are there", () => {
    const run = simulate(
      aWorkflow()
        .add(setVariable("v", { a: 1, b: 1 }))
        .once("w"),
    ).start();
    expect(run.send({ kind: "set-variables", variables: { b: 2 } }).variables).toEqual({ a: 1, b: 2 });
  });

  test("are refused when too large, or when it is over", () => {
    const run = simulate(aWorkflow().once("w"), { settings: { maxVariablesBytes: 1024 } }).start();
    expect(() => run.send({ kind: "set-variables", variables: { b: "x".repeat(2000) } })).toThrow("kilobytes");
    run.terminate();
    expect(() => run.send({ kind: "set-variables", variables: {} })).toThrow("terminal state");
  });

  test("a secret that is overwritten is no secret any more", () => {
    const workflow = aWorkflow()
      .add(setVariable("v", { key: "${workflow.secrets.KEY}" }))
      .once("w")
      .once("x", { inputParameters: { got: "${workflow.variables.key}" } });
    const run = simulate(workflow).start();
    run.send({ kind: "set-variables", variables: { key: "${workflow.secrets.KEY}" } }).complete("w");
    expect(run.task("x").secrets).toBeUndefined();
  });
});

describe("decide", () => {
  test("changes nothing when there is nothing to do", () => {
    const run = simulate(aWorkflow().once("a")).start();
    const { rev } = run.head;
    expect(run.decide().head.rev).toBe(rev);
  });

  test("several events in one transition are applied in order, each with its own refusal", () => {
    const run = simulate(aWorkflow().once("a").once("b")).start();
    const refusals = run.sendTogether({ kind: "resume" }, { kind: "pause" }, { kind: "resume" });
    expect(refusals.map((refusal) => refusal?.code)).toEqual(["conflict", undefined, undefined]);
    expect(run.head.rev).toBe(2);
  });

  test("an event for an execution that is not there is refused", () => {
    const { world } = simulate(aWorkflow().once("a"));
    expect(world.apply("nobody", [{ kind: "pause" }])[0]?.code).toBe("no-execution");
  });

  test("time never runs backwards for an execution", () => {
    const run = simulate(aWorkflow().once("a").once("b")).start().advance(5000).complete("a");
    run.world.now -= 60_000;
    run.complete("b");
    expect(run.task("b").endTime).toBeGreaterThanOrEqual(run.task("a").endTime);
  });
});
