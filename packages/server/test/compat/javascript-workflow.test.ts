import { Consistency, ReturnStrategy, TaskResultStatusEnum } from "@io-orkes/conductor-javascript";
import { describe, expect, test } from "vitest";
import type { Json } from "../support/client.ts";
import { aName, aTask, aWorkflow, entry, simple } from "../support/definitions.ts";
import { useSdk } from "./javascript-sdk.ts";

const sdk = useSdk();
const client = () => sdk.clients.getWorkflowClient();

/** A definition that no other test uses; gives its name. */
async function defined(tasks: readonly Json[], more: Json = {}): Promise<string> {
  const name = aName("js_wf");
  await sdk.plain.register(aWorkflow(name, tasks, more));
  return name;
}

const instant = (ref: string, values: Json): Json => entry("SET_VARIABLE", ref, { inputParameters: values });

describe("WorkflowExecutor of the JavaScript SDK: starting", () => {
  test("registers a definition and starts executions of it", async () => {
    const name = aName("js_register");
    const tasks = [{ name: "w", taskReferenceName: "w", type: "WAIT" }];
    await client().registerWorkflow(true, { name, version: 3, tasks, timeoutSeconds: 0 });
    const id = await client().startWorkflow({ name, input: { k: 1 }, correlationId: "c", priority: 4 });
    expect(await client().getExecution(id)).toMatchObject({
      workflowName: name,
      workflowVersion: 3,
      input: { k: 1 },
      correlationId: "c",
      priority: 4,
    });
    expect((await client().getExecution(id, false)).tasks).toEqual([]);
  });

  test("starts many at once", async () => {
    const name = await defined([entry("WAIT", "w")]);
    const ids = await Promise.all(
      client().startWorkflows([
        { name, input: { n: 0 } },
        { name, input: { n: 1 } },
      ]),
    );
    const inputs = await Promise.all(ids.map(async (id) => (await client().getWorkflow(id, false)).input));
    expect(inputs).toEqual([{ n: 0 }, { n: 1 }]);
  });

  test("starts by name", async () => {
    const name = await defined([entry("WAIT", "w")]);
    const id = await client().startWorkflowByName(name, { k: 1 }, 1, "corr", 5);
    expect(await client().getExecution(id)).toMatchObject({ correlationId: "corr", priority: 5, input: { k: 1 } });
  });

  test("says what is missing in the server's words", async () => {
    await expect(client().startWorkflow({ name: "js_nobody" })).rejects.toThrow(/No such workflow defined/);
    await expect(client().getWorkflow("00000000-0000-7000-8000-000000000000", true)).rejects.toThrow(
      /No such workflow found by id/,
    );
  });

  test("executes and is given the result", async () => {
    const name = await defined([instant("set", { x: "${workflow.input.x}" })], {
      outputParameters: { x: "${workflow.variables.x}" },
    });
    const run = await client().executeWorkflow({ name, version: 1, input: { x: 7 } }, name, 1, "my-request");
    expect(run).toMatchObject({ status: "COMPLETED", output: { x: 7 }, requestId: "my-request" });
    expect(run.workflowId).toEqual(expect.any(String));
  });

  test("executes until a task has ended", async () => {
    const name = await defined([instant("set", { x: 1 }), simple("js_nobody_polls")]);
    const run = await client().executeWorkflow({ name, version: 1, input: {} }, name, 1, "r", "set");
    expect(run).toMatchObject({ status: "RUNNING", variables: { x: 1 } });
  });

  test("executes with every return strategy", async () => {
    const child = await defined([entry("WAIT", "inner", { inputParameters: {} })]);
    const name = await defined([entry("SUB_WORKFLOW", "sub", { subWorkflowParam: { name: child, version: 1 } })]);
    const run = (strategy: ReturnStrategy) =>
      client().executeWorkflow({ name, input: {} }, name, 1, "r", "", 5, Consistency.DURABLE, strategy);
    const target = await run(ReturnStrategy.TARGET_WORKFLOW);
    expect(target.isTargetWorkflow()).toBe(true);
    expect(target.getWorkflow()).toMatchObject({ workflowId: target.targetWorkflowId, status: "RUNNING" });
    const blocking = await run(ReturnStrategy.BLOCKING_WORKFLOW);
    expect(blocking.isBlockingWorkflow()).toBe(true);
    expect(blocking.getWorkflow().workflowId).not.toBe(blocking.getTargetWorkflowId());
    const task = await run(ReturnStrategy.BLOCKING_TASK);
    expect(task.isBlockingTask()).toBe(true);
    expect(task.getBlockingTask()).toMatchObject({ taskType: "WAIT", status: "IN_PROGRESS" });
    const input = await run(ReturnStrategy.BLOCKING_TASK_INPUT);
    expect(input.isBlockingTaskInput()).toBe(true);
    expect(input.getTaskInput()).toEqual(expect.any(Object));
  });
});

describe("WorkflowExecutor of the JavaScript SDK: looking", () => {
  test("reads executions and their status", async () => {
    const name = await defined([instant("set", { x: 1 }), entry("WAIT", "w")]);
    const id = await client().startWorkflow({ name });
    const execution = await client().getWorkflow(id, true);
    expect(execution.tasks?.map((task) => task.referenceTaskName)).toEqual(["set", "w"]);
    expect(await client().getWorkflowStatus(id, true, true)).toMatchObject({
      workflowId: id,
      status: "RUNNING",
      variables: { x: 1 },
    });
    expect(await client().getTask(execution.tasks?.[1]?.taskId ?? "")).toMatchObject({ referenceTaskName: "w" });
  });

  test("searches", async () => {
    const name = await defined([entry("WAIT", "w")]);
    const ids = await Promise.all(client().startWorkflows([{ name }, { name }]));
    const page = await client().search(0, 10, `workflowType='${name}' AND status='RUNNING'`, "*");
    expect(page.totalHits).toBe(2);
    expect(page.results?.map(({ workflowId }) => workflowId)).toEqual(expect.arrayContaining(ids));
    const first = await client().search(0, 1, `workflowType='${name}'`, "*", "startTime:ASC", true);
    expect(first).toMatchObject({ totalHits: 2, results: [{ workflowType: name }] });
  });

  test("finds executions by correlation ids", async () => {
    const name = await defined([entry("WAIT", "w")]);
    const open = await client().startWorkflow({ name, correlationId: `${name}_a` });
    const closed = await client().startWorkflow({ name, correlationId: `${name}_b` });
    await client().terminate(closed, "over");
    const request = { correlationIds: [`${name}_a`, `${name}_b`], workflowNames: [name] };
    const running = await client().getByCorrelationIds(request);
    expect(running[`${name}_a`]).toMatchObject([{ workflowId: open }]);
    expect(running[`${name}_b`] ?? []).toEqual([]);
    const all = await client().getByCorrelationIds(request, true, true);
    expect(all[`${name}_b`]).toMatchObject([{ workflowId: closed, tasks: [{ referenceTaskName: "w" }] }]);
  });

  test("tries a definition out with made-up task results", async () => {
    const name = await defined([simple("js_mocked", "t")], { outputParameters: { y: "${t.output.y}" } });
    const run = await client().testWorkflow({
      name,
      version: 1,
      input: {},
      taskRefToMockOutput: { t: [{ status: "COMPLETED", output: { y: 2 } }] },
    });
    expect(run).toMatchObject({ status: "COMPLETED", output: { y: 2 } });
  });
});

describe("WorkflowExecutor of the JavaScript SDK: operating", () => {
  test("pauses and resumes", async () => {
    const id = await client().startWorkflow({ name: await defined([entry("WAIT", "w")]) });
    await client().pause(id);
    expect(await client().getWorkflowStatus(id, false, false)).toMatchObject({ status: "PAUSED" });
    await client().resume(id);
    expect(await client().getWorkflowStatus(id, false, false)).toMatchObject({ status: "RUNNING" });
  });

  test("retries, restarts and removes", async () => {
    const name = await defined([simple("js_op", "a")]);
    await sdk.plain.registerTasks(aTask("js_op"));
    const id = await client().startWorkflow({ name });
    await client().updateTaskByRefName("a", id, "FAILED", { why: "test" });
    expect(await sdk.ended(id)).toMatchObject({ status: "FAILED" });
    await client().retry(id, false);
    const retried = (await client().getWorkflow(id, true)).tasks?.find((task) => task.status === "SCHEDULED");
    expect(retried).toMatchObject({ retryCount: 1 });
    expect(await client().updateTask(retried?.taskId ?? "", id, "COMPLETED", { r: 1 })).toBe(retried?.taskId);
    expect(await sdk.ended(id)).toMatchObject({ status: "COMPLETED", output: { r: 1 } });
    await client().restart(id, false);
    expect(await client().getWorkflow(id, true)).toMatchObject({ status: "RUNNING", tasks: [{ status: "SCHEDULED" }] });
    await client().terminate(id, "enough");
    await client().deleteWorkflow(id, false);
    await expect(client().getExecution(id)).rejects.toThrow(/No such workflow found by id/);
  });

  test("restarts with the latest definition", async () => {
    const name = await defined([instant("set", { x: 1 })], { outputParameters: { x: "old" } });
    const id = await client().startWorkflow({ name });
    await sdk.plain.register(aWorkflow(name, [instant("set", { x: 1 })], { outputParameters: { x: "new" } }));
    await client().restart(id, true);
    expect(await sdk.ended(id)).toMatchObject({ output: { x: "new" } });
  });

  test("terminates with a reason", async () => {
    const id = await client().startWorkflow({ name: await defined([entry("WAIT", "w")]) });
    await client().terminate(id, "enough");
    expect(await client().getWorkflow(id, false)).toMatchObject({
      status: "TERMINATED",
      reasonForIncompletion: "enough",
    });
  });

  test("skips a task", async () => {
    const name = await defined([entry("WAIT", "w"), simple("js_skipped", "b")]);
    const id = await client().startWorkflow({ name });
    await client().skipTasksFromWorkflow(id, "b", { taskOutput: { skipped: true } });
    await client().updateTaskByRefName("w", id, "COMPLETED", {});
    const execution = await sdk.ended(id);
    expect(execution.status).toBe("COMPLETED");
    expect(execution.tasks?.find((task) => task.referenceTaskName === "b")).toMatchObject({
      status: "SKIPPED",
      outputData: { skipped: true },
    });
  });

  test("reruns from the start with another input", async () => {
    const id = await client().startWorkflow({ name: await defined([entry("WAIT", "w")]), input: { k: 1 } });
    await client().terminate(id, "enough");
    expect(await client().reRun(id, { workflowInput: { k: 2 } })).toBe(id);
    expect(await client().getExecution(id)).toMatchObject({ status: "RUNNING", input: { k: 2 } });
  });

  test("goes back to a task, by a predicate and by its type", async () => {
    const name = await defined([entry("WAIT", "first"), entry("WAIT", "second")]);
    const openRefs = async (id: string) =>
      (await client().getExecution(id)).tasks
        ?.filter((task) => task.status === "IN_PROGRESS")
        .map((task) => task.referenceTaskName);
    const id = await client().startWorkflow({ name });
    await client().updateTaskByRefName("first", id, "COMPLETED", {});
    await client().updateTaskByRefName("second", id, "COMPLETED", {});
    expect(await sdk.ended(id)).toMatchObject({ status: "COMPLETED" });
    await client().goBackToTask(id, (task) => task.referenceTaskName === "first");
    expect(await openRefs(id)).toEqual(["first"]);
    await client().updateTaskByRefName("first", id, "COMPLETED", {});
    await client().updateTaskByRefName("second", id, "COMPLETED", {});
    expect(await sdk.ended(id)).toMatchObject({ status: "COMPLETED" });
    await client().goBackToFirstTaskMatchingType(id, "WAIT");
    expect(await openRefs(id)).toEqual(["second"]);
  });

  test("sets variables", async () => {
    const id = await client().startWorkflow({ name: await defined([instant("set", { x: 1 }), entry("WAIT", "w")]) });
    expect(await client().updateVariables(id, { y: 2 })).toMatchObject({ workflowId: id, variables: { x: 1, y: 2 } });
  });

  test("sets variables and ends a task in one call", async () => {
    const name = await defined([entry("WAIT", "w"), simple("js_nobody_polls", "next")]);
    const id = await client().startWorkflow({ name });
    const update = {
      taskReferenceName: "w",
      taskResult: { workflowInstanceId: id, taskId: "", status: "COMPLETED" as const, outputData: { a: 1 } },
      variables: { y: 2 },
    };
    const run = await client().updateState(id, update, "my-request", "w", 5);
    expect(run).toMatchObject({ workflowId: id, status: "RUNNING", variables: { y: 2 }, requestId: "my-request" });
    expect(run.tasks?.map((task) => [task.referenceTaskName, task.status])).toEqual([
      ["w", "COMPLETED"],
      ["next", "SCHEDULED"],
    ]);
  });

  test("ends a task by reference name and is given the execution", async () => {
    const id = await client().startWorkflow({ name: await defined([entry("WAIT", "w")]) });
    const workflow = await client().updateTaskSync("w", id, TaskResultStatusEnum.COMPLETED, { a: 1 }, "me");
    // The SDK sends the output inside a map of its own.
    expect(workflow).toMatchObject({ workflowId: id, status: "COMPLETED", output: { taskOutput: { a: 1 } } });
  });

  test("signals the task an execution waits at", async () => {
    const name = await defined([entry("WAIT", "first"), entry("WAIT", "second"), entry("WAIT", "third")]);
    const id = await client().startWorkflow({ name });
    const answer = await client().signal(id, TaskResultStatusEnum.COMPLETED, { a: 1 }, ReturnStrategy.BLOCKING_TASK);
    expect(answer.isBlockingTask()).toBe(true);
    expect(answer.getBlockingTask()).toMatchObject({ referenceTaskName: "second", status: "IN_PROGRESS" });
    await client().signalAsync(id, TaskResultStatusEnum.COMPLETED, { a: 2 });
    const last = await client().signal(id, TaskResultStatusEnum.COMPLETED, { a: 3 });
    expect(last.isTargetWorkflow()).toBe(true);
    expect(last.isTerminal()).toBe(true);
    const execution = await sdk.ended(id);
    // The SDK sends the output inside a map of its own.
    expect(execution.tasks?.map((task) => task.outputData)).toMatchObject(
      [1, 2, 3].map((a) => ({ taskOutput: { a } })),
    );
  });
});
