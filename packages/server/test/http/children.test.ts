import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, eventually, type Json } from "../support/client.ts";
import { aName, aTask, aWorkflow, entry, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let client: Client;
beforeAll(async () => {
  server = await startServer();
  client = server.client;
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

/** A parent whose only task is a child, whose only task is a worker's. */
async function aFamily(more: Json = {}): Promise<{ parent: string; child: string; work: string }> {
  const child = aName("child");
  const parent = aName("parent");
  const work = `${child}_work`;
  await client.registerTasks(aTask(work));
  await client.register(
    aWorkflow(child, [simple(work, "t")], { outputParameters: { r: "${t.output.r}", in: "${workflow.input.k}" } }),
    aWorkflow(parent, [
      entry("SUB_WORKFLOW", "sub", {
        subWorkflowParam: { name: child, version: 1 },
        inputParameters: { k: "${workflow.input.k}" },
        ...more,
      }),
    ]),
  );
  return { parent, child, work };
}

const childOf = (id: string): Promise<string> =>
  eventually(async () => {
    const childId = (await client.execution(id)).tasks[0]?.subWorkflowId;
    return childId !== undefined && (await client.get(`/workflow/${childId}`)).status === 200 ? childId : undefined;
  });

describe("a sub-workflow", () => {
  test("runs with its input, and its output is the task's", async () => {
    const { parent, child, work } = await aFamily();
    const id = await client.start(parent, { k: 5 }, { correlationId: "c", priority: 4 });
    const task = await client.take(work);
    const childId = task.workflowInstanceId;
    const [sub] = (await client.execution(id)).tasks;
    expect(sub).toMatchObject({ taskType: "SUB_WORKFLOW", status: "IN_PROGRESS", subWorkflowId: childId });
    expect(await client.execution(childId)).toMatchObject({
      workflowName: child,
      parentWorkflowId: id,
      parentWorkflowTaskId: sub?.taskId,
      input: { k: 5 },
      correlationId: "c",
    });
    await client.complete(task, { r: 1 });
    expect(await client.ended(id)).toMatchObject({
      status: "COMPLETED",
      output: { r: 1, in: 5 },
      tasks: [{ status: "COMPLETED", outputData: { r: 1, in: 5, subWorkflowId: childId } }],
    });
  });

  test("that fails, fails its parent", async () => {
    const { parent, work } = await aFamily();
    const id = await client.start(parent);
    await client.fail(await client.take(work), "broken");
    const execution = await client.ended(id);
    expect(execution).toMatchObject({ status: "FAILED", tasks: [{ status: "FAILED" }] });
    expect(execution.reasonForIncompletion).toContain("broken");
  });

  test("that fails lets its parent go on when it is optional", async () => {
    const { parent, work } = await aFamily({ optional: true });
    const id = await client.start(parent);
    await client.fail(await client.take(work));
    expect(await client.ended(id)).toMatchObject({
      status: "COMPLETED",
      tasks: [{ status: "COMPLETED_WITH_ERRORS" }],
    });
  });

  test("is terminated with its parent", async () => {
    const { parent, work } = await aFamily();
    const id = await client.start(parent);
    const childId = await childOf(id);
    await client.delete(`/workflow/${id}?reason=stop`);
    expect(await client.ended(childId)).toMatchObject({ status: "TERMINATED" });
    expect(await client.poll(work)).toEqual([]);
  });

  test("that is retried brings its failed parent back to life", async () => {
    const { parent, work } = await aFamily();
    const id = await client.start(parent);
    const task = await client.take(work);
    await client.fail(task);
    await client.ended(id);
    await client.post(`/workflow/${task.workflowInstanceId}/retry`);
    await client.complete(await client.take(work), { r: 2 });
    expect(await client.ended(task.workflowInstanceId)).toMatchObject({ status: "COMPLETED" });
    expect(await client.until(id, ({ status }) => status === "COMPLETED")).toMatchObject({ output: { r: 2 } });
  });

  test("goes on in place when its parent is retried with its sub-workflows", async () => {
    const { parent, work } = await aFamily();
    const id = await client.start(parent);
    const task = await client.take(work);
    await client.fail(task);
    await client.ended(id);
    expect((await client.post(`/workflow/${id}/retry?resumeSubworkflowTasks=true`)).status).toBe(200);
    const again = await client.take(work);
    expect(again.workflowInstanceId).toBe(task.workflowInstanceId);
    await client.complete(again, { r: 3 });
    expect(await client.until(id, ({ status }) => status === "COMPLETED")).toMatchObject({ output: { r: 3 } });
  });

  test("can be rerun from one of its tasks through its parent", async () => {
    const { parent, work } = await aFamily();
    const id = await client.start(parent);
    const task = await client.take(work);
    await client.complete(task, { r: 1 });
    await client.ended(id);
    const answer = await client.post(`/workflow/${id}/rerun`, { reRunFromTaskId: task.taskId });
    expect(answer).toMatchObject({ status: 200, text: id });
    await client.complete(await client.take(work), { r: 2 });
    expect(await client.until(id, ({ status, output }) => status === "COMPLETED" && output["r"] === 2)).toBeDefined();
  });

  test("may be defined in the task itself", async () => {
    const name = aName("inline");
    const workflowDefinition = aWorkflow(`${name}_child`, [entry("NOOP", "n")], { outputParameters: { ok: true } });
    await client.register(
      aWorkflow(name, [
        entry("SUB_WORKFLOW", "s", { subWorkflowParam: { name: `${name}_child`, workflowDefinition } }),
      ]),
    );
    expect(await client.ended(await client.start(name))).toMatchObject({ status: "COMPLETED", output: { ok: true } });
  });

  test("takes the latest version of the moment its parent starts", async () => {
    const child = aName("child");
    const parent = aName("parent");
    await client.register(
      aWorkflow(child, [entry("NOOP", "n")], { outputParameters: { v: 1 } }),
      aWorkflow(parent, [
        simple(`${parent}_go`, "go"),
        entry("SUB_WORKFLOW", "s", { subWorkflowParam: { name: child } }),
      ]),
    );
    const id = await client.start(parent);
    await client.register(aWorkflow(child, [entry("NOOP", "n")], { version: 2, outputParameters: { v: 2 } }));
    await client.complete(await client.take(`${parent}_go`));
    expect(await client.ended(id)).toMatchObject({ output: { v: 1 } });
    const later = await client.start(parent);
    await client.complete(await client.take(`${parent}_go`));
    expect(await client.ended(later)).toMatchObject({ output: { v: 2 } });
  });
});

test("START_WORKFLOW starts another execution and does not wait for it", async () => {
  const other = aName("other");
  const name = aName("starter");
  await client.register(
    aWorkflow(other, [simple(`${other}_work`, "t")]),
    aWorkflow(name, [
      entry("START_WORKFLOW", "s", {
        inputParameters: { startWorkflow: { name: other, version: 1, input: { k: 1 }, correlationId: "c" } },
      }),
    ]),
  );
  const execution = await client.ended(await client.start(name));
  const startedId = execution.output["workflowId"] as string;
  expect(await client.take(`${other}_work`)).toMatchObject({ workflowInstanceId: startedId });
  const started = await client.execution(startedId);
  expect(started).toMatchObject({ status: "RUNNING", input: { k: 1 }, correlationId: "c" });
  expect(started).not.toHaveProperty("parentWorkflowId");
});

describe("a failure workflow", () => {
  test("runs with what failed when its workflow fails", async () => {
    const handler = aName("handler");
    const name = aName("failing");
    await client.registerTasks(aTask(name));
    await client.register(
      aWorkflow(handler, [simple(`${handler}_work`, "t", { inputParameters: { id: "${workflow.input.workflowId}" } })]),
      aWorkflow(name, [simple(name, "t")], { failureWorkflow: handler }),
    );
    const id = await client.start(name, { k: 1 }, { correlationId: "c" });
    await client.fail(await client.take(name), "it broke");
    const task = await client.take(`${handler}_work`);
    expect(task.inputData).toEqual({ id });
    expect(await client.execution(task.workflowInstanceId)).toMatchObject({
      workflowName: handler,
      input: {
        workflowId: id,
        reason: expect.stringContaining("it broke"),
        failureStatus: "FAILED",
        failedWorkflow: { workflowId: id, input: { k: 1 } },
      },
    });
    const { output } = await client.ended(id);
    expect(output["conductor.failure_workflow"]).toBe(task.workflowInstanceId);
    expect(output["service.failure_workflow"]).toBe(task.workflowInstanceId);
  });

  test("does not run when its workflow completes", async () => {
    const handler = aName("handler");
    const name = aName("fine");
    await client.register(
      aWorkflow(handler, [entry("NOOP", "n")]),
      aWorkflow(name, [entry("NOOP", "n")], { failureWorkflow: handler }),
    );
    const { output } = await client.ended(await client.start(name));
    expect(output).not.toHaveProperty("conductor.failure_workflow");
  });
});

test("a child that is started and ended in one transition of its parent does not outlive it", async () => {
  const name = aName("short_lived");
  const child = aName("short_child");
  await client.register(
    aWorkflow(child, [simple(`${child}_t`)]),
    aWorkflow(name, [
      entry("FORK_JOIN", "f", {
        forkTasks: [
          [entry("SUB_WORKFLOW", "sub", { subWorkflowParam: { name: child, version: 1 } })],
          [entry("TERMINATE", "end", { inputParameters: { terminationStatus: "FAILED" } })],
        ],
      }),
      entry("JOIN", "j", { joinOn: ["sub"] }),
    ]),
  );
  const parent = await client.ended(await client.start(name));
  const sub = parent.tasks.find((task) => task.referenceTaskName === "sub");
  expect([parent.status, sub?.status]).toEqual(["FAILED", "CANCELED"]);
  expect((await client.ended(sub?.subWorkflowId ?? "")).status).toBe("TERMINATED");
});

test("a slow script that reads the id of a workflow started in the same transition comes to an end", async () => {
  const name = aName("slow_reader");
  const child = aName("started");
  await client.register(
    aWorkflow(child, [entry("NOOP", "n")]),
    aWorkflow(name, [
      entry("START_WORKFLOW", "s", { inputParameters: { startWorkflow: { name: child, input: {} } } }),
      entry("INLINE", "i", {
        inputParameters: {
          evaluatorType: "graaljs",
          expression: "(function(){ var n = 0; for (var i = 0; i < 300000; i++) n += i; return $.id; })()",
          id: "${s.output.workflowId}",
        },
      }),
    ]),
  );
  const { status, tasks } = await client.ended(await client.start(name));
  expect(status).toBe("COMPLETED");
  const [started, read] = tasks;
  expect(read?.outputData["result"]).toBe(started?.outputData["workflowId"]);
  expect((await client.ended(String(started?.outputData["workflowId"]))).status).toBe("COMPLETED");
});
