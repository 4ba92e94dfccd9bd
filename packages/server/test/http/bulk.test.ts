import { afterAll, beforeAll, expect, test } from "vitest";
import type { Client, Json } from "../support/client.ts";
import { aName, aTask, aWorkflow, entry, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let client: Client;
const name = aName("bulk");
const nobody = "01900000-0000-7000-8000-000000000000";

beforeAll(async () => {
  server = await startServer();
  client = server.client;
  await client.registerTasks(aTask(name));
  await client.register(aWorkflow(name, [simple(name)]), aWorkflow("done", [entry("NOOP", "n")]));
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

const unknown = { [nobody]: `No such workflow found by id: ${nobody}` };

const starts = (count: number): Promise<readonly string[]> =>
  Promise.all(Array.from({ length: count }, () => client.start(name)));

const statusesOf = async (ids: readonly string[]): Promise<readonly string[]> =>
  Promise.all(ids.map(async (id) => (await client.execution(id)).status));

async function bulk(method: string, path: string, body: unknown): Promise<Json> {
  const answer = await client.send(method, `/workflow/bulk/${path}`, { body });
  expect(answer.status).toBe(200);
  return answer.json as Json;
}

test("each execution is treated on its own, and what went wrong is said for each", async () => {
  const ids = await starts(3);
  const all = [...ids, nobody];
  expect(await bulk("PUT", "pause", all)).toEqual({ bulkErrorResults: unknown, bulkSuccessfulResults: ids });
  expect(await statusesOf(ids)).toEqual(["PAUSED", "PAUSED", "PAUSED"]);
  expect(await bulk("PUT", "resume", all)).toEqual({ bulkErrorResults: unknown, bulkSuccessfulResults: ids });
  const again = await bulk("PUT", "resume", ids);
  expect(again["bulkSuccessfulResults"]).toEqual([]);
  expect(again["bulkErrorResults"]).toMatchObject({
    [ids[0] ?? ""]: `The workflow ${ids[0]} is not PAUSED so cannot resume. Current status is RUNNING`,
  });
  expect(await bulk("POST", "terminate?reason=enough", all)).toMatchObject({ bulkSuccessfulResults: ids });
  expect((await client.execution(ids[0] ?? "")).reasonForIncompletion).toBe("enough");
  expect(await bulk("POST", "retry", ids)).toMatchObject({ bulkErrorResults: {}, bulkSuccessfulResults: ids });
  await bulk("POST", "terminate", ids);
  expect(await bulk("POST", "restart?useLatestDefinitions=true", ids)).toMatchObject({ bulkSuccessfulResults: ids });
  expect(await statusesOf(ids)).toEqual(["RUNNING", "RUNNING", "RUNNING"]);
});

test("removing lists an id once, and only when it is gone", async () => {
  const [running = "", other = ""] = await starts(2);
  const done = await client.start("done");
  const answer = await bulk("DELETE", "terminate-remove?archiveWorkflow=false&reason=x", [running, done, running]);
  expect(answer).toEqual({
    bulkErrorResults: { [done]: "Cannot terminate a COMPLETED workflow." },
    bulkSuccessfulResults: [running],
  });
  expect((await client.get(`/workflow/${running}`)).status).toBe(404);
  expect(await bulk("DELETE", "remove", [other, done])).toMatchObject({ bulkSuccessfulResults: [other, done] });
  expect((await client.get(`/workflow/${done}`)).status).toBe(404);
});

test("search gives whole executions", async () => {
  const [id = ""] = await starts(1);
  const answer = await bulk("POST", "search?includeTasks=false", [id, nobody]);
  expect(answer).toMatchObject({ bulkErrorResults: unknown, bulkSuccessfulResults: [{ workflowId: id, tasks: [] }] });
  expect(await bulk("POST", "search", [id])).toMatchObject({
    bulkSuccessfulResults: [{ tasks: [{ taskType: name }] }],
  });
});

test("no ids, too many and other things than ids are refused", async () => {
  const answer = async (body: unknown) => (await client.send("PUT", "/workflow/bulk/pause", { body })).json;
  expect(await answer([])).toMatchObject({
    status: 400,
    validationErrors: [{ path: "pauseWorkflow.arg0", message: "WorkflowIds list cannot be null." }],
  });
  expect(await answer(Array.from({ length: 1001 }, (_, index) => `id${index}`))).toMatchObject({
    validationErrors: [{ message: "Cannot process more than 1000 workflows. Please use multiple requests." }],
  });
  expect(await answer({ a: 1 })).toMatchObject({
    status: 400,
    message: "Expected a list of texts as body, got an object",
  });
  expect(await answer([{}])).toMatchObject({ status: 400 });
});
