import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client, Json } from "../support/client.ts";
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

const UNKNOWN = "01890000-0000-7000-8000-000000000000";
const empty = { status: 200, text: "" };

/** A workflow of two worker tasks, a and b, which take their types from its name. */
async function twoSteps(more: Json = {}): Promise<{ name: string; a: string; b: string }> {
  const name = aName("steps");
  const [a, b] = [`${name}_a`, `${name}_b`];
  await client.registerTasks(aTask(a), aTask(b));
  await client.register(
    aWorkflow(name, [simple(a, "a"), simple(b, "b", { inputParameters: { from: "${a.output.v}" } })], more),
  );
  return { name, a, b };
}

test.each([
  ["PUT", "/pause"],
  ["PUT", "/resume"],
  ["POST", "/restart"],
  ["POST", "/restart?useLatestDefinitions=true"],
  ["POST", "/retry"],
  ["POST", "/rerun"],
  ["PUT", "/skiptask/a"],
  ["POST", "/resetcallbacks"],
  ["DELETE", ""],
  ["DELETE", "/remove"],
])("%s /workflow/{id}%s of an unknown execution is a 404", async (method, part) => {
  for (const id of [UNKNOWN, "odd"]) {
    const body = method === "DELETE" ? {} : { body: {} };
    expect((await client.send(method, `/workflow/${id}${part}`, body)).json).toMatchObject({
      status: 404,
      message: `No such workflow found by id: ${id}`,
    });
  }
});

describe("pause", () => {
  test("stops what follows but not what is queued, until resume", async () => {
    const { name, a, b } = await twoSteps();
    const id = await client.start(name);
    expect(await client.put(`/workflow/${id}/pause`)).toMatchObject(empty);
    expect(await client.put(`/workflow/${id}/pause`)).toMatchObject(empty);
    expect(await client.execution(id)).toMatchObject({ status: "PAUSED" });
    await client.complete(await client.take(a), { v: 1 });
    expect((await client.execution(id)).tasks).toHaveLength(1);
    expect(await client.put(`/workflow/${id}/resume`)).toMatchObject(empty);
    expect(await client.take(b)).toMatchObject({ inputData: { from: 1 } });
    expect(await client.execution(id)).toMatchObject({ status: "RUNNING" });
  });

  test("of an ended execution is a conflict", async () => {
    const { name } = await twoSteps();
    const id = await client.start(name);
    await client.delete(`/workflow/${id}`);
    expect((await client.put(`/workflow/${id}/pause`)).json).toMatchObject({
      status: 409,
      message: `Workflow ${name}.1/${id} has ended, status cannot be updated.`,
    });
  });
});

test("resume of an execution that is not paused is a conflict", async () => {
  const { name } = await twoSteps();
  const id = await client.start(name);
  expect((await client.put(`/workflow/${id}/resume`)).json).toMatchObject({
    status: 409,
    message: `The workflow ${id} is not PAUSED so cannot resume. Current status is RUNNING`,
  });
});

describe("terminate", () => {
  test("cancels what is open and keeps the reason", async () => {
    const { name, a } = await twoSteps();
    const id = await client.start(name);
    const held = await client.take(a);
    expect(await client.delete(`/workflow/${id}?reason=no%20longer`)).toMatchObject(empty);
    const execution = await client.execution(id);
    expect(execution).toMatchObject({
      status: "TERMINATED",
      reasonForIncompletion: "no longer",
      tasks: [{ status: "CANCELED" }],
    });
    expect(execution["endTime"]).toBeGreaterThan(0);
    // The worker's late answer is taken and changes nothing.
    expect((await client.complete(held, { v: 1 })).text).toBe(held.taskId);
    expect(await client.task(held.taskId)).toMatchObject({ status: "CANCELED", outputData: {} });
  });

  test("takes queued work away from the workers", async () => {
    const { name, a } = await twoSteps();
    const id = await client.start(name);
    await client.delete(`/workflow/${id}`);
    expect(await client.poll(a)).toEqual([]);
    expect((await client.get(`/tasks/queue/size?taskType=${a}`)).json).toBe(0);
  });

  test("again has no effect, and a completed execution is a conflict", async () => {
    const { name, a, b } = await twoSteps();
    const id = await client.start(name);
    await client.delete(`/workflow/${id}?reason=first`);
    expect(await client.delete(`/workflow/${id}?reason=second`)).toMatchObject(empty);
    expect(await client.execution(id)).toMatchObject({ reasonForIncompletion: "first" });
    const done = await client.start(name);
    await client.complete(await client.take(a));
    await client.complete(await client.take(b));
    expect((await client.delete(`/workflow/${done}`)).json).toMatchObject({
      status: 409,
      message: "Cannot terminate a COMPLETED workflow.",
    });
  });

  test("runs the failure workflow only when told to", async () => {
    const cleanup = aName("cleanup");
    await client.register(aWorkflow(cleanup, [entry("NOOP", "n")]));
    const { name } = await twoSteps({ failureWorkflow: cleanup });
    const quiet = await client.start(name);
    await client.delete(`/workflow/${quiet}`);
    expect((await client.execution(quiet)).output).toEqual({});
    const loud = await client.start(name);
    await client.delete(`/workflow/${loud}?triggerFailureWorkflow=true`);
    const { output } = await client.execution(loud);
    const handler = output["conductor.failure_workflow"] as string;
    expect(output["service.failure_workflow"]).toBe(handler);
    expect(await client.ended(handler)).toMatchObject({ workflowName: cleanup, input: { workflowId: loud } });
  });
});

describe("restart", () => {
  test("begins an ended execution again under its id", async () => {
    const { name, a, b } = await twoSteps();
    const id = await client.start(name, { k: 1 });
    await client.complete(await client.take(a), { v: 1 });
    await client.fail(await client.take(b));
    expect(await client.ended(id)).toMatchObject({ status: "FAILED" });
    expect(await client.post(`/workflow/${id}/restart`)).toMatchObject(empty);
    const again = await client.execution(id);
    expect(again).toMatchObject({ status: "RUNNING", endTime: 0, output: {}, input: { k: 1 }, tasks: [{ seq: 1 }] });
    expect(again).not.toHaveProperty("reasonForIncompletion");
    await client.complete(await client.take(a), { v: 2 });
    await client.complete(await client.take(b), { r: 2 });
    expect(await client.ended(id)).toMatchObject({ status: "COMPLETED", output: { r: 2 } });
  });

  test("uses the definition of the start, or the latest when asked", async () => {
    const { name, a } = await twoSteps();
    const id = await client.start(name);
    await client.delete(`/workflow/${id}`);
    await client.register(aWorkflow(name, [entry("NOOP", "n")], { version: 2 }));
    await client.post(`/workflow/${id}/restart`);
    expect(await client.execution(id)).toMatchObject({ workflowVersion: 1, tasks: [{ taskType: a }] });
    await client.delete(`/workflow/${id}`);
    await client.post(`/workflow/${id}/restart?useLatestDefinitions=true`);
    expect(await client.execution(id)).toMatchObject({ workflowVersion: 2, status: "COMPLETED" });
  });

  test("is a conflict while the execution runs", async () => {
    const { name } = await twoSteps();
    const id = await client.start(name);
    expect((await client.post(`/workflow/${id}/restart`)).json).toMatchObject({
      status: 409,
      message: `Workflow: ${name}.1/${id}.RUNNING is not in terminal state, unable to restart.`,
    });
  });

  test("is a 404 when the definition does not allow it, or its latest is gone", async () => {
    const fixed = aName("fixed");
    await client.register(aWorkflow(fixed, [entry("NOOP", "n")], { restartable: false }));
    const id = await client.start(fixed);
    expect((await client.post(`/workflow/${id}/restart`)).json).toMatchObject({
      status: 404,
      message: `Workflow: ${fixed}.1/${id}.COMPLETED is non-restartable`,
    });
    const gone = aName("gone");
    await client.register(aWorkflow(gone, [entry("NOOP", "n")]));
    const other = await client.start(gone);
    await client.delete(`/metadata/workflow/${gone}/1`);
    expect((await client.post(`/workflow/${other}/restart?useLatestDefinitions=true`)).json).toMatchObject({
      status: 404,
      message: `Unable to find latest definition for ${other}`,
    });
    expect(await client.post(`/workflow/${other}/restart`)).toMatchObject(empty);
  });
});

describe("retry", () => {
  test("runs the failed task again and keeps what was done", async () => {
    const { name, a, b } = await twoSteps();
    const id = await client.start(name);
    await client.complete(await client.take(a), { v: 1 });
    const failed = await client.take(b);
    await client.fail(failed, "broken");
    expect(await client.ended(id)).toMatchObject({ status: "FAILED", failedReferenceTaskNames: ["b"] });
    expect(await client.post(`/workflow/${id}/retry`)).toMatchObject(empty);
    const again = await client.take(b);
    expect(again).toMatchObject({ retriedTaskId: failed.taskId, inputData: { from: 1 } });
    await client.complete(again, { r: 1 });
    const execution = await client.ended(id);
    expect(execution).toMatchObject({ status: "COMPLETED", output: { r: 1 } });
    expect(execution.tasks.map(({ status }) => status)).toEqual(["COMPLETED", "FAILED", "COMPLETED"]);
    expect(execution.tasks[1]).toMatchObject({ retried: true });
    expect(execution["lastRetriedTime"]).toBeGreaterThan(0);
  });

  test("of a running execution is a 404 with the reference's words", async () => {
    const { name } = await twoSteps();
    const id = await client.start(name);
    expect((await client.post(`/workflow/${id}/retry`)).json).toMatchObject({
      status: 404,
      message: "Workflow is still running.  status=RUNNING",
    });
  });

  test("without anything to retry is a conflict", async () => {
    const name = aName("done");
    await client.register(aWorkflow(name, [entry("NOOP", "n")]));
    const id = await client.start(name);
    expect((await client.post(`/workflow/${id}/retry`)).json).toMatchObject({
      status: 409,
      message: "There are no retryable tasks! Use restart if you want to attempt entire workflow execution again.",
    });
  });
});

describe("rerun", () => {
  test("from a task takes new input for it and repeats what follows", async () => {
    const { name, a, b } = await twoSteps();
    const id = await client.start(name);
    const first = await client.take(a);
    await client.complete(first, { v: 1 });
    const second = await client.take(b);
    await client.complete(second, { r: 1 });
    await client.ended(id);
    const answer = await client.post(`/workflow/${id}/rerun`, {
      reRunFromTaskId: second.taskId,
      taskInput: { from: "me" },
    });
    expect(answer).toMatchObject({ status: 200, text: id });
    expect(answer.headers.get("content-type")).toBe("text/plain;charset=UTF-8");
    const again = await client.take(b);
    expect(again).toMatchObject({ taskId: second.taskId, inputData: { from: "me" }, outputData: {} });
    await client.complete(again, { r: 2 });
    expect(await client.ended(id)).toMatchObject({ status: "COMPLETED", output: { r: 2 } });
  });

  test("without a task begins again with the given input", async () => {
    const { name, a } = await twoSteps();
    const id = await client.start(name, { old: 1 });
    await client.delete(`/workflow/${id}`);
    expect((await client.post(`/workflow/${id}/rerun`, { workflowInput: { fresh: 1 }, correlationId: "c" })).text).toBe(
      id,
    );
    expect(await client.execution(id)).toMatchObject({ status: "RUNNING", input: { fresh: 1 }, correlationId: "c" });
    expect(await client.take(a)).toMatchObject({ workflowInstanceId: id });
  });

  test("of a running execution is a conflict, whatever task is named", async () => {
    const { name } = await twoSteps();
    const id = await client.start(name);
    const conflict = {
      status: 409,
      message: `Workflow: ${name}.1/${id}.RUNNING is not in terminal state, unable to rerun.`,
    };
    expect((await client.post(`/workflow/${id}/rerun`, {})).json).toMatchObject(conflict);
    expect((await client.post(`/workflow/${id}/rerun`, { reRunFromTaskId: "x" })).json).toMatchObject(conflict);
  });

  test("from a task that is not of it is a 400, and its input stays as it was", async () => {
    const { name } = await twoSteps();
    const id = await client.start(name, { old: 1 });
    const other = await client.start(name);
    const [foreign] = (await client.execution(other)).tasks;
    await client.delete(`/workflow/${id}`);
    for (const taskId of ["x", UNKNOWN, `${id.slice(0, -6)}0000ff`, foreign?.taskId]) {
      const body = { reRunFromTaskId: taskId, workflowInput: { fresh: 1 } };
      expect((await client.post(`/workflow/${id}/rerun`, body)).json).toMatchObject({
        status: 400,
        message: `Task ${taskId} not found`,
      });
    }
    expect(await client.execution(id)).toMatchObject({ status: "TERMINATED", input: { old: 1 } });
  });

  test("refuses a body that is no object", async () => {
    const { name } = await twoSteps();
    const id = await client.start(name);
    expect((await client.post(`/workflow/${id}/rerun`, [1])).status).toBe(400);
  });
});

describe("skip", () => {
  test("goes past a task that has not come yet, with the output given", async () => {
    const { name, a } = await twoSteps();
    const id = await client.start(name);
    const body = { taskInput: { i: 1 }, taskOutput: { r: "skipped" } };
    expect(await client.put(`/workflow/${id}/skiptask/b`, body)).toMatchObject(empty);
    await client.complete(await client.take(a));
    const execution = await client.ended(id);
    expect(execution.status).toBe("COMPLETED");
    expect(execution.tasks.find(({ referenceTaskName }) => referenceTaskName === "b")).toMatchObject({
      status: "SKIPPED",
      inputData: { i: 1 },
      outputData: { r: "skipped" },
    });
  });

  test("works without a body", async () => {
    const { name, a } = await twoSteps();
    const id = await client.start(name);
    expect(await client.put(`/workflow/${id}/skiptask/b`)).toMatchObject(empty);
    await client.complete(await client.take(a));
    expect(await client.ended(id)).toMatchObject({ status: "COMPLETED" });
  });

  test("of an unknown reference is a 400", async () => {
    const { name } = await twoSteps();
    const id = await client.start(name);
    expect((await client.put(`/workflow/${id}/skiptask/ghost`)).json).toMatchObject({
      status: 400,
      message: `The task referenced by ghost does not exist in the WorkflowDefinition ${name}`,
    });
  });

  test("of a task that has begun, or in an ended execution, is a conflict", async () => {
    const { name } = await twoSteps();
    const id = await client.start(name);
    expect((await client.put(`/workflow/${id}/skiptask/a`)).json).toMatchObject({
      status: 409,
      message: "The task referenced a has already been processed, cannot be skipped",
    });
    await client.delete(`/workflow/${id}`);
    expect((await client.put(`/workflow/${id}/skiptask/b`)).json).toMatchObject({
      status: 409,
      message: `The workflow ${id} is not running so the task referenced by b cannot be skipped`,
    });
  });
});

describe("remove", () => {
  test.each(["true", "false"])("with archiveWorkflow=%s takes an ended execution away for good", async (archive) => {
    const name = aName("removed");
    await client.register(aWorkflow(name, [entry("NOOP", "n")]));
    const id = await client.start(name);
    const [task] = (await client.execution(id)).tasks;
    expect(await client.delete(`/workflow/${id}/remove?archiveWorkflow=${archive}`)).toMatchObject(empty);
    expect((await client.get(`/workflow/${id}`)).status).toBe(404);
    expect((await client.get(`/tasks/${task?.taskId}`)).status).toBe(404);
    expect((await client.delete(`/workflow/${id}/remove`)).status).toBe(404);
  });

  test("terminates a running execution first, and its work goes with it", async () => {
    const { name, a } = await twoSteps();
    const held = await client.start(name);
    const task = await client.take(a);
    const queued = await client.start(name);
    await client.put(`/workflow/${queued}/pause`);
    for (const id of [held, queued]) {
      expect(await client.delete(`/workflow/${id}/remove`)).toMatchObject(empty);
      expect((await client.get(`/workflow/${id}`)).status).toBe(404);
    }
    expect(await client.poll(a)).toEqual([]);
    const update = { workflowInstanceId: held, taskId: task.taskId, status: "COMPLETED" };
    expect((await client.post("/tasks", update)).json).toMatchObject({
      status: 404,
      message: `No such workflow found by id: ${held}`,
    });
  });
});

describe("decide", () => {
  test("answers nothing, and an ended execution stays as it is", async () => {
    const { name } = await twoSteps();
    const id = await client.start(name);
    expect(await client.put(`/workflow/decide/${id}`)).toMatchObject(empty);
    await client.delete(`/workflow/${id}`);
    expect(await client.put(`/workflow/decide/${id}`)).toMatchObject(empty);
    expect(await client.execution(id)).toMatchObject({ status: "TERMINATED" });
  });
});

describe("reset callbacks", () => {
  test("offers a postponed task at once", async () => {
    const { name, a } = await twoSteps();
    const id = await client.start(name);
    const task = await client.take(a);
    await client.update(task, { status: "IN_PROGRESS", callbackAfterSeconds: 3600 });
    expect(await client.poll(a, { timeout: 0 })).toEqual([]);
    expect(await client.post(`/workflow/${id}/resetcallbacks`)).toMatchObject(empty);
    expect(await client.take(a)).toMatchObject({ taskId: task.taskId, pollCount: 2 });
  });

  test("of an ended execution is a conflict", async () => {
    const { name } = await twoSteps();
    const id = await client.start(name);
    await client.delete(`/workflow/${id}`);
    expect((await client.post(`/workflow/${id}/resetcallbacks`)).json).toMatchObject({
      status: 409,
      message: "Workflow is in terminal state. Status = TERMINATED",
    });
  });
});
