import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { aName, aTask, aWorkflow, entry, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";

/** Memory holds only a window of each queue; here it is so small that everything is beyond it. */
let server: TestServer;
let client: Client;
let target: Server;
/** Calls that are kept waiting; undefined once all are answered at once. */
let held: ServerResponse[] | undefined = [];
beforeAll(async () => {
  server = await startServer({ settings: { "service.queue.window": "3" } });
  client = server.client;
  target = createServer((request, response) => {
    if (request.url === "/held" && held !== undefined) held.push(response);
    else response.end("{}");
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  target.close();
  await server.close();
});

test("work that did not fit the window is handed out before work that came later", async () => {
  const name = aName("window");
  await client.register(aWorkflow(name, [simple(name, "t")]));
  const ids: string[] = [];
  for (let i = 0; i < 8; i++) ids.push(await client.start(name));
  const taken: string[] = [];
  for (let i = 0; i < 16; i++) {
    taken.push((await client.take(name)).workflowInstanceId);
    if (i < 8) ids.push(await client.start(name));
  }
  expect(taken).toEqual(ids);
});

test("work that a limit holds back does not hide other work of the same queue", async () => {
  const { port } = target.address() as AddressInfo;
  const call = (ref: string, path: string) =>
    entry("HTTP", ref, {
      inputParameters: { http_request: { uri: `http://127.0.0.1:${port}${path}`, method: "GET", readTimeOut: 20_000 } },
    });
  const limited = aName("limited_call");
  await client.registerTasks(aTask(limited, { concurrentExecLimit: 1 }));
  await client.register(
    aWorkflow(limited, [{ ...call("h", "/held"), name: limited }]),
    aWorkflow("free_call", [call("h", "/free")]),
  );
  const waiting: string[] = [];
  for (let i = 0; i < 8; i++) waiting.push(await client.start(limited));
  const free = await client.ended(await client.start("free_call"));
  expect(free.status).toBe("COMPLETED");
  expect(held).toHaveLength(1);
  for (const response of held?.splice(0) ?? []) response.end("{}");
  held = undefined;
  for (const id of waiting) expect((await client.ended(id)).status).toBe("COMPLETED");
});
