import { afterEach, beforeEach, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { aName, aWorkflow, entry, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { expectRefusal } from "./wire.ts";

let server: TestServer;
let client: Client;
beforeEach(async () => {
  server = await startServer();
  client = server.client;
});
afterEach(() => server.close());

test("a value that fits is taken while another's pattern takes for ever", async () => {
  const name = aName("pattern");
  const data = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } };
  await client.register(
    aWorkflow(name, [entry("NOOP", "n")], { inputSchema: { name: "s", type: "JSON", data }, enforceSchema: true }),
  );
  const endless = client.post(`/workflow/${name}`, { a: `${"a".repeat(40)}!` });
  const fine = await client.post(`/workflow/${name}`, { a: "aaa" });
  await endless;
  expect(fine.status).toBe(200);
});

test("a schema that is nothing but itself is answered in words", async () => {
  const name = aName("schema");
  await client.register(
    aWorkflow(name, [entry("NOOP", "n")], { inputSchema: { name: "s", data: { $ref: "#" } }, enforceSchema: true }),
  );
  expectRefusal(name, await client.post(`/workflow/${name}`, {}));
});

test("an execution that contains itself ends by itself, level by level", async () => {
  const name = aName("self");
  await client.register(aWorkflow(name, [entry("SUB_WORKFLOW", "me", { subWorkflowParam: { name, version: 1 } })]));
  const id = await client.start(name);
  expect(await client.ended(id)).toMatchObject({ status: "FAILED" });
  const query = encodeURIComponent(`workflowType = ${name}`);
  const { json } = await client.get(`/workflow/search?size=200&query=${query}`);
  expect(json).toMatchObject({ totalHits: 101 });
  const deepest = (json as { results: { reasonForIncompletion: string }[] }).results.at(-1);
  expect(deepest?.reasonForIncompletion).toContain("Sub-workflows may be nested 100 deep at most");
});

test.each(["constructor", "toString", "__proto__"])("a worker's task may be called %s", async (type) => {
  const id = await client.start("odd", {}, { workflowDef: aWorkflow("odd", [simple(type, "t")]) });
  await client.complete(await client.take(type));
  expect(await client.ended(id)).toMatchObject({ status: "COMPLETED" });
});

test("a text that would be longer than texts can be fails its task", async () => {
  const long = entry("SET_VARIABLE", "s", { inputParameters: { v: "${workflow.input.a}".repeat(20_000) } });
  const id = await client.start("long", { a: "x".repeat(100_000) }, { workflowDef: aWorkflow("long", [long]) });
  expect(await client.ended(id)).toMatchObject({ status: "FAILED" });
});

test("a payload's path that the file system cannot take is refused", async () => {
  await client.put("/external-storage/file", {});
  for (const path of ["n".repeat(4000), "file/inside"])
    expectRefusal(path.slice(0, 20), await client.put(`/external-storage/${path}`, {}));
});

test("a payload that is no JSON is refused", async () => {
  expect((await client.send("PUT", "/external-storage/text", { text: "hello" })).status).toBe(400);
});
