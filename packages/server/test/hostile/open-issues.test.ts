import { afterEach, beforeEach, expect, test } from "vitest";
import { taskResultSchema } from "../../src/http/task-update.ts";
import { type Client, eventually } from "../support/client.ts";
import { aName, aWorkflow, entry, simple } from "../support/definitions.ts";
import { aFolder, removeFolder, startChildServer, startServer, type TestServer } from "../support/server.ts";
import { expectRefusal } from "./wire.ts";
import { withValue, wrongValuesOf } from "./wrong-values.ts";

// What hostile input still gets through. Each test says what should be; the day it is, the test goes to its place.

let server: TestServer;
let client: Client;
beforeEach(async () => {
  server = await startServer();
  client = server.client;
});
afterEach(() => server.close());

test.fails("a value that fits is taken while another's pattern takes for ever", async () => {
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

test.fails("a schema that is nothing but itself is answered in words", async () => {
  const name = aName("schema");
  await client.register(
    aWorkflow(name, [entry("NOOP", "n")], { inputSchema: { name: "s", data: { $ref: "#" } }, enforceSchema: true }),
  );
  expectRefusal(name, await client.post(`/workflow/${name}`, {}));
});

test.fails("an execution that contains itself can be ended", async () => {
  const folder = aFolder();
  // A process of its own, to be killed: it would go on for ever.
  const own = await startChildServer({ folder });
  try {
    const name = aName("self");
    await own.client.register(
      aWorkflow(name, [entry("SUB_WORKFLOW", "me", { subWorkflowParam: { name, version: 1 } })]),
    );
    const id = await own.client.start(name);
    const running = async () => ((await own.client.get(`/workflow/running/${name}`)).json as string[]).length;
    await eventually(async () => ((await running()) > 20 ? true : undefined));
    await own.client.delete(`/workflow/${id}`);
    await eventually(async () => ((await running()) === 0 ? true : undefined), 2000);
  } finally {
    await own.kill();
    removeFolder(folder);
  }
});

test.fails.each(["constructor", "toString", "__proto__"])("a worker's task may be called %s", async (type) => {
  const id = await client.start("odd", {}, { workflowDef: aWorkflow("odd", [simple(type, "t")]) });
  await client.complete(await client.take(type));
  expect(await client.ended(id)).toMatchObject({ status: "COMPLETED" });
});

test.fails("a text that would be longer than texts can be fails its task", async () => {
  const long = entry("SET_VARIABLE", "s", { inputParameters: { v: "${workflow.input.a}".repeat(20_000) } });
  const id = await client.start("long", { a: "x".repeat(100_000) }, { workflowDef: aWorkflow("long", [long]) });
  expect(await client.ended(id)).toMatchObject({ status: "FAILED" });
});

test.fails("a payload's path that the file system cannot take is refused", async () => {
  await client.put("/external-storage/file", {});
  for (const path of ["n".repeat(4000), "file/inside"])
    expectRefusal(path.slice(0, 20), await client.put(`/external-storage/${path}`, {}));
});

test.fails("a payload that is no JSON is refused", async () => {
  expect((await client.send("PUT", "/external-storage/text", { text: "hello" })).status).toBe(400);
});

test.fails("every value of the wrong kind in a task result is refused", async () => {
  const name = aName("result");
  await client.register(aWorkflow(name, [simple(name, "t")]));
  const id = await client.start(name);
  const [task] = (await client.execution(id)).tasks;
  const base = { workflowInstanceId: id, taskId: task?.taskId, status: "IN_PROGRESS" };
  for (const { way, value } of wrongValuesOf(taskResultSchema, [])) {
    if (way.length > 0)
      expect([way, value, (await client.post("/tasks", withValue(base, way, value))).status]).toEqual([
        way,
        value,
        400,
      ]);
  }
});
