import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
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

async function aRunning(): Promise<{ readonly name: string; readonly id: string }> {
  const name = aName("state");
  await client.registerTasks(aTask(name));
  await client.register(
    aWorkflow(name, [simple(name, "a"), simple(name, "b"), simple(name, "c")], {
      outputParameters: { v: "${workflow.variables.v}", a: "${a.output.x}" },
    }),
  );
  return { name, id: await client.start(name) };
}

describe("variables", () => {
  test("are laid over those there are, and the execution is the answer", async () => {
    const { id } = await aRunning();
    await client.post(`/workflow/${id}/variables`, { v: 1, w: 1 });
    const answer = await client.post(`/workflow/${id}/variables`, { v: 2 });
    expect(answer.json).toMatchObject({ workflowId: id, variables: { v: 2, w: 1 } });
  });

  test("of an ended or unknown execution are refused", async () => {
    const { id } = await aRunning();
    await client.delete(`/workflow/${id}`);
    expect((await client.post(`/workflow/${id}/variables`, { v: 2 })).status).toBe(409);
    expect((await client.post("/workflow/none/variables", { v: 2 })).status).toBe(404);
  });
});

describe("state", () => {
  test("sets variables and ends a task in one go, then waits", async () => {
    const { id } = await aRunning();
    const answer = await client.post(`/workflow/${id}/state?waitUntilTaskRef=a&waitForSeconds=5&requestId=r`, {
      taskReferenceName: "a",
      taskResult: { status: "COMPLETED", outputData: { x: 7 } },
      variables: { v: "set" },
    });
    expect(answer.json).toMatchObject({
      requestId: "r",
      status: "RUNNING",
      signalTimeout: false,
      variables: { v: "set" },
    });
    const { tasks } = await client.execution(id);
    expect(tasks.map(({ referenceTaskName, status }) => [referenceTaskName, status])).toEqual([
      ["a", "COMPLETED"],
      ["b", "SCHEDULED"],
    ]);
  });

  test("refuses a result without a reference, and one for a task that is not open", async () => {
    const { id } = await aRunning();
    const state = (body: object) => client.post(`/workflow/${id}/state?waitForSeconds=1`, body);
    expect((await state({ taskResult: { status: "COMPLETED" } })).status).toBe(400);
    expect((await state({ taskReferenceName: "c", taskResult: { status: "COMPLETED" } })).status).toBe(404);
    expect((await state({ taskReferenceName: "a", taskResult: { status: "DONE" } })).status).toBe(400);
  });
});

describe("jump", () => {
  test("goes on from the named task with the given input", async () => {
    const { name, id } = await aRunning();
    expect((await client.post(`/workflow/${id}/jump/c`, { given: 1 })).status).toBe(200);
    const task = await client.take(name);
    expect(task).toMatchObject({ referenceTaskName: "c", inputData: { given: 1 } });
    await client.complete(task);
    const { status, tasks } = await client.ended(id);
    expect([status, tasks.map((one) => `${one.referenceTaskName}:${one.status}`)]).toEqual([
      "COMPLETED",
      ["a:SKIPPED", "c:COMPLETED"],
    ]);
  });

  test("to nowhere is refused", async () => {
    const { id } = await aRunning();
    expect((await client.post(`/workflow/${id}/jump/none`)).status).toBe(400);
    expect((await client.post("/workflow/none/jump/c")).status).toBe(404);
  });
});

describe("upgrade", () => {
  test("goes on with the new version", async () => {
    const { name, id } = await aRunning();
    await client.register(aWorkflow(name, [simple(name, "a"), entry("NOOP", "added")], { version: 2 }));
    expect((await client.post(`/workflow/${id}/upgrade`, { name, version: 2 })).status).toBe(200);
    await client.complete(await client.take(name), { x: 1 });
    const execution = await client.ended(id);
    expect(execution).toMatchObject({ status: "COMPLETED", workflowVersion: 2 });
    const query = encodeURIComponent(`workflowType = ${name} AND version = 2`);
    expect((await client.get(`/workflow/search?query=${query}`)).json).toMatchObject({ totalHits: 1 });
    expect(execution.tasks.map((task) => task.referenceTaskName)).toEqual(["a", "added"]);
  });

  test("to another definition, a version that is not there, or one without the open task is refused", async () => {
    const { name, id } = await aRunning();
    await client.register(aWorkflow(name, [simple(name, "z")], { version: 2 }));
    const upgrade = async (body: object) => (await client.post(`/workflow/${id}/upgrade`, body)).status;
    expect(await upgrade({ name: "other" })).toBe(400);
    expect(await upgrade({ name, version: 3 })).toBe(404);
    expect(await upgrade({ name, version: "x" })).toBe(400);
    expect(await upgrade({ name, version: 2 })).toBe(400);
  });
});
