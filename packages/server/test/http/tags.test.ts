import { afterAll, beforeAll, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { aTask, aWorkflow, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let client: Client;

beforeAll(async () => {
  server = await startServer();
  client = server.client;
  await client.registerTasks(aTask("packer"));
  await client.register(aWorkflow("orders", [simple("packer")]));
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

const tag = (key: string, value: string) => ({ key, value, type: "METADATA" });

test("workflow and task definitions carry tags", async () => {
  for (const path of ["/metadata/workflow/orders/tags", "/metadata/task/packer/tags"]) {
    expect((await client.get(path)).json).toEqual([]);
    await client.post(path, tag("team", "a"));
    await client.post(path, [tag("team", "a"), { key: "tier", value: "1" }]);
    expect((await client.get(path)).json).toEqual([tag("team", "a"), tag("tier", "1")]);
    await client.send("DELETE", path, { body: tag("team", "a") });
    expect((await client.get(path)).json).toEqual([tag("tier", "1")]);
    await client.put(path, [tag("only", path)]);
    expect((await client.get(path)).json).toEqual([tag("only", path)]);
  }
  expect((await client.get("/metadata/tags")).json).toHaveLength(2);
});

test("tags given at the same moment are all kept", async () => {
  const path = "/metadata/workflow/orders/tags";
  await client.put(path, []);
  await Promise.all(Array.from({ length: 10 }, (_, n) => client.post(path, tag("n", String(n)))));
  expect((await client.get(path)).json).toHaveLength(10);
});

test("what is not there cannot be tagged, and a tag needs a key and a value", async () => {
  expect((await client.get("/metadata/workflow/none/tags")).status).toBe(404);
  expect((await client.post("/metadata/task/none/tags", tag("a", "b"))).status).toBe(404);
  const path = "/metadata/workflow/orders/tags";
  expect((await client.post(path, { key: "a" })).json).toMatchObject({
    status: 400,
    message: "Expected value of tag 0 to be a text",
  });
  expect((await client.post(path, "team")).status).toBe(400);
  expect((await client.send("DELETE", path)).status).toBe(400);
});
