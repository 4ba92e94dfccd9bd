import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { aName, aTask, aWorkflow, entry, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { type StreamEvent, Watcher } from "../support/watcher.ts";

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

async function aDefinition(): Promise<string> {
  const name = aName("watched");
  await client.registerTasks(aTask(name));
  await client.register(aWorkflow(name, [simple(name, "a"), simple(name, "b")]));
  return name;
}

const ofTask =
  (ref: string, status: string) =>
  ({ event, data }: StreamEvent) =>
    event === "task" && data["referenceTaskName"] === ref && data["status"] === status;
const ofStatus =
  (status: string) =>
  ({ event, data }: StreamEvent) =>
    event === "workflow" && data["status"] === status;

describe("the stream of an execution", () => {
  test("begins with how it stands and goes on with every change", async () => {
    const name = await aDefinition();
    const id = await client.start(name);
    const watcher = await Watcher.open(client, `/workflow/${id}/stream`);
    expect(await watcher.next()).toMatchObject({ event: "workflow", data: { workflowId: id, status: "RUNNING" } });
    expect(await watcher.next()).toMatchObject({
      event: "task",
      data: { referenceTaskName: "a", status: "SCHEDULED" },
    });
    const task = await client.take(name, { workerid: "me" });
    expect(await watcher.next()).toMatchObject({ event: "task", data: { status: "IN_PROGRESS", workerId: "me" } });
    await client.complete(task);
    await watcher.until(ofTask("a", "COMPLETED"));
    await watcher.until(ofTask("b", "SCHEDULED"));
    await client.complete(await client.take(name));
    const { id: last } = await watcher.until(ofStatus("COMPLETED"));
    watcher.close();
    const again = await Watcher.open(client, `/workflow/${id}/stream`, last);
    expect(await again.next()).toMatchObject({ event: "workflow", data: { status: "COMPLETED" } });
    await again.until(ofTask("b", "COMPLETED"));
    again.close();
  });

  test("of thousands of tasks is told at the reader's pace", async () => {
    const name = aName("long");
    const body = [entry("SET_VARIABLE", "s", { inputParameters: { x: 1 } }), entry("NOOP", "n")];
    const loop = entry("DO_WHILE", "l", {
      loopCondition: "$.l.iteration < 1500",
      inputParameters: { l: "${l.output}" },
      loopOver: body,
    });
    await client.register(aWorkflow(name, [loop]));
    const id = await client.start(name);
    await client.ended(id);
    const watcher = await Watcher.open(client, `/workflow/${id}/stream`);
    for (let count = 0; count < 3002; count++) await watcher.next();
    watcher.close();
  });

  test("is not opened by a look at it", async () => {
    const id = await client.start(await aDefinition());
    for (const path of [`/workflow/${id}/stream`, "/workflow/stream"]) {
      const { status, headers } = await client.send("HEAD", path);
      expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    }
  });

  test("of an unknown execution is a 404", async () => {
    expect((await client.get("/workflow/none/stream")).status).toBe(404);
  });

  test("has many watchers, who all hear the same", async () => {
    const name = await aDefinition();
    const id = await client.start(name);
    const watchers = await Promise.all(
      Array.from({ length: 50 }, () => Watcher.open(client, `/workflow/${id}/stream`)),
    );
    await client.delete(`/workflow/${id}?reason=enough`);
    const ends = await Promise.all(watchers.map((watcher) => watcher.until(ofStatus("TERMINATED"))));
    expect(new Set(ends.map(({ data }) => data["reasonForIncompletion"]))).toEqual(new Set(["enough"]));
    for (const watcher of watchers) watcher.close();
  });
});

describe("the stream of a query", () => {
  test("tells of status changes of what matches, and of nothing else", async () => {
    const [name, other] = [await aDefinition(), await aDefinition()];
    const query = encodeURIComponent(`workflowType = '${name}' AND status IN (RUNNING, TERMINATED)`);
    const watcher = await Watcher.open(client, `/workflow/stream?query=${query}`);
    await client.start(other);
    const id = await client.start(name);
    expect(await watcher.next()).toMatchObject({ event: "workflow", data: { workflowId: id, status: "RUNNING" } });
    await client.put(`/workflow/${id}/pause`);
    await client.delete(`/workflow/${id}`);
    const { id: last } = await watcher.until(ofStatus("TERMINATED"));
    watcher.close();
    const second = await client.start(name);
    const again = await Watcher.open(client, `/workflow/stream?query=${query}`, last);
    await again.until(({ data }) => data["workflowId"] === second);
    again.close();
  });

  test("tells of tasks where asked for", async () => {
    const name = await aDefinition();
    const query = encodeURIComponent(`workflowType = '${name}'`);
    const watcher = await Watcher.open(client, `/workflow/stream?includeTasks=true&query=${query}`);
    await client.start(name);
    await watcher.until(ofTask("a", "SCHEDULED"));
    await client.take(name);
    await watcher.until(ofTask("a", "IN_PROGRESS"));
    watcher.close();
  });

  test("that cannot be read is a 400", async () => {
    expect((await client.get("/workflow/stream?query=nofield%3D1")).status).toBe(400);
  });
});

test("streams end when the server stops", async () => {
  const own = await startServer();
  const response = await fetch(`${own.client.base}/workflow/stream`);
  const body = response.text();
  await own.close();
  expect(await body).toContain(":");
});
