import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client, Json } from "../support/client.ts";
import { aName, aTask } from "../support/definitions.ts";
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

const read = async (name: string): Promise<Json> =>
  (await client.get(`/metadata/taskdefs/${encodeURIComponent(name)}`)).json as Json;

describe("a task definition", () => {
  test("reads back with every default written out, and no timeouts", async () => {
    const name = aName("task");
    expect(await client.post("/metadata/taskdefs", [{ name }])).toMatchObject({ status: 200, text: "" });
    expect(await read(name)).toEqual({
      createTime: expect.any(Number),
      updateTime: 0,
      createdBy: "",
      name,
      retryCount: 3,
      timeoutSeconds: 0,
      inputKeys: [],
      outputKeys: [],
      runtimeMetadata: [],
      timeoutPolicy: "TIME_OUT_WF",
      retryLogic: "FIXED",
      retryDelaySeconds: 60,
      responseTimeoutSeconds: 0,
      inputTemplate: {},
      rateLimitPerFrequency: 0,
      rateLimitFrequencyInSeconds: 1,
      backoffScaleFactor: 1,
      maxRetryDelaySeconds: 0,
      backoffJitterMs: 0,
      totalTimeoutSeconds: 0,
      taskStatusListenerEnabled: true,
      enforceSchema: false,
    });
  });

  test("keeps what it was given", async () => {
    const given = aTask(aName("task"), {
      description: "does it",
      retryCount: 5,
      retryLogic: "EXPONENTIAL_BACKOFF",
      retryDelaySeconds: 2,
      timeoutSeconds: 120,
      timeoutPolicy: "ALERT_ONLY",
      responseTimeoutSeconds: 30,
      pollTimeoutSeconds: 10,
      rateLimitPerFrequency: 4,
      rateLimitFrequencyInSeconds: 5,
      concurrentExecLimit: 6,
      ownerEmail: "o@example.com",
      inputTemplate: { a: null, b: [1] },
      runtimeMetadata: ["KEY"],
    });
    await client.registerTasks(given);
    expect(await read(given["name"] as string)).toMatchObject(given);
  });

  test("is overwritten by creating it again", async () => {
    const name = aName("task");
    await client.registerTasks(aTask(name, { description: "old", updatedBy: "me", updateTime: 5 }));
    await client.registerTasks(aTask(name, { retryCount: 7 }));
    const def = await read(name);
    expect(def).toMatchObject({ retryCount: 7, updateTime: 0, createdBy: "" });
    expect(def).not.toHaveProperty("description");
    expect(def).not.toHaveProperty("updatedBy");
  });

  test("keeps its creation when it is updated", async () => {
    const name = aName("task");
    await client.registerTasks(aTask(name));
    const before = await read(name);
    expect(await client.put("/metadata/taskdefs", aTask(name, { retryCount: 9 }))).toMatchObject({
      status: 200,
      text: "",
    });
    const after = await read(name);
    expect(after).toMatchObject({ retryCount: 9, createTime: before["createTime"], createdBy: "", updatedBy: "" });
    expect(after["updateTime"]).toBeGreaterThan(0);
  });

  test("is listed", async () => {
    const name = aName("task");
    await client.registerTasks(aTask(name));
    const all = (await client.get("/metadata/taskdefs")).json as Json[];
    expect(all.map((def) => def["name"])).toContain(name);
  });

  test("may have any text as its name", async () => {
    const name = "täsk 任务 / %2F?&#";
    await client.registerTasks(aTask(name));
    expect(await read(name)).toMatchObject({ name });
    expect((await client.delete(`/metadata/taskdefs/${encodeURIComponent(name)}`)).status).toBe(200);
  });

  test("is gone after it was deleted", async () => {
    const name = aName("task");
    await client.registerTasks(aTask(name));
    expect(await client.delete(`/metadata/taskdefs/${name}`)).toMatchObject({ status: 200, text: "" });
    expect((await client.get(`/metadata/taskdefs/${name}`)).json).toMatchObject({
      status: 404,
      message: `No such taskType found by name: ${name}`,
    });
    expect((await client.delete(`/metadata/taskdefs/${name}`)).json).toMatchObject({
      status: 404,
      message: "No such task definition",
    });
  });
});

test("updating an unknown definition is a 404", async () => {
  expect((await client.put("/metadata/taskdefs", aTask("nobody"))).json).toMatchObject({
    status: 404,
    message: "No such task by name nobody",
  });
});

test("0 as a response timeout is accepted and means none", async () => {
  const name = aName("task");
  await client.registerTasks(aTask(name, { responseTimeoutSeconds: 0, timeoutSeconds: 10 }));
  expect(await read(name)).toMatchObject({ responseTimeoutSeconds: 0, timeoutSeconds: 10 });
});

const P = "registerTaskDef.arg0";
test.each<readonly [string, unknown, string, string]>([
  ["no name", [{}], `${P}[0].name`, "TaskDef name cannot be null or empty"],
  ["an empty name", [aTask("")], `${P}[0].name`, "TaskDef name cannot be null or empty"],
  [
    "a negative retry count",
    [aTask("x", { retryCount: -1 })],
    `${P}[0].retryCount`,
    "TaskDef retryCount: 0 must be >= 0",
  ],
  [
    "a back-off scale of 0",
    [aTask("x", { backoffScaleFactor: 0 })],
    `${P}[0].backoffScaleFactor`,
    "Backoff scale factor. Applicable for LINEAR_BACKOFF",
  ],
  [
    "a negative poll timeout",
    [aTask("ok"), aTask("x", { pollTimeoutSeconds: -1 })],
    `${P}[1].pollTimeoutSeconds`,
    "TaskDef pollTimeoutSeconds: 0 must be >= 0",
  ],
  [
    "a response timeout above the timeout",
    [aTask("x", { timeoutSeconds: 5, responseTimeoutSeconds: 6 })],
    `${P}[0]`,
    "TaskDef: x responseTimeoutSeconds: 6 must be less than timeoutSeconds: 5",
  ],
  [
    "a timeout above the total",
    [aTask("x", { timeoutSeconds: 5, totalTimeoutSeconds: 4 })],
    `${P}[0]`,
    "TaskDef: x timeoutSeconds: 5 must be less than or equal to totalTimeoutSeconds: 4",
  ],
  ["an empty list", [], P, "TaskDefList is empty"],
  ["null", null, P, "TaskDefList cannot be empty or null"],
])("%s is refused and says where", async (_what, body, path, message) => {
  expect((await client.post("/metadata/taskdefs", body)).json).toMatchObject({
    status: 400,
    message: "Validation failed, check below errors for detail.",
    instance: expect.any(String),
    validationErrors: [{ path, message }],
  });
});

test("a name left out has no invalid value, an empty one has", async () => {
  const absent = await client.post("/metadata/taskdefs", [{}]);
  expect((absent.json as { validationErrors: Json[] }).validationErrors[0]).not.toHaveProperty("invalidValue");
  const empty = await client.put("/metadata/taskdefs", aTask(""));
  expect(empty.json).toMatchObject({ validationErrors: [{ path: "updateTaskDef.arg0.name", invalidValue: "" }] });
});

test.each([
  ["an object in place of the list", aTask("x")],
  ["an unknown retry logic", [aTask("x", { retryLogic: "SOMETIMES" })]],
  ["an unknown timeout policy", [aTask("x", { timeoutPolicy: "time_out_wf" })]],
  ["text for a number", [aTask("x", { retryCount: "many" })]],
  ["a null in the list", [null]],
])("%s is a 400", async (_what, body) => {
  expect((await client.post("/metadata/taskdefs", body)).status).toBe(400);
});

test("nothing is stored when one of the list is refused", async () => {
  const name = aName("task");
  await client.post("/metadata/taskdefs", [aTask(name), aTask("")]);
  expect((await client.get(`/metadata/taskdefs/${name}`)).status).toBe(404);
});
