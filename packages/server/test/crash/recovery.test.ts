import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { aWorkflow, entry, simple } from "../support/definitions.ts";
import { aFolder, type ChildServer, removeFolder, startChildServer } from "../support/server.ts";

let folder: string;
let server: ChildServer;

beforeEach(async () => {
  folder = aFolder();
  server = await startChildServer({ folder });
});

afterEach(async () => {
  // Undefined when it did not start.
  await (server as ChildServer | undefined)?.kill();
  removeFolder(folder);
});

async function crash(): Promise<void> {
  await server.kill();
  server = await startChildServer({ folder });
}

test("a wait that falls due while no server runs is over soon after the next start", async () => {
  const wait = entry("WAIT", "wait", { inputParameters: { duration: "1 seconds" } });
  await server.client.register(aWorkflow("w", [wait]));
  const id = await server.client.start("w");
  await crash();
  expect((await server.client.ended(id)).status).toBe("COMPLETED");
});

test("a worker that never answers is timed out by the next server, and its task is offered again", async () => {
  await server.client.registerTasks({ name: "pay", retryCount: 1, retryDelaySeconds: 0, responseTimeoutSeconds: 1 });
  await server.client.register(aWorkflow("w", [simple("pay")]));
  const id = await server.client.start("w");
  const first = await server.client.take("pay");
  await crash();
  const second = await server.client.take("pay");
  expect([second.workflowInstanceId, second.retryCount]).toEqual([id, 1]);
  expect(second.taskId).not.toBe(first.taskId);
});

test("a call that was under way when the server died is made again by the next", async () => {
  const called: ServerResponse[] = [];
  const outside = createServer((_request, response) => {
    called.push(response);
    // The first call is never answered: its server dies first.
    if (called.length > 1) response.setHeader("content-type", "application/json").end('{"ok":true}');
  });
  outside.listen(0, "127.0.0.1");
  await once(outside, "listening");
  const { port } = outside.address() as AddressInfo;
  const http_request = { uri: `http://127.0.0.1:${port}/`, method: "GET" };
  await server.client.register(aWorkflow("w", [entry("HTTP", "call", { inputParameters: { http_request } })]));
  const id = await server.client.start("w");
  if (called.length === 0) await once(outside, "request");
  await crash();
  expect((await server.client.ended(id)).status).toBe("COMPLETED");
  expect(called).toHaveLength(2);
  outside.closeAllConnections();
  outside.close();
});

test("a result that is sent twice, before and after a crash, counts once", async () => {
  await server.client.register(aWorkflow("w", [simple("pay"), simple("ship")]));
  const id = await server.client.start("w");
  const task = await server.client.take("pay");
  await server.client.complete(task, { paid: 1 });
  await crash();
  await server.client.complete(task, { paid: 2 });
  expect((await server.client.task(task.taskId)).outputData).toEqual({ paid: 1 });
  const { tasks } = await server.client.execution(id);
  expect(tasks.map(({ referenceTaskName }) => referenceTaskName)).toEqual(["pay", "ship"]);
});

test("a second server on the same file does not start, and the first goes on", async () => {
  await expect(startChildServer({ folder })).rejects.toThrow("exit code 1");
  await server.client.register(aWorkflow("w", [simple("pay")]));
  expect(await server.client.start("w")).toMatch(/000000$/);
});
