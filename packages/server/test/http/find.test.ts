import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client, Json, WireExecution } from "../support/client.ts";
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

type Page = { readonly totalHits: number; readonly results: readonly Json[] };

const search = async (path: string, parameters: Readonly<Record<string, string | number>>): Promise<Page> => {
  const query = new URLSearchParams(
    Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const answer = await client.get(`${path}?${query}`);
  expect(answer).toMatchObject({ status: 200 });
  return answer.json as Page;
};

const idsOf = ({ results }: Page) => results.map((hit) => hit["workflowId"]);

async function aDefinition(): Promise<string> {
  const name = aName("find");
  await client.registerTasks(aTask(name));
  await client.register(aWorkflow(name, [simple(name, "t")]));
  return name;
}

describe("search", () => {
  test("sees what was committed the moment before, in every form", async () => {
    const name = await aDefinition();
    const ids = [
      await client.start(name, { city: "Bern" }, { correlationId: "c-1", priority: 5 }),
      await client.start(name),
    ];
    const query = `workflowType = '${name}'`;
    const page = await search("/workflow/search", { query });
    expect([page.totalHits, idsOf(page)]).toEqual([2, ids]);
    expect(page.results[0]).toMatchObject({
      workflowType: name,
      version: 1,
      correlationId: "c-1",
      status: "RUNNING",
      input: "{city=Bern}",
      output: "{}",
      priority: 5,
      executionTime: 0,
      parentWorkflowId: "",
      classifier: "workflow",
    });
    await client.complete(await client.take(name), { done: true });
    expect(
      idsOf(await search("/workflow/search", { query: `${query} AND status IN (COMPLETED, FAILED)` })),
    ).toHaveLength(1);
    const whole = await search("/workflow/search-v2", { query: `${query} AND status = COMPLETED` });
    expect(whole.results[0]).toMatchObject({ workflowName: name, output: { done: true }, tasks: [] });
    expect(
      idsOf(await search("/workflow/search-by-tasks", { query: `taskDefName = ${name} AND status = COMPLETED` })),
    ).toHaveLength(1);
    expect((await search("/workflow/search-by-tasks-v2", { query: `taskDefName = ${name}` })).totalHits).toBe(2);
    const tasks = await search("/tasks/search", { query: `taskType = ${name} AND status = SCHEDULED` });
    expect(tasks.results).toMatchObject([
      { taskDefName: name, referenceTaskName: "t", status: "SCHEDULED", input: "{}" },
    ]);
    expect((await search("/tasks/search-v2", { query: `taskType = ${name}` })).results).toHaveLength(2);
  });

  test("pages and sorts without losing or repeating anything", async () => {
    const name = await aDefinition();
    const ids: string[] = [];
    for (let priority = 0; priority < 5; priority++) ids.push(await client.start(name, {}, { priority: priority % 2 }));
    const query = `workflowType = ${name}`;
    const pages = await Promise.all(
      [0, 2, 4].map((start) => search("/workflow/search", { query, start, size: 2, sort: "priority:DESC" })),
    );
    expect(pages.map(({ totalHits }) => totalHits)).toEqual([5, 5, 5]);
    expect(pages.flatMap(idsOf)).toEqual([ids[3], ids[1], ids[4], ids[2], ids[0]]);
    expect((await search("/workflow/search", { query, size: 0 })).results).toEqual([]);
  });

  test("free text finds what the summary shows, or compares a field", async () => {
    const name = await aDefinition();
    const id = await client.start(name, { note: "Zanzibar express" });
    expect(idsOf(await search("/workflow/search", { freeText: "zanzibar exp" }))).toEqual([id]);
    expect(idsOf(await search("/workflow/search", { freeText: `workflowType:"${name}"` }))).toEqual([id]);
    expect((await search("/workflow/search", { freeText: "Zanzibar", query: "status = COMPLETED" })).totalHits).toBe(0);
  });

  test("only top level, and only of a kind", async () => {
    const [child, parent] = [aName("child"), aName("parent")];
    await client.register(
      aWorkflow(child, [entry("WAIT", "w")], { metadata: { classifier: "Report" } }),
      aWorkflow(parent, [entry("SUB_WORKFLOW", "s", { subWorkflowParam: { name: child } })]),
    );
    const id = await client.start(parent);
    await client.until(id, ({ tasks }) => tasks[0]?.status === "IN_PROGRESS");
    const query = `workflowType IN (${child}, ${parent})`;
    expect(idsOf(await search("/workflow/search", { query, topLevelOnly: "true" }))).toEqual([id]);
    expect((await search("/workflow/search", { query, classifier: "report" })).totalHits).toBe(1);
    expect((await search("/workflow/search", { query, classifier: "report,workflow" })).totalHits).toBe(2);
  });

  test("what was archived stays in the summaries, what was removed does not", async () => {
    const name = await aDefinition();
    const [kept, gone] = [await client.start(name, { x: 1 }), await client.start(name)];
    await client.delete(`/workflow/${kept}/remove`);
    await client.delete(`/workflow/${gone}/remove?archiveWorkflow=false`);
    const page = await search("/workflow/search", { query: `workflowType = ${name}` });
    expect(page.results).toMatchObject([{ workflowId: kept, status: "TERMINATED", input: "{x=1}" }]);
    expect(await search("/workflow/search-v2", { query: `workflowType = ${name}` })).toEqual({
      totalHits: 0,
      results: [],
    });
  });

  test.each([
    ["query=nofield%3D1", "Cannot read the query at character 1: unknown field nofield"],
    ["query=status%3DRUNNING%20AND", "Cannot read the query at character 19: expected a clause after AND"],
    ["query=status", "Incorrectly formatted query string: status."],
    ["query=startTime%3Enow", "Cannot read the query at character 11: expected a time"],
    ["sort=zzz%3AASC", "Cannot read the sort order at character 1: unknown field zzz"],
    ["start=-1", "Expected start to be 0 or more, got -1"],
    ["size=abc", "Expected query parameter size to be a whole number"],
  ])("refuses %s and says where", async (query, message) => {
    const answer = await client.get(`/workflow/search?${query}`);
    expect(answer.json).toMatchObject({ status: 400, message: expect.stringContaining(message) });
  });

  test("refuses more than 5000 hits at once", async () => {
    expect((await client.get("/workflow/search-v2?size=5001")).json).toMatchObject({
      status: 400,
      validationErrors: [{ path: "searchWorkflowsV2.arg1", invalidValue: "5001" }],
    });
  });
});

describe("running", () => {
  test("gives ids of what is not over, by version, or of all in a span of time", async () => {
    const name = await aDefinition();
    const [one, two] = [await client.start(name), await client.start(name)];
    await client.put(`/workflow/${two}/pause`);
    const running = async (query = "") => (await client.get(`/workflow/running/${name}?${query}`)).json;
    expect(await running()).toEqual([one, two]);
    expect(await running("version=2")).toEqual([]);
    await client.delete(`/workflow/${one}`);
    expect(await running()).toEqual([two]);
    expect(await running(`startTime=1&endTime=${Date.now() + 1000}`)).toEqual([one, two]);
    expect(await running("startTime=1&endTime=2")).toEqual([]);
  });
});

describe("correlated", () => {
  test("gives the executions of a correlation id, open ones unless asked otherwise", async () => {
    const name = await aDefinition();
    const correlationId = `order/1 ${name}`;
    const id = await client.start(name, {}, { correlationId });
    const path = `/workflow/${name}/correlated`;
    const one = async (query = "") =>
      (await client.get(`${path}/${encodeURIComponent(correlationId)}?${query}`)).json as WireExecution[];
    expect(await one()).toMatchObject([{ workflowId: id, tasks: [] }]);
    expect((await one("includeTasks=true"))[0]?.tasks).toHaveLength(1);
    expect((await client.post(path, [correlationId, "none"])).json).toMatchObject({
      [correlationId]: [{ workflowId: id }],
      none: [],
    });
    await client.delete(`/workflow/${id}`);
    expect(await one()).toEqual([]);
    expect(await one("includeClosed=true")).toHaveLength(1);
    const batch = { correlationIds: [correlationId], workflowNames: [name, "other"] };
    expect((await client.post("/workflow/correlated/batch?includeClosed=true", batch)).json).toMatchObject({
      [correlationId]: [{ workflowId: id }],
    });
    expect((await client.post(path, { a: 1 })).status).toBe(400);
    expect((await client.post("/workflow/correlated/batch", { correlationIds: "x" })).status).toBe(400);
  });
});

describe("queues, for operators", () => {
  test("sizes, details, open tasks and a requeue that takes back what a worker holds", async () => {
    const name = await aDefinition();
    await client.start(name);
    await client.start(name);
    const held = await client.take(name);
    expect((await client.get(`/tasks/queue/sizes?taskType=${name},other`)).json).toEqual({ [name]: 1, other: 0 });
    expect((await client.get("/tasks/queue/sizes")).json).toEqual({});
    expect((await client.get("/tasks/queue/all/verbose")).json).toMatchObject({
      [name]: { size: 1, shards: { a: 1 } },
    });
    expect((await client.get(`/admin/task/${name}?count=5`)).json).toHaveLength(2);
    expect((await client.post(`/tasks/queue/requeue/${name}`)).text).toBe("2");
    expect((await client.get(`/tasks/queue/size?taskType=${name}`)).json).toBe(2);
    const again = await Promise.all([client.take(name), client.take(name)]);
    expect(again.map(({ taskId }) => taskId)).toContain(held.taskId);
    expect((await client.post("/tasks/queue/requeue/nothing")).text).toBe("0");
  });
});
