import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client, Json, WireTask } from "../support/client.ts";
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

describe("an execution", () => {
  test("shows its tasks in order, with the definition it runs", async () => {
    const name = aName("shown");
    await client.registerTasks(aTask(`${name}_a`, { responseTimeoutSeconds: 60 }));
    await client.register(aWorkflow(name, [simple(`${name}_a`, "a"), simple(`${name}_b`, "b")]));
    const id = await client.start(name, { in: 1 });
    const polled = await client.take(`${name}_a`, { workerid: "w1" });
    await client.complete(polled, { out: 1 });
    const execution = await client.execution(id);
    expect(execution).toMatchObject({
      ownerApp: "",
      workflowId: id,
      status: "RUNNING",
      startTime: execution["createTime"],
      workflowDefinition: { name, tasks: [{ taskDefinition: { name: `${name}_a` } }, {}] },
      history: [],
      rateLimited: false,
      lastRetriedTime: 0,
      failedTaskNames: [],
      tasks: [
        {
          taskType: `${name}_a`,
          taskDefName: `${name}_a`,
          status: "COMPLETED",
          seq: 1,
          workerId: "w1",
          pollCount: 1,
          outputData: { out: 1 },
          responseTimeoutSeconds: 60,
          rateLimitFrequencyInSeconds: 1,
          callbackFromWorker: true,
          retried: false,
          workflowInstanceId: id,
          workflowType: name,
          taskDefinition: { name: `${name}_a` },
          workflowTask: { taskReferenceName: "a" },
        },
        { status: "SCHEDULED", seq: 2, startTime: 0, endTime: 0, pollCount: 0 },
      ],
    });
    expect(execution.tasks[0]).not.toHaveProperty("reasonForIncompletion");
    expect(execution).not.toHaveProperty("correlationId");
  });

  test("is shown without tasks when they are not wanted", async () => {
    const name = aName("bare");
    await client.register(aWorkflow(name, [simple("any")]));
    const id = await client.start(name);
    expect((await client.get(`/workflow/${id}?includeTasks=false`)).json).toMatchObject({ workflowId: id, tasks: [] });
    for (const no of ["no", "off", "0", "FALSE"]) {
      expect((await client.get(`/workflow/${id}?includeTasks=${no}`)).json).toMatchObject({ tasks: [] });
    }
    expect((await client.get(`/workflow/${id}?includeTasks=perhaps`)).status).toBe(400);
  });

  test.each(["", "/status", "/tasks"])("that does not exist is a 404 at /workflow/{id}%s", async (part) => {
    for (const id of [UNKNOWN, "not-a-uuid", "%00", "..%2f..", "ü", UNKNOWN.replace("01890000", "0189000A")]) {
      expect((await client.get(`/workflow/${id}${part}`)).json).toMatchObject({
        status: 404,
        message: `No such workflow found by id: ${decodeURIComponent(id)}`,
      });
    }
  });
});

describe("the status of an execution", () => {
  test("is short unless more is asked for", async () => {
    const name = aName("status");
    await client.register(
      aWorkflow(name, [entry("SET_VARIABLE", "s", { inputParameters: { v: [1] } })], { outputParameters: { o: 1 } }),
    );
    const id = await client.start(name, {}, { correlationId: "c" });
    expect((await client.get(`/workflow/${id}/status`)).json).toEqual({
      workflowId: id,
      correlationId: "c",
      status: "COMPLETED",
    });
    expect((await client.get(`/workflow/${id}/status?includeOutput=true&includeVariables=true`)).json).toEqual({
      workflowId: id,
      correlationId: "c",
      status: "COMPLETED",
      output: { o: 1 },
      variables: { v: [1] },
    });
    const plain = await client.start(name);
    expect((await client.get(`/workflow/${plain}/status`)).json).toEqual({ workflowId: plain, status: "COMPLETED" });
  });
});

describe("the tasks of an execution", () => {
  let id: string;
  beforeAll(async () => {
    const name = aName("paged");
    const noops = Array.from({ length: 20 }, (_, index) => entry("NOOP", `n${index + 1}`));
    await client.register(aWorkflow(name, [...noops, simple("waiting")]));
    id = await client.start(name);
  });
  const page = async (query: string) => {
    const { json } = await client.get(`/workflow/${id}/tasks${query}`);
    const { totalHits, results } = json as { totalHits: number; results: WireTask[] };
    return { totalHits, seqs: results.map(({ seq }) => seq) };
  };
  const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

  test("come fifteen at a time", async () => {
    expect(await page("")).toEqual({ totalHits: 21, seqs: from(1, 15) });
    expect(await page("?start=15")).toEqual({ totalHits: 21, seqs: from(16, 21) });
    expect(await page("?start=3&count=2")).toEqual({ totalHits: 21, seqs: [4, 5] });
    expect(await page("?start=100")).toEqual({ totalHits: 21, seqs: [] });
    expect(await page("?count=0")).toEqual({ totalHits: 21, seqs: [] });
  });

  test("can be narrowed to statuses, repeated or with commas, in any case", async () => {
    expect(await page("?status=SCHEDULED")).toEqual({ totalHits: 1, seqs: [21] });
    expect(await page("?status=scheduled&status=IN_PROGRESS")).toEqual({ totalHits: 1, seqs: [21] });
    expect(await page("?status=SCHEDULED,COMPLETED&start=20")).toEqual({ totalHits: 21, seqs: [21] });
    expect(await page("?status=FAILED")).toEqual({ totalHits: 0, seqs: [] });
  });

  test("need whole numbers for the page", async () => {
    expect((await client.get(`/workflow/${id}/tasks?start=x`)).status).toBe(400);
    expect((await client.get(`/workflow/${id}/tasks?count=1.5`)).status).toBe(400);
  });
});

describe("a task", () => {
  test("is found by its id", async () => {
    const name = aName("one");
    await client.register(aWorkflow(name, [simple(name, "a", { inputParameters: { k: "v" } })]));
    const id = await client.start(name);
    const [listed] = (await client.execution(id)).tasks;
    expect(await client.task(listed?.taskId ?? "")).toEqual(listed);
  });

  test("that does not exist is a 404", async () => {
    const name = aName("one");
    await client.register(aWorkflow(name, [simple(name)]));
    const id = await client.start(name);
    for (const taskId of [id, UNKNOWN, `${id.slice(0, -6)}0000ff`, "x", "%20", "🙂"]) {
      expect((await client.get(`/tasks/${taskId}`)).json).toMatchObject({
        status: 404,
        message: `Task not found for taskId: ${decodeURIComponent(taskId)}`,
      });
    }
  });

  test("shows its work while it is in a worker's hands", async () => {
    const name = aName("held");
    await client.register(aWorkflow(name, [simple(name)]));
    await client.start(name);
    const polled = await client.take(name, { workerid: "me" });
    const shown = await client.task(polled.taskId);
    expect(shown).toMatchObject({ status: "IN_PROGRESS", workerId: "me", pollCount: 1 });
    expect((shown as Json)["startTime"]).toBeGreaterThan(0);
  });
});
