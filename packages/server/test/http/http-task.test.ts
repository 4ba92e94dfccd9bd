import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, eventually, type Json, type WireExecution } from "../support/client.ts";
import { aName, aTask, aWorkflow, entry } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";

type Hit = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

let server: TestServer;
let client: Client;
let target: Server;
let origin: string;
const hits: Hit[] = [];
const held: ServerResponse[] = [];

beforeAll(async () => {
  target = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const path = request.url ?? "";
    hits.push({ method: request.method ?? "", path, headers: request.headers, body });
    const send = (status: number, type: string, text: string) => {
      response.writeHead(status, { "content-type": type, "x-served": "yes" });
      response.end(text);
    };
    if (path.startsWith("/held")) held.push(response);
    else if (path.startsWith("/json")) send(200, "application/json", '{"a":{"b":[1,null]}}');
    else if (path.startsWith("/text")) send(200, "text/plain", "plain");
    else if (path.startsWith("/none")) send(204, "text/plain", "");
    else if (path.startsWith("/echo")) send(200, "application/json", JSON.stringify({ body, method: request.method }));
    else if (path.startsWith("/500")) send(500, "application/json", '{"error":"boom"}');
    else if (path.startsWith("/404")) send(404, "text/plain", "nope");
    else send(200, "application/json", "{}");
  });
  target.listen(0, "127.0.0.1");
  await once(target, "listening");
  origin = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  server = await startServer({
    env: { SERVICE_SECRET_TOKEN: "s3cr3t", SERVICE_SECRET_JSON: '{"key":"inner5"}' },
  });
  client = server.client;
});
afterAll(async () => {
  await server.close();
  target.closeAllConnections();
  target.close();
  expect(server.errors).toEqual([]);
});

async function call(httpRequest: Json, more: Json = {}): Promise<WireExecution> {
  return await client.ended(await begin(httpRequest, more));
}

async function begin(httpRequest: Json, more: Json = {}): Promise<string> {
  const name = aName("http");
  await client.register(
    aWorkflow(name, [entry("HTTP", "h", { inputParameters: { http_request: httpRequest }, ...more })]),
  );
  return await client.start(name);
}

describe("an HTTP task", () => {
  test("S24: puts status, headers and body of the answer into its output", async () => {
    const { status, tasks } = await call({ uri: `${origin}/json`, method: "GET" });
    expect(status).toBe("COMPLETED");
    expect(tasks[0]).toMatchObject({
      taskType: "HTTP",
      status: "COMPLETED",
      outputData: {
        response: {
          statusCode: 200,
          reasonPhrase: "OK",
          headers: { "x-served": ["yes"], "content-type": ["application/json"] },
          body: { a: { b: [1, null] } },
        },
      },
    });
  });

  test("sends its body as JSON, with the headers it was given", async () => {
    const path = `/echo/${aName("h")}`;
    const execution = await call({
      uri: origin + path,
      method: "POST",
      headers: { "X-Own": "1" },
      body: { k: "ü", n: [1] },
    });
    expect(execution.tasks[0]?.outputData).toMatchObject({ response: { body: { method: "POST" } } });
    const hit = hits.find((one) => one.path === path);
    expect(JSON.parse(hit?.body ?? "")).toEqual({ k: "ü", n: [1] });
    expect(hit?.headers).toMatchObject({ "x-own": "1", accept: "application/json" });
    expect(hit?.headers["content-type"]).toContain("application/json");
  });

  test.each([
    ["text", "/text", "plain"],
    ["nothing", "/none", null],
  ])("takes an answer that is %s", async (_what, path, body) => {
    const { status, tasks } = await call({ uri: origin + path, method: "GET" });
    expect(status).toBe("COMPLETED");
    const { response } = tasks[0]?.outputData ?? {};
    expect((response as Json)["body"] ?? null).toEqual(body);
  });

  test.each([
    [500, "/500", { error: "boom" }],
    [404, "/404", "nope"],
  ])("fails on an answer of %d and shows the whole of it", async (statusCode, path, body) => {
    const { status, tasks } = await call({ uri: origin + path, method: "GET" });
    expect(status).toBe("FAILED");
    expect(tasks[0]).toMatchObject({
      status: "FAILED",
      outputData: { response: { statusCode, body, headers: { "x-served": ["yes"] } } },
    });
  });

  test("is called whatever group its definition puts workers in", async () => {
    const name = aName("grouped");
    await client.registerTasks(aTask(name, { isolationGroupId: "g", executionNameSpace: "ns" }));
    expect(await call({ uri: origin, method: "GET" }, { name })).toMatchObject({ status: "COMPLETED" });
  });

  test("is retried as its task definition says", async () => {
    const name = aName("retried");
    const path = `/500/${name}`;
    await client.registerTasks(aTask(name, { retryCount: 2, retryDelaySeconds: 0 }));
    const { tasks } = await call({ uri: origin + path, method: "GET" }, { name });
    expect(tasks).toHaveLength(3);
    expect(hits.filter((hit) => hit.path === path)).toHaveLength(3);
  });

  test("fails when nobody listens, and when the answer does not come in time", async () => {
    const refused = await call({ uri: "http://127.0.0.1:1/", method: "GET" });
    expect(refused).toMatchObject({ status: "FAILED", tasks: [{ status: "FAILED" }] });
    const late = await call({ uri: `${origin}/held`, method: "GET", readTimeOut: 200 });
    expect(late).toMatchObject({ status: "FAILED", tasks: [{ status: "FAILED" }] });
  });

  test("with asyncComplete stays open after its call until it is completed from outside", async () => {
    const path = `/json/${aName("async")}`;
    const id = await begin({ uri: origin + path, method: "GET" }, { asyncComplete: true });
    const open = await client.until(id, ({ tasks }) => tasks[0]?.outputData["response"] !== undefined);
    expect(open).toMatchObject({ status: "RUNNING", tasks: [{ status: "IN_PROGRESS" }] });
    await client.post(`/tasks/${id}/h/COMPLETED`, { extra: 1 });
    expect(await client.ended(id)).toMatchObject({
      status: "COMPLETED",
      output: { extra: 1, response: { statusCode: 200 } },
    });
    expect(hits.filter((hit) => hit.path === path)).toHaveLength(1);
  });

  test("is called off when its execution is terminated", async () => {
    const path = `/held/${aName("cancel")}`;
    const id = await begin({ uri: origin + path, method: "GET", readTimeOut: 30_000 });
    const response = await eventually(async () => held.find(({ req }) => req.url === path));
    const closed = once(response, "close");
    await client.delete(`/workflow/${id}`);
    await closed;
    expect(await client.execution(id)).toMatchObject({ status: "TERMINATED", tasks: [{ status: "CANCELED" }] });
  });

  test("does not make others wait while its answer is out", async () => {
    const path = `/held/${aName("slow")}`;
    const slow = await begin({ uri: origin + path, method: "GET", readTimeOut: 30_000 });
    await eventually(async () => held.find(({ req }) => req.url === path));
    expect(await call({ uri: `${origin}/json`, method: "GET" })).toMatchObject({ status: "COMPLETED" });
    held.find(({ req }) => req.url === path)?.end("{}");
    expect(await client.ended(slow)).toMatchObject({ status: "COMPLETED" });
  });

  test("may take its request from the parameters themselves", async () => {
    const name = aName("flat");
    await client.register(
      aWorkflow(name, [entry("HTTP", "h", { inputParameters: { uri: `${origin}/json`, method: "GET" } })]),
    );
    expect(await client.ended(await client.start(name))).toMatchObject({ status: "COMPLETED" });
  });
});

describe("a secret in an HTTP task", () => {
  test("is sent, and is never part of what is stored", async () => {
    const path = `/json/${aName("secret")}`;
    const execution = await call({
      uri: origin + path,
      method: "POST",
      headers: { Authorization: "Bearer ${workflow.secrets.TOKEN}" },
      body: { key: "${workflow.secrets.JSON.key}" },
    });
    expect(execution.status).toBe("COMPLETED");
    const hit = hits.find((one) => one.path === path);
    expect(hit?.headers.authorization).toBe("Bearer s3cr3t");
    expect(JSON.parse(hit?.body ?? "")).toEqual({ key: "inner5" });
    const shown = JSON.stringify(execution);
    expect(shown).not.toContain("s3cr3t");
    expect(shown).not.toContain("inner5");
  });
});
