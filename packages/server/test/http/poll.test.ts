import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, eventually, type Json } from "../support/client.ts";
import { aName, aTask, aWorkflow, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let client: Client;
beforeAll(async () => {
  server = await startServer({ env: { SERVICE_SECRET_POLLED: "hidden", SERVICE_ENV_REGION: "north" } });
  client = server.client;
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

/** A workflow of one worker task whose type is the workflow's name. */
async function oneTask(more: Json = {}): Promise<string> {
  const name = aName("polled");
  await client.registerTasks(aTask(name));
  await client.register(aWorkflow(name, [simple(name, "t", more)]));
  return name;
}

const queueSize = async (taskType: string, more = ""): Promise<unknown> =>
  (await client.get(`/tasks/queue/size?taskType=${taskType}${more}`)).json;

/** Resolves when the server has this worker's poll. */
async function hasPolled(taskType: string, workerId: string): Promise<void> {
  await eventually(async () => {
    const entries = (await client.get(`/tasks/queue/polldata?taskType=${taskType}`)).json as Json[];
    return entries.some((entry) => entry["workerId"] === workerId) ? true : undefined;
  });
}

/** Polls and hangs up as soon as the server is known to have the request. */
async function pollAndHangUp(taskType: string, workerId: string): Promise<void> {
  const call = request(`${client.base}/tasks/poll/batch/${taskType}?timeout=5000&workerid=${workerId}`);
  call.on("error", () => undefined);
  call.end();
  await hasPolled(taskType, workerId);
  const closed = new Promise((resolve) => call.once("close", resolve));
  call.destroy();
  await closed;
}

describe("a poll", () => {
  test("gives the task, in progress, to its worker", async () => {
    const name = await oneTask({ inputParameters: { x: "${workflow.input.x}" } });
    const id = await client.start(name, { x: { deep: [1] } }, { correlationId: "c", priority: 3 });
    const answer = await client.get(`/tasks/poll/${name}?workerid=w1`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.json).toMatchObject({
      taskType: name,
      taskDefName: name,
      referenceTaskName: "t",
      status: "IN_PROGRESS",
      inputData: { x: { deep: [1] } },
      outputData: {},
      workflowInstanceId: id,
      workflowType: name,
      correlationId: "c",
      workflowPriority: 3,
      workerId: "w1",
      pollCount: 1,
      retryCount: 0,
      seq: 1,
      iteration: 0,
      loopOverTask: false,
      workflowTask: { name, taskReferenceName: "t" },
      taskDefinition: { name },
    });
    expect((answer.json as Json)["startTime"]).toBeGreaterThan(0);
  });

  test("finds nothing: 204 without a body, and an empty list for a batch", async () => {
    const single = await client.get("/tasks/poll/nobody");
    expect(single).toMatchObject({ status: 204, text: "" });
    const batch = await client.get("/tasks/poll/batch/nobody");
    expect(batch).toMatchObject({ status: 200, text: "[]" });
    expect(batch.headers.get("content-type")).toBe("application/json");
  });

  test("takes a queued task at once, however long it would wait", async () => {
    const name = await oneTask();
    await client.start(name);
    const startedAt = performance.now();
    expect(await client.poll(name, { timeout: 5000 })).toHaveLength(1);
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });

  test("gives each task once, to many pollers at once", async () => {
    const name = await oneTask();
    await Promise.all(Array.from({ length: 30 }, () => client.start(name)));
    const batches = await Promise.all(Array.from({ length: 20 }, () => client.poll(name, { count: 3, timeout: 200 })));
    const ids = batches.flat().map(({ taskId }) => taskId);
    expect(ids).toHaveLength(30);
    expect(new Set(ids).size).toBe(30);
  });

  test("of a batch gives as many as there are, up to the count", async () => {
    const name = await oneTask();
    await Promise.all(Array.from({ length: 5 }, () => client.start(name)));
    expect(await client.poll(name)).toHaveLength(1);
    expect(await client.poll(name, { count: 3 })).toHaveLength(3);
    expect(await client.poll(name, { count: 10, timeout: 5000 })).toHaveLength(1);
  });

  test.each(["0", "-1"])("for a count of %s gives nothing", async (count) => {
    const name = await oneTask();
    await client.start(name);
    expect(await client.poll(name, { count })).toEqual([]);
    expect(await queueSize(name)).toBe(1);
  });

  test("may wait five seconds at most", async () => {
    const answer = await client.get("/tasks/poll/batch/x?timeout=5001");
    expect(answer.json).toMatchObject({
      status: 400,
      message: "Long Poll Timeout value cannot be more than 5 seconds",
    });
  });

  test.each(["count=many", "timeout=soon", "count=1.5"])("with %s is a 400", async (query) => {
    expect((await client.get(`/tasks/poll/batch/x?${query}`)).status).toBe(400);
  });

  test("with HEAD takes nothing away", async () => {
    const name = await oneTask();
    await client.start(name);
    expect((await client.send("HEAD", `/tasks/poll/${name}`)).status).toBe(204);
    expect((await client.send("HEAD", `/tasks/poll/batch/${name}`)).status).toBe(200);
    expect(await queueSize(name)).toBe(1);
  });

  test("works for a task type with any text as its name", async () => {
    const name = "type ü 任务 / %2F ?&#";
    await client.register(aWorkflow(name, [simple(name, "t")]));
    await client.start(name);
    expect(await client.take(name)).toMatchObject({ taskType: name });
  });
});

describe("a poll that waits", () => {
  test("is woken by the start and not by a timer", async () => {
    const name = await oneTask();
    const delays: number[] = [];
    for (let round = 0; round < 10; round++) {
      const workerid = `w${round}`;
      const waiting = client
        .poll(name, { timeout: 5000, workerid })
        .then((tasks) => ({ tasks, at: performance.now() }));
      await hasPolled(name, workerid);
      const startedAt = performance.now();
      await client.start(name);
      const { tasks, at } = await waiting;
      expect(tasks).toHaveLength(1);
      delays.push(at - startedAt);
    }
    delays.sort((a, b) => a - b);
    expect(delays[5]).toBeLessThan(100);
  });

  test("is woken by the task before it", async () => {
    const name = aName("chain");
    await client.register(aWorkflow(name, [simple(`${name}_a`, "a"), simple(`${name}_b`, "b")]));
    await client.start(name);
    const first = await client.take(`${name}_a`);
    const waiting = client.take(`${name}_b`);
    const startedAt = performance.now();
    await client.complete(first);
    await waiting;
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });

  test("ends empty after its time, and not before", async () => {
    const startedAt = performance.now();
    expect(await client.poll("nobody", { timeout: 300 })).toEqual([]);
    const waitedMs = performance.now() - startedAt;
    expect(waitedMs).toBeGreaterThanOrEqual(290);
    expect(waitedMs).toBeLessThan(2000);
  });

  test("gets one task each when several wait", async () => {
    const name = await oneTask();
    const waiting = Array.from({ length: 5 }, () => client.poll(name, { timeout: 5000, count: 1 }));
    await Promise.all(Array.from({ length: 5 }, () => client.start(name)));
    const ids = (await Promise.all(waiting)).flat().map(({ taskId }) => taskId);
    expect(new Set(ids).size).toBe(5);
  });

  test("and hangs up gives its task back, as if it had never been polled", async () => {
    const name = await oneTask();
    await pollAndHangUp(name, "gone");
    const id = await client.start(name);
    const task = await client.take(name, { workerid: "here" });
    expect(task).toMatchObject({ workflowInstanceId: id, workerId: "here", pollCount: 1 });
    await client.complete(task);
    expect(await client.ended(id)).toMatchObject({ status: "COMPLETED" });
  });

  test("and hangs up does not keep the task from a poller behind it", async () => {
    const name = await oneTask();
    await pollAndHangUp(name, "gone1");
    await pollAndHangUp(name, "gone2");
    const waiting = client.poll(name, { timeout: 5000 });
    await client.start(name);
    expect(await waiting).toHaveLength(1);
  });
});

describe("the order of tasks", () => {
  test("is by priority, then by who waits longest", async () => {
    const name = await oneTask();
    const ids: Record<string, string> = {};
    for (const [label, priority] of [
      ["low1", 0],
      ["high1", 99],
      ["mid", 50],
      ["low2", 0],
      ["high2", 99],
    ] as const) {
      ids[label] = await client.start(name, {}, { priority });
    }
    const order = (await client.poll(name, { count: 10 })).map(({ workflowInstanceId }) => workflowInstanceId);
    expect(order).toEqual(["high1", "high2", "mid", "low1", "low2"].map((label) => ids[label]));
  });
});

describe("domains", () => {
  test("keep tasks for the workers of the domain", async () => {
    const name = await oneTask();
    await client.poll(name, { domain: "blue" });
    await client.start(name, {}, { taskToDomain: { [name]: "blue" } });
    expect(await client.poll(name)).toEqual([]);
    expect(await client.poll(name, { domain: "red" })).toEqual([]);
    expect(await queueSize(name)).toBe(0);
    expect(await queueSize(name, "&domain=blue")).toBe(1);
    expect(await client.take(name, { domain: "blue" })).toMatchObject({ domain: "blue" });
  });

  test("may be named for all tasks, and a blank one is none", async () => {
    const name = await oneTask();
    await client.start(name, {}, { taskToDomain: { "*": "green" } });
    expect(await client.take(name, { domain: "green" })).toMatchObject({ domain: "green" });
    await client.start(name);
    expect(await client.take(name, { domain: "" })).not.toHaveProperty("domain");
  });

  test("of a list are tried for who is polling, and NO_DOMAIN ends it", async () => {
    const name = await oneTask();
    await client.poll(name, { domain: "second" });
    const active = await client.start(name, {}, { taskToDomain: { [name]: "first,second" } });
    expect(await client.take(name, { domain: "second" })).toMatchObject({ workflowInstanceId: active });
    const none = await client.start(name, {}, { taskToDomain: { [name]: "first,NO_DOMAIN" } });
    expect(await client.take(name)).toMatchObject({ workflowInstanceId: none });
  });
});

describe("what is queued", () => {
  test("counts what waits for a worker, postponed tasks too", async () => {
    const name = await oneTask();
    expect(await queueSize(name)).toBe(0);
    await client.start(name);
    await client.start(name);
    expect(await queueSize(name)).toBe(2);
    expect(((await client.get("/tasks/queue/all")).json as Json)[name]).toBe(2);
    const task = await client.take(name);
    expect(await queueSize(name)).toBe(1);
    await client.update(task, { status: "IN_PROGRESS", callbackAfterSeconds: 600 });
    expect(await queueSize(name)).toBe(2);
  });

  test("is asked for by task type", async () => {
    expect((await client.get("/tasks/queue/size")).json).toMatchObject({
      status: 400,
      message: "Required request parameter 'taskType' for method parameter type String is not present",
    });
  });

  test("lists every queue by name, sorted", async () => {
    await client.start(await oneTask());
    const names = Object.keys((await client.get("/tasks/queue/all")).json as Json);
    expect(names).toEqual(names.toSorted());
  });
});

describe("poll data", () => {
  test("shows who asked last, also for nothing, one entry per domain", async () => {
    const name = aName("watched");
    const before = Date.now();
    await client.poll(name, { workerid: "w1" });
    await client.poll(name, { workerid: "w2" });
    await client.poll(name, { workerid: "w3", domain: "d" });
    const entries = (await client.get(`/tasks/queue/polldata?taskType=${name}`)).json as Json[];
    expect(entries).toHaveLength(2);
    expect(entries).toEqual(
      expect.arrayContaining([
        { queueName: name, workerId: "w2", lastPollTime: expect.any(Number) },
        { queueName: name, domain: "d", workerId: "w3", lastPollTime: expect.any(Number) },
      ]),
    );
    expect(entries[0]?.["lastPollTime"]).toBeGreaterThanOrEqual(before);
    const all = (await client.get("/tasks/queue/polldata/all")).json as Json[];
    expect(all.filter(({ queueName }) => queueName === name)).toHaveLength(2);
    expect((await client.get("/tasks/queue/polldata?taskType=nobody_asked")).json).toEqual([]);
    expect((await client.get("/tasks/queue/polldata")).status).toBe(400);
  });
});

describe("secrets and named values", () => {
  test("reach the worker that polls and nobody else", async () => {
    const name = await oneTask({
      inputParameters: { key: "${workflow.secrets.POLLED}", text: "Bearer ${workflow.secrets.POLLED}" },
    });
    const id = await client.start(name);
    const task = await client.take(name);
    expect(task.inputData).toEqual({ key: "hidden", text: "Bearer hidden" });
    for (const path of [`/workflow/${id}`, `/tasks/${task.taskId}`, `/workflow/${id}/tasks`]) {
      expect((await client.get(path)).text).not.toContain("hidden");
    }
    await client.complete(task, { ok: true });
    expect((await client.get(`/workflow/${id}`)).text).not.toContain("hidden");
  });

  test("are added to a poll by the names the task definition asks for", async () => {
    const name = aName("named");
    await client.registerTasks(aTask(name, { runtimeMetadata: ["POLLED", "REGION", "MISSING"] }));
    await client.register(aWorkflow(name, [simple(name, "t")]));
    const id = await client.start(name);
    expect(await client.take(name)).toMatchObject({ runtimeMetadata: { POLLED: "hidden", REGION: "north" } });
    expect((await client.get(`/workflow/${id}`)).text).not.toContain("hidden");
  });
});
