import { describe, expect, test } from "vitest";
import { aWorkflow, entry, noop, once, subWorkflow, terminate } from "../builders.ts";
import { simulate } from "../simulate.ts";

const kid = aWorkflow("kid").once("k").output({ got: "${k.output.v}" }).def;
const start = (extra = {}, fields = {}) =>
  simulate(aWorkflow().add(subWorkflow("s", "kid", extra)), { workflows: [kid] }).start({}, fields);

describe("SUB_WORKFLOW", () => {
  test("starts a child and shows it", () => {
    const run = start({ inputParameters: { a: 1 } }, { correlationId: "c", taskToDomain: { k: "eu" } });
    expect(run.task("s")).toMatchObject({
      status: "IN_PROGRESS",
      pollCount: 1,
      input: { subWorkflowName: "kid", subWorkflowVersion: 1, workflowInput: { a: 1 }, subWorkflowDefinition: null },
      output: { subWorkflowId: run.child("s").id },
    });
    expect(run.child("s").input).toEqual({ a: 1 });
    expect(run.child("s").head).toMatchObject({
      parentWorkflowId: run.id,
      parentWorkflowTaskId: run.task("s").id,
      correlationId: "c",
      taskToDomain: { k: "eu" },
      priority: 0,
    });
  });

  test("ends with its child and merges its output", () => {
    const run = start();
    run.child("s").complete("k", { v: 1 });
    expect(run.task("s")).toMatchObject({ status: "COMPLETED", output: { got: 1, subWorkflowId: run.child("s").id } });
    expect(run.status).toBe("COMPLETED");
  });

  test("a failed child fails it, with the child's reason", () => {
    const run = start();
    run.child("s").fail("k", "bad");
    const child = run.child("s");
    expect(run.task("s").reasonForIncompletion).toBe(`Sub workflow kid.1/${child.id} failure reason: ${child.reason}`);
    expect([run.task("s").status, run.status]).toEqual(["FAILED", "FAILED"]);
  });

  test("a terminated child cancels it and terminates the parent", () => {
    const run = start();
    run.child("s").terminate("enough");
    expect([run.task("s").status, run.status]).toEqual(["CANCELED", "TERMINATED"]);
  });

  test("a child that timed out times it out", () => {
    const slow = { ...kid, name: "slow", timeoutSeconds: 5, timeoutPolicy: "TIME_OUT_WF" };
    const run = simulate(aWorkflow().add(subWorkflow("s", "slow")), { workflows: [slow] })
      .start()
      .advance(5000);
    expect([run.task("s").status, run.status]).toEqual(["TIMED_OUT", "TIMED_OUT"]);
  });

  test("a child that is over at its start ends it at once", () => {
    const instant = aWorkflow("instant").add(noop("n")).def;
    const run = simulate(aWorkflow().add(subWorkflow("s", "instant")), { workflows: [instant] }).start();
    expect(run.status).toBe("COMPLETED");
  });

  test("a retry of its own starts a new child", () => {
    const taskDefs = { s: { retryCount: 1, retryDelaySeconds: 0 } };
    const run = simulate(aWorkflow().add(subWorkflow("s", "kid")), { workflows: [kid], taskDefs }).start();
    const first = run.child("s");
    first.fail("k");
    expect(run.list).toEqual(["s:FAILED", "s:IN_PROGRESS"]);
    expect(run.child("s").id).not.toBe(first.id);
  });

  test("takes the parent's end to its child, with the reason", () => {
    const run = start().terminate("cascade");
    expect(run.child("s")).toMatchObject({
      status: "TERMINATED",
      reason: "Parent workflow has been terminated with reason: cascade",
    });
    const silent = start().terminate();
    expect(silent.child("s").reason).toBe("Parent workflow has been terminated with status TERMINATED");
  });

  test("a pause of the parent leaves the child alone, and its end waits for resume", () => {
    const run = start().pause();
    run.child("s").complete("k");
    expect([run.status, run.task("s").status]).toEqual(["PAUSED", "COMPLETED"]);
    expect(run.resume().status).toBe("COMPLETED");
  });

  test("an inline definition is used as it is, and the child knows", () => {
    const inline = aWorkflow("made_up").once("k").def;
    const run = simulate(
      aWorkflow().add(entry("SUB_WORKFLOW", "s", { subWorkflowParam: { workflowDefinition: inline } })),
    ).start();
    expect(run.child("s").head.workflowName).toBe("made_up");
    expect(run.child("s").input).toEqual({ _systemMetadata: { dynamic: true } });
  });

  test("a definition may come at run time", () => {
    const param = { name: "x", workflowDefinition: "${workflow.input.def}" };
    const run = simulate(aWorkflow().add(entry("SUB_WORKFLOW", "s", { subWorkflowParam: param }))).start({
      def: aWorkflow("late").once("k").def,
    } as never);
    expect(run.child("s").head.workflowName).toBe("late");
    const bad = simulate(aWorkflow().add(entry("SUB_WORKFLOW", "s", { subWorkflowParam: param }))).start({
      def: { tasks: 1 },
    });
    expect(bad.task("s").status).toBe("FAILED");
  });

  test("an unknown version fails the task", () => {
    const run = simulate(
      aWorkflow().add(entry("SUB_WORKFLOW", "s", { subWorkflowParam: { name: "kid", version: 9 } })),
      {
        workflows: [kid],
      },
    ).start();
    expect(run.task("s").reasonForIncompletion).toBe("No such workflow defined. name=kid, version=9");
  });

  test("version 0 is the latest, and a priority may be given", () => {
    const param = { name: "kid", version: 0, priority: "${workflow.input.p}" };
    const run = simulate(aWorkflow().add(entry("SUB_WORKFLOW", "s", { subWorkflowParam: param })), {
      workflows: [kid, { ...kid, version: 4 }],
    }).start({ p: 7 });
    expect(run.child("s").head).toMatchObject({ workflowVersion: 4, priority: 7 });
  });

  test("without parameters fails the execution", () => {
    const run = simulate(aWorkflow().add(entry("SUB_WORKFLOW", "s"))).start();
    expect(run.reason).toBe(
      "Task s is defined as sub-workflow and is missing subWorkflowParams. Please check the workflow definition",
    );
  });

  test("an end that is told twice counts once", () => {
    const run = start();
    const child = run.child("s");
    child.complete("k");
    const { rev } = run.head;
    run.send({
      kind: "child-ended",
      no: 1,
      childId: child.id,
      childName: "kid",
      childVersion: 1,
      status: "FAILED",
      output: run.stored.payload(0, "output"),
    });
    expect([run.status, run.head.rev]).toEqual(["COMPLETED", rev]);
  });
});

describe("START_WORKFLOW", () => {
  const starting = (startWorkflow: unknown) =>
    simulate(aWorkflow().add(entry("START_WORKFLOW", "s", { inputParameters: { startWorkflow } })), {
      workflows: [kid],
    });

  test("starts an execution and does not wait for it", () => {
    const run = starting({ name: "kid", input: { a: 1 } }).start({}, { correlationId: "c" });
    expect(run.status).toBe("COMPLETED");
    expect(run.child("s").head.parentWorkflowId).toBeUndefined();
    expect(run.child("s").head.correlationId).toBe("c");
    expect(run.child("s").input).toEqual({ a: 1 });
  });

  test.each([
    ["nothing", null, "Missing 'startWorkflow' in input data."],
    ["no name", { input: {} }, "startWorkflow validation failed. 'name' -> Workflow name cannot be null or empty. "],
    ["an unknown name", { name: "ghost" }, "No such workflow defined. name=ghost, version=null"],
  ])("fails with %s", (_what, request, reason) => {
    const run = starting(request).start();
    expect(run.task("s")).toMatchObject({ status: "FAILED", reasonForIncompletion: reason });
  });

  test("fails with something that is no request", () => {
    const run = starting({ name: ["x"] }).start();
    expect(run.task("s").reasonForIncompletion).toMatch(/^Error reading StartWorkflowRequest\. /);
  });
});

describe("TERMINATE", () => {
  test.each([
    ["COMPLETED", "COMPLETED"],
    ["FAILED", "FAILED"],
    ["TERMINATED", "TERMINATED"],
  ])("with %s ends the execution so, with its output and its own reason", (given, status) => {
    const run = simulate(
      aWorkflow()
        .add(terminate("t", given, { workflowOutput: { a: 1 } }))
        .once("never"),
    ).start();
    expect([run.status, run.output]).toEqual([status, { a: 1 }]);
    expect(run.reason).toBe(`Workflow is ${given} by TERMINATE task: ${run.task("t").id}`);
    expect(run.list).toEqual(["t:COMPLETED"]);
  });

  test("wraps an output that is no map, and shows none as empty", () => {
    expect(simulate(aWorkflow().add(terminate("t", "COMPLETED", { workflowOutput: 5 }))).start().output).toEqual({
      output: 5,
    });
    expect(simulate(aWorkflow().add(terminate("t", "COMPLETED"))).start().output).toEqual({});
  });

  test("with anything else fails", () => {
    const run = simulate(aWorkflow().add(terminate("t", "completed"))).start();
    expect(run.task("t")).toMatchObject({
      status: "FAILED",
      reasonForIncompletion: "given termination status is not valid",
    });
  });

  test("ends the execution again when it is retried beside cancelled tasks", () => {
    const workflow = aWorkflow()
      .fork([terminate("t", "FAILED")], [once("a")])
      .join("j", ["a"]);
    const run = simulate(workflow).start();
    expect(run.retry().status).toBe("FAILED");
    expect(run.stored.work.size).toBe(0);
  });
});

describe("the failure workflow", () => {
  const handler = aWorkflow("handler").once("h").def;
  const failing = (fields: Record<string, unknown>) =>
    simulate(aWorkflow().once("w").with(fields), { workflows: [handler] }).start(
      { k: "v", which: "handler" },
      { correlationId: "c" },
    );

  test("runs with the failed execution's input and why it failed", () => {
    const run = failing({ failureWorkflow: "handler" }).fail("w", "bad");
    const id = (run.output as Record<string, string>)["conductor.failure_workflow"] ?? "";
    expect((run.output as Record<string, string>)["service.failure_workflow"]).toBe(id);
    expect(run.execution(id).input).toMatchObject({
      k: "v",
      workflowId: run.id,
      reason: run.reason,
      failureStatus: "FAILED",
      failureTaskId: run.task("w").id,
    });
    expect(run.execution(id).head).toMatchObject({ correlationId: "c" });
    expect(run.execution(id).head.parentWorkflowId).toBeUndefined();
  });

  test.each(["$workflow.input.which", "${workflow.input.which}"])("may be named by %s", (failureWorkflow) => {
    const run = failing({ failureWorkflow }).fail("w");
    expect(Object.keys(run.output as object)).toContain("conductor.failure_workflow");
  });

  test("that is unknown is noted", () => {
    const run = failing({ failureWorkflow: "ghost" }).fail("w");
    expect((run.output as Record<string, string>)["conductor.failure_workflow"]).toBe(
      "Error workflow ghost failed to start.  reason: No such workflow defined. name=ghost, version=null",
    );
  });

  test("does not run when a user terminates, unless asked to", () => {
    expect(failing({ failureWorkflow: "handler" }).terminate().output).toEqual({});
    const run = failing({ failureWorkflow: "handler" }).terminate("no", { triggerFailureWorkflow: true });
    expect(Object.keys(run.output as object)).toContain("conductor.failure_workflow");
  });

  test("runs on a timeout, and when a TERMINATE task says FAILED", () => {
    const timed = failing({ failureWorkflow: "handler", timeoutSeconds: 5, timeoutPolicy: "TIME_OUT_WF" }).advance(
      5000,
    );
    expect(Object.keys(timed.output as object)).toContain("conductor.failure_workflow");
    const workflow = aWorkflow().add(terminate("t", "FAILED")).with({ failureWorkflow: "handler" });
    const ended = simulate(workflow, { workflows: [handler] }).start();
    expect(Object.keys(ended.output as object)).toContain("conductor.failure_workflow");
  });
});
