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

async function oneTask(more: Json = {}): Promise<string> {
  const name = aName("updated");
  await client.registerTasks(aTask(name));
  await client.register(aWorkflow(name, [simple(name, "t", more)]));
  return name;
}

/** A task in a worker's hands. */
async function aHeldTask() {
  const name = await oneTask();
  const id = await client.start(name);
  return { name, id, task: await client.take(name, { workerid: "w1" }) };
}

describe("a task update", () => {
  test("answers the task's id as bare text and records the output", async () => {
    const { id, task } = await aHeldTask();
    const answer = await client.complete(task, { r: [1, { a: null }], text: "ü\u0000" });
    expect(answer.text).toBe(task.taskId);
    expect(answer.headers.get("content-type")).toBe("text/plain;charset=UTF-8");
    expect(await client.execution(id)).toMatchObject({
      status: "COMPLETED",
      output: { r: [1, { a: null }], text: "ü\u0000" },
      tasks: [{ status: "COMPLETED", outputData: { r: [1, { a: null }] } }],
    });
  });

  test("FAILED records the reason, cut to 500 characters", async () => {
    const { id, task } = await aHeldTask();
    await client.fail(task, "x".repeat(600));
    const execution = await client.ended(id);
    expect(execution).toMatchObject({ status: "FAILED", failedReferenceTaskNames: ["t"] });
    expect(execution.tasks[0]?.reasonForIncompletion).toHaveLength(500);
  });

  test("FAILED_WITH_TERMINAL_ERROR is not retried", async () => {
    const name = aName("terminal");
    await client.registerTasks(aTask(name, { retryCount: 5, retryDelaySeconds: 0 }));
    await client.register(aWorkflow(name, [simple(name, "t")]));
    const id = await client.start(name);
    const task = await client.take(name);
    await client.update(task, { status: "FAILED_WITH_TERMINAL_ERROR", reasonForIncompletion: "never" });
    expect(await client.ended(id)).toMatchObject({
      status: "FAILED",
      tasks: [{ status: "FAILED_WITH_TERMINAL_ERROR", reasonForIncompletion: "never" }],
    });
  });

  test("IN_PROGRESS keeps the task in progress and offers it again after its delay", async () => {
    const { name, task } = await aHeldTask();
    await client.update(task, { status: "IN_PROGRESS", callbackAfterSeconds: 1, outputData: { step: 1 } });
    expect(await client.task(task.taskId)).toMatchObject({
      status: "IN_PROGRESS",
      callbackAfterSeconds: 1,
      outputData: { step: 1 },
    });
    expect(await client.poll(name, { timeout: 0 })).toEqual([]);
    const updatedAt = performance.now();
    const again = await client.take(name);
    expect(performance.now() - updatedAt).toBeGreaterThan(700);
    expect(again).toMatchObject({ taskId: task.taskId, pollCount: 2, outputData: { step: 1 } });
  });

  test("replaces the output that was there", async () => {
    const { task } = await aHeldTask();
    await client.update(task, { status: "IN_PROGRESS", callbackAfterSeconds: 600, outputData: { a: 1 } });
    await client.complete(task, { b: 2 });
    expect((await client.task(task.taskId)).outputData).toEqual({ b: 2 });
  });

  test("of an ended task is taken and changes nothing", async () => {
    const { id, task } = await aHeldTask();
    await client.complete(task, { first: true });
    expect(await client.complete(task, { second: true })).toMatchObject({ status: 200, text: task.taskId });
    expect(await client.fail(task)).toMatchObject({ status: 200 });
    expect(await client.execution(id)).toMatchObject({ status: "COMPLETED", output: { first: true } });
  });

  test("of a task nobody has polled is taken too", async () => {
    const name = await oneTask();
    const id = await client.start(name);
    const [task] = (await client.execution(id)).tasks;
    if (task === undefined) throw new Error("Expected a task");
    await client.complete(task, { early: 1 });
    expect(await client.ended(id)).toMatchObject({ status: "COMPLETED", output: { early: 1 } });
    expect(await client.poll(name)).toEqual([]);
  });

  test("sent twice at once counts once", async () => {
    const name = aName("double");
    await client.register(aWorkflow(name, [simple(`${name}_a`, "a"), simple(`${name}_b`, "b")]));
    const id = await client.start(name);
    const task = await client.take(`${name}_a`);
    await Promise.all(Array.from({ length: 10 }, (_, n) => client.complete(task, { n })));
    expect((await client.execution(id)).tasks).toHaveLength(2);
  });

  test("ignores fields it does not know", async () => {
    const { id, task } = await aHeldTask();
    await client.update(task, {
      status: "COMPLETED",
      tags: [],
      supportsCancellation: true,
      executionMetadata: { a: 1 },
    });
    expect(await client.ended(id)).toMatchObject({ status: "COMPLETED" });
  });

  test("with extendLease touches nothing but the time", async () => {
    const { task } = await aHeldTask();
    const body = { workflowInstanceId: task.workflowInstanceId, taskId: task.taskId, extendLease: true };
    expect(await client.post("/tasks", { ...body, outputData: { lost: 1 } })).toMatchObject({
      status: 200,
      text: task.taskId,
    });
    expect((await client.post("/tasks/update-v2", body)).status).toBe(204);
    expect(await client.task(task.taskId)).toMatchObject({ status: "IN_PROGRESS", outputData: {} });
  });

  test.each(["/tasks", "/tasks/update-v2"])("to %s is refused without the two ids", async (path) => {
    const answer = await client.post(path, { status: "COMPLETED", taskId: "" });
    expect(answer.json).toMatchObject({
      status: 400,
      validationErrors: expect.arrayContaining([
        { path: "updateTask.arg0.workflowInstanceId", message: "Workflow Id cannot be null or empty" },
        { path: "updateTask.arg0.taskId", message: "Task ID cannot be null or empty", invalidValue: "" },
      ]),
    });
  });

  test.each(["/tasks", "/tasks/update-v2"])("to %s of something unknown is a 404", async (path) => {
    const { id } = await aHeldTask();
    const noWorkflow = { workflowInstanceId: UNKNOWN, taskId: `${UNKNOWN.slice(0, -1)}1`, status: "COMPLETED" };
    expect((await client.post(path, noWorkflow)).json).toMatchObject({
      status: 404,
      message: `No such workflow found by id: ${UNKNOWN}`,
    });
    for (const taskId of ["x", `${id.slice(0, -6)}0000ff`, `${UNKNOWN.slice(0, -1)}1`]) {
      expect((await client.post(path, { workflowInstanceId: id, taskId, status: "COMPLETED" })).json).toMatchObject({
        status: 404,
        message: `No such task found by id: ${taskId}`,
      });
    }
  });

  test.each(["CANCELED", "SCHEDULED", "TIMED_OUT", "SKIPPED", "completed", "", undefined])(
    "with status %s is a 400",
    async (status) => {
      const { id, task } = await aHeldTask();
      const body = { workflowInstanceId: id, taskId: task.taskId, status };
      expect((await client.post("/tasks", body)).status).toBe(400);
      expect((await client.post("/tasks/update-v2", body)).status).toBe(400);
      expect(await client.task(task.taskId)).toMatchObject({ status: "IN_PROGRESS" });
    },
  );

  test.each([
    ["output that is no map", { outputData: [1] }],
    ["a delay that is no number", { callbackAfterSeconds: "soon" }],
    ["logs that are no list", { logs: "line" }],
    ["a reason that is no text", { reasonForIncompletion: { a: 1 } }],
  ])("with %s is a 400", async (_what, more) => {
    const { id, task } = await aHeldTask();
    const body = { workflowInstanceId: id, taskId: task.taskId, status: "COMPLETED", ...more };
    expect((await client.post("/tasks", body)).status).toBe(400);
  });
});

describe("update-v2", () => {
  const update = (task: { workflowInstanceId: string; taskId: string }, more: Json) =>
    client.post("/tasks/update-v2", { workflowInstanceId: task.workflowInstanceId, taskId: task.taskId, ...more });

  test("answers the next task of the same type, for the worker that asks", async () => {
    const { name, task } = await aHeldTask();
    const next = await client.start(name);
    const answer = await update(task, { status: "COMPLETED", workerId: "w9" });
    expect(answer).toMatchObject({
      status: 200,
      json: { workflowInstanceId: next, status: "IN_PROGRESS", workerId: "w9", pollCount: 1 },
    });
  });

  test("answers 204 when there is no next, or the task is not over", async () => {
    const { name, task } = await aHeldTask();
    expect(await update(task, { status: "IN_PROGRESS", callbackAfterSeconds: 600 })).toMatchObject({
      status: 204,
      text: "",
    });
    await client.start(name);
    expect((await update(task, { status: "IN_PROGRESS", callbackAfterSeconds: 600 })).status).toBe(204);
    expect((await update(task, { status: "COMPLETED" })).status).toBe(200);
    const last = await aHeldTask();
    expect((await update(last.task, { status: "COMPLETED" })).status).toBe(204);
  });

  test("gives a next task of the same domain", async () => {
    const name = await oneTask();
    const taskToDomain = { [name]: "d" };
    await client.start(name, {}, { taskToDomain });
    await client.start(name);
    const second = await client.start(name, {}, { taskToDomain });
    const task = await client.take(name, { domain: "d" });
    expect(await update(task, { status: "COMPLETED" })).toMatchObject({ json: { workflowInstanceId: second } });
  });
});

describe("an update by reference name", () => {
  test("ends a waiting task and answers nothing", async () => {
    const name = aName("byref");
    await client.register(aWorkflow(name, [entry("WAIT", "w"), entry("HUMAN", "h")]));
    const id = await client.start(name);
    expect(await client.post(`/tasks/${id}/w/COMPLETED?workerid=me`, { answer: 1 })).toMatchObject({
      status: 200,
      text: "",
    });
    expect(await client.post(`/tasks/${id}/h/FAILED_WITH_TERMINAL_ERROR`, { why: "no" })).toMatchObject({
      status: 200,
    });
    expect(await client.ended(id)).toMatchObject({
      status: "FAILED",
      tasks: [
        { status: "COMPLETED", outputData: { answer: 1 }, workerId: "me" },
        { status: "FAILED_WITH_TERMINAL_ERROR", outputData: { why: "no" } },
      ],
    });
  });

  test("lays its output over what is there, and works without a body", async () => {
    const { id } = await aHeldTask();
    await client.post(`/tasks/${id}/t/IN_PROGRESS`, { a: 1, b: 1 });
    await client.post(`/tasks/${id}/t/IN_PROGRESS`, { b: 2 });
    expect((await client.execution(id)).tasks[0]?.outputData).toEqual({ a: 1, b: 2 });
    expect(await client.post(`/tasks/${id}/t/COMPLETED`)).toMatchObject({ status: 200, text: "" });
    expect(await client.ended(id)).toMatchObject({ status: "COMPLETED", output: { a: 1, b: 2 } });
  });

  test("finds a task of a loop with and without its iteration", async () => {
    const name = aName("loop");
    await client.register(
      aWorkflow(name, [
        entry("DO_WHILE", "d", {
          evaluatorType: "graaljs",
          loopCondition: "(function () { return $.d['iteration'] < 2; })()",
          inputParameters: { d: "${d.output}" },
          loopOver: [entry("WAIT", "w")],
        }),
      ]),
    );
    const id = await client.start(name);
    expect((await client.post(`/tasks/${id}/w/COMPLETED`, { n: 1 })).status).toBe(200);
    expect((await client.post(`/tasks/${id}/w__2/COMPLETED`, { n: 2 })).status).toBe(200);
    expect(await client.ended(id)).toMatchObject({ status: "COMPLETED" });
  });

  test("of an unknown execution or reference is a 404, of an ended task too late", async () => {
    const { id, task } = await aHeldTask();
    expect((await client.post(`/tasks/${UNKNOWN}/t/COMPLETED`, {})).json).toMatchObject({
      status: 404,
      message: `No such workflow found by id: ${UNKNOWN}`,
    });
    expect((await client.post("/tasks/odd/t/COMPLETED", {})).status).toBe(404);
    expect((await client.post(`/tasks/${id}/ghost/COMPLETED`, {})).json).toMatchObject({
      status: 404,
      message: `Found no running task ghost of workflow ${id} to update`,
    });
    await client.complete(task, { first: true });
    expect((await client.post(`/tasks/${id}/t/FAILED`, {})).status).toBe(200);
    expect((await client.post(`/tasks/${id}/t/FAILED/sync`, {})).status).toBe(404);
    expect(await client.execution(id)).toMatchObject({ status: "COMPLETED", output: { first: true } });
  });

  test.each(["CANCELED", "TIMED_OUT", "DONE", "completed"])("with status %s is a 400", async (status) => {
    const { id } = await aHeldTask();
    expect((await client.post(`/tasks/${id}/t/${status}`, {})).status).toBe(400);
  });

  test("refuses a body that is no map", async () => {
    const { id } = await aHeldTask();
    expect((await client.post(`/tasks/${id}/t/COMPLETED`, [1])).status).toBe(400);
  });
});

describe("a task's log", () => {
  test("keeps lines in order, plain or as a JSON string", async () => {
    const { task } = await aHeldTask();
    const path = `/tasks/${task.taskId}/log`;
    expect(await client.get(path)).toMatchObject({ status: 204, text: "" });
    const plain = { text: 'plain "line" ü', headers: { "content-type": "text/plain" } };
    expect(await client.send("POST", path, plain)).toMatchObject({ status: 200, text: "" });
    await client.send("POST", path, { text: JSON.stringify("a JSON line\n") });
    await client.send("POST", path, { text: "not quoted", headers: { "content-type": "application/json" } });
    const { json } = await client.get(path);
    expect(json).toEqual(
      ['plain "line" ü', "a JSON line\n", "not quoted"].map((log) => ({
        log,
        taskId: task.taskId,
        createdTime: expect.any(Number),
      })),
    );
  });

  test("takes the first ten lines of an update, with their times", async () => {
    const { task } = await aHeldTask();
    const logs = Array.from({ length: 12 }, (_, n) => ({ log: `line ${n}`, taskId: "other", createdTime: 1000 + n }));
    await client.update(task, { status: "COMPLETED", logs });
    const kept = (await client.get(`/tasks/${task.taskId}/log`)).json as Json[];
    expect(kept).toHaveLength(10);
    expect(kept[9]).toEqual({ log: "line 9", taskId: task.taskId, createdTime: 1009 });
  });

  test("of an unknown task is empty, and a line for it is taken and not kept", async () => {
    for (const id of [UNKNOWN, `${UNKNOWN.slice(0, -1)}1`, "odd"]) {
      expect((await client.send("POST", `/tasks/${id}/log`, { text: "x" })).status).toBe(200);
      expect((await client.get(`/tasks/${id}/log`)).status).toBe(204);
    }
  });

  test("needs a line", async () => {
    const { task } = await aHeldTask();
    expect((await client.post(`/tasks/${task.taskId}/log`)).status).toBe(400);
  });
});
