import { afterAll, beforeAll, expect, test } from "vitest";
import { type Client, eventually, type Json } from "../support/client.ts";
import { aName, aTask, aWorkflow, entry, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let client: Client;

beforeAll(async () => {
  server = await startServer({
    settings: { "service.retention.default": "1s", "service.retention.interval": "100ms" },
  });
  client = server.client;
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

const isGone = async (id: string) => ((await client.get(`/workflow/${id}`)).status === 404 ? true : undefined);
const found = async (name: string) =>
  ((await client.get(`/workflow/search?query=workflowType%3D${name}`)).json as { totalHits: number }).totalHits;

test("ended executions go when their time is over, with their children; others stay", async () => {
  const [child, parent, kept] = [aName("child"), aName("parent"), aName("kept")];
  await client.registerTasks(aTask(kept));
  await client.register(
    aWorkflow(child, [entry("NOOP", "n")]),
    aWorkflow(parent, [entry("SUB_WORKFLOW", "s", { subWorkflowParam: { name: child } })]),
    aWorkflow(kept, [entry("NOOP", "n")], { metadata: { retention: "1d" } }),
    aWorkflow("running", [simple(kept, "t")]),
  );
  const [family, keptOne, running] = [
    await client.start(parent),
    await client.start(kept),
    await client.start("running"),
  ];
  const { tasks } = await client.ended(family);
  await eventually(() => isGone(family));
  expect(await isGone(tasks[0]?.subWorkflowId ?? "")).toBe(true);
  expect([await found(parent), await found(child)]).toEqual([0, 0]);
  expect((await client.execution(keptOne)).status).toBe("COMPLETED");
  expect((await client.execution(running)).status).toBe("RUNNING");
});

test("what would go can be asked for", async () => {
  const name = aName("rule");
  await client.register(aWorkflow(name, [entry("NOOP", "n")], { metadata: { retention: 3600 } }));
  await client.start(name);
  const rules = (await client.get("/admin/retention")).json as Json[];
  expect(rules).toContainEqual({ workflowType: name, keepSeconds: 3600, executions: 0 });
  expect(rules.at(-1)).toMatchObject({ workflowType: "*", keepSeconds: 1 });
});
