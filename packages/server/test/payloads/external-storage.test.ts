import { afterAll, beforeAll, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { aName, aTask, aWorkflow, simple } from "../support/definitions.ts";
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

type Location = { readonly uri: string; readonly path: string };

const locate = async (kind: string, payloadType: string): Promise<Location> => {
  const query = `path=big/&operation=WRITE&payloadType=${payloadType}`;
  return (await client.get(`/${kind}/externalstoragelocation?${query}`)).json as Location;
};

const put = (uri: string, body: string) => fetch(uri, { method: "PUT", body });

test("a payload is put and fetched at the URL it is given", async () => {
  const { uri, path } = await locate("workflow", "WORKFLOW_INPUT");
  expect(path).toMatch(/^big\/[0-9a-f-]{36}\.json$/);
  expect((await fetch(uri)).status).toBe(404);
  expect((await put(uri, '{"x":1}')).status).toBe(200);
  expect(await (await fetch(uri)).json()).toEqual({ x: 1 });
  const read = await client.get(`/tasks/external-storage-location?path=${path}&operation=read&payloadType=task_output`);
  const { pathname } = new URL(uri);
  expect(read.json).toEqual({ uri: expect.stringMatching(`^http://.*${pathname}$`), path });
  const anywhere = await client.get("/tasks/externalstoragelocation?path=&operation=WRITE&payloadType=TASK_OUTPUT");
  expect((await put((anywhere.json as Location).uri, "{}")).status).toBe(200);
});

test("a start and a result may name their payload by its path", async () => {
  const name = aName("large");
  await client.registerTasks(aTask(name));
  await client.register(aWorkflow(name, [simple(name, "a", { inputParameters: { x: "${workflow.input.x}" } })]));
  const input = await locate("workflow", "WORKFLOW_INPUT");
  await put(input.uri, '{"x":"from outside"}');
  const started = await client.post("/workflow", { name, externalInputPayloadStoragePath: input.path });
  const task = await client.take(name);
  expect(task.inputData).toEqual({ x: "from outside" });
  const output = await locate("tasks", "TASK_OUTPUT");
  await put(output.uri, '{"y":2}');
  await client.update(task, { status: "COMPLETED", externalOutputPayloadStoragePath: output.path });
  expect((await client.ended(started.text)).output).toEqual({ y: 2 });
});

test("paths out of the store, missing payloads and unknown words are refused", async () => {
  const base = client.base;
  expect((await put(`${base}/external-storage/..%2F..%2Fevil`, "{}")).status).toBe(400);
  expect((await fetch(`${base}/external-storage/..%2Ftest.db`)).status).toBe(404);
  expect((await client.post("/workflow", { name: "large_1", externalInputPayloadStoragePath: "none" })).status).toBe(
    400,
  );
  const bad = await client.get("/workflow/externalstoragelocation?path=p&operation=COPY&payloadType=TASK_INPUT");
  expect(bad.json).toMatchObject({ status: 400, message: "Invalid input - Operation: COPY, PayloadType: TASK_INPUT" });
  expect((await client.get("/workflow/externalstoragelocation?path=p")).status).toBe(400);
});
