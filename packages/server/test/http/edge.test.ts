import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client, Json } from "../support/client.ts";
import { aName, aWorkflow, entry, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let client: Client;
let name: string;
beforeAll(async () => {
  server = await startServer({ settings: { "service.server.body-limit": "1MB" } });
  client = server.client;
  name = aName("edge");
  await client.register(aWorkflow(name, [simple(name, "t")]));
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

/** Sends a path exactly as it is written; fetch would tidy it up. */
async function sendRaw(method: string, path: string): Promise<{ status: number; headers: Json; text: string }> {
  const { hostname, port } = new URL(client.base);
  const call = request({ hostname, port, method, path, agent: new Agent() });
  call.end();
  const [response] = (await once(call, "response")) as [IncomingMessage];
  const text = Buffer.concat(await response.toArray()).toString();
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

/** Sends bytes and reads until the server hangs up. */
async function sendBytes(bytes: string): Promise<string> {
  const { hostname, port } = new URL(client.base);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  return Buffer.concat(await socket.toArray()).toString();
}

const errorBody = (status: number, message: unknown) => ({
  status,
  message,
  instance: expect.any(String),
  retryable: false,
});

describe("an answer", () => {
  test("of JSON has exactly the JSON content type", async () => {
    const id = await client.start(name);
    const [task] = (await client.execution(id)).tasks;
    for (const path of [
      "/metadata/workflow",
      `/metadata/workflow/${name}`,
      "/metadata/taskdefs",
      `/workflow/${id}`,
      `/workflow/${id}/status`,
      `/workflow/${id}/tasks`,
      `/tasks/${task?.taskId}`,
      "/tasks/queue/all",
      `/tasks/queue/size?taskType=${name}`,
      "/tasks/queue/polldata/all",
      "/tasks/poll/batch/nobody",
      "/health",
      "/workflow/nobody",
      "/no/such/path",
    ]) {
      const answer = await client.get(path);
      expect([path, answer.headers.get("content-type")]).toEqual([path, "application/json"]);
      expect(answer.json).toBeDefined();
    }
  });

  test("that is empty says that its length is 0 and has no content type", async () => {
    const id = await client.start(name);
    for (const [method, path, body] of [
      ["PUT", `/workflow/${id}/pause`, undefined],
      ["PUT", `/workflow/${id}/resume`, undefined],
      ["PUT", `/workflow/decide/${id}`, undefined],
      ["POST", `/workflow/${id}/resetcallbacks`, undefined],
      ["POST", "/metadata/taskdefs", [{ name: aName("t") }]],
      ["POST", "/metadata/workflow", aWorkflow(aName("w"), [simple("a")])],
      ["POST", `/tasks/${id}/t/IN_PROGRESS`, {}],
      ["DELETE", `/workflow/${id}`, undefined],
      ["POST", `/workflow/${id}/restart`, undefined],
      ["DELETE", `/workflow/${id}/remove`, undefined],
    ] as const) {
      const answer = await client.send(method, path, { body });
      expect([path, answer.status, answer.headers.get("content-length")]).toEqual([path, 200, "0"]);
      expect(answer.headers.get("content-type")).toBeNull();
    }
  });

  test("of no content has neither body nor type", async () => {
    const answer = await client.get("/tasks/poll/nobody");
    expect(answer.status).toBe(204);
    expect(answer.headers.get("content-length")).toBeNull();
    expect(answer.headers.get("content-type")).toBeNull();
  });

  test("ignores what the caller would accept, and any authorization it sends", async () => {
    const headers = { accept: "text/html", "x-authorization": "nonsense" };
    const answer = await client.send("GET", `/metadata/workflow/${name}`, { headers });
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("a path", () => {
  test.each(["/api/no/such/path", "/api/token", "/api/workflow/a/b/c/d/e", "/nowhere", "/api"])(
    "that nobody knows is a 404: %s",
    async (path) => {
      for (const method of ["GET", "POST", "DELETE"]) {
        const { status, text } = await sendRaw(method, path);
        expect(status).toBe(404);
        expect(JSON.parse(text)).toEqual(errorBody(404, `No static resource ${path.slice(1)}.`));
      }
    },
  );

  test.each([
    ["GET", "/tasks"],
    ["POST", "/tasks/poll/x"],
    ["PUT", "/metadata/workflow/x"],
    ["DELETE", "/metadata/workflow/x"],
    ["PATCH", "/workflow"],
    ["DELETE", "/tasks/queue/all"],
    ["PUT", "/metadata/workflow/x/rate-limit"],
    ["GET", "/tasks/queue/x/y"],
  ])("that other methods know is a 405: %s %s", async (method, path) => {
    const answer = await client.send(method, path);
    expect(answer.status).toBe(405);
    expect(answer.json).toEqual(errorBody(405, `Request method '${method}' is not supported`));
    expect(answer.headers.get("allow")).not.toBeNull();
  });

  test("answers OPTIONS with nothing when it is known, and 404 when it is not", async () => {
    for (const path of ["/tasks", `/metadata/workflow/${name}`, "/workflow/x/pause"]) {
      const answer = await client.send("OPTIONS", path);
      expect([answer.status, answer.text, answer.headers.get("content-length")]).toEqual([200, "", "0"]);
    }
    expect((await client.send("OPTIONS", "/no/such/path")).status).toBe(404);
  });

  test("answers HEAD where it answers GET, without the body", async () => {
    const got = await client.get(`/metadata/workflow/${name}`);
    const head = await client.send("HEAD", `/metadata/workflow/${name}`);
    expect([head.status, head.text]).toEqual([200, ""]);
    expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(got.text)));
    expect((await client.send("HEAD", "/metadata/workflow/nobody")).status).toBe(404);
  });

  test.each([
    ["GET", "/api/metadata/taskdefs/"],
    ["GET", "/api/metadata/workflow/"],
    ["GET", "/api/tasks/poll/"],
    ["GET", "/api/tasks/poll/batch/?count=1"],
    ["POST", "/api/workflow/"],
    ["GET", "/api/workflow/?includeTasks=false"],
  ])("with a slash at its end is another path: %s %s", async (method, path) => {
    const { status, text } = await sendRaw(method, path);
    expect(status).toBe(404);
    const shown = path.split("?")[0]?.slice(1, -1);
    expect(JSON.parse(text)).toEqual(errorBody(404, `No static resource ${shown}.`));
  });

  test.each(["/api/workflow/%zz", "/api/workflow/%c3%28", "/api/metadata/workflow/%"])(
    "that cannot be decoded is a 400: %s",
    async (path) => {
      const { status, text } = await sendRaw("GET", path);
      expect(status).toBe(400);
      expect(JSON.parse(text)).toEqual(errorBody(400, expect.any(String)));
    },
  );

  test("as long as a name may be is served, and a longer one is refused in the usual words", async () => {
    expect((await client.get(`/metadata/workflow/${"n".repeat(4000)}`)).status).toBe(404);
    const { status, text } = await sendRaw("GET", `/api/metadata/workflow/${"n".repeat(9000)}`);
    expect([400, 404, 414]).toContain(status);
    expect(JSON.parse(text)).toEqual(errorBody(status, expect.any(String)));
  });
});

describe("a body", () => {
  test.each([
    ["malformed", '{"name":'],
    ["with a trailing comma", '{"name":"x",}'],
    ["that is no JSON", "hello"],
    ["of XML", "<a/>"],
    ["that is empty", ""],
    ["of white space", "  \n"],
    ["of half a value", "nul"],
    ["with a control character", '{"a":"\u0001"}'],
  ])("%s is a 400", async (_what, text) => {
    for (const path of ["/workflow", "/tasks", "/tasks/update-v2", "/metadata/workflow", "/metadata/taskdefs"]) {
      const answer = await client.send("POST", path, { text });
      expect([path, answer.status]).toEqual([path, 400]);
      expect(answer.json).toEqual(errorBody(400, expect.any(String)));
    }
  });

  test.each(["[1]", '"text"', "5", "true"])("of the wrong kind is a 400: %s", async (text) => {
    for (const path of ["/workflow", "/tasks", "/metadata/workflow", `/workflow/${name}`]) {
      const { status } = await client.send("POST", path, { text });
      expect([path, status]).toEqual([path, 400]);
    }
  });

  test("nested as deep as allowed is served, deeper is a 400, and neither ends the server", async () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    const listed = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    expect((await client.send("POST", `/workflow/${name}`, { text: nested(900) })).status).toBe(200);
    for (const text of [nested(1001), nested(100_000), listed(1001), "[".repeat(500_000)]) {
      expect((await client.send("POST", `/workflow/${name}`, { text })).status).toBe(400);
    }
    expect((await client.get("/health")).status).toBe(200);
  });

  test("over the limit is a 413", async () => {
    const answer = await client.send("POST", `/workflow/${name}`, { text: `{"a":"${"x".repeat(1_100_000)}"}` });
    expect(answer.status).toBe(413);
    expect(answer.json).toEqual(errorBody(413, expect.any(String)));
  });

  test("of almost the limit is served and comes back whole", async () => {
    const big = "ü".repeat(500_000);
    const id = await client.start(name, { big });
    expect((await client.execution(id)).input).toEqual({ big });
  });

  test("may name its keys as objects name theirs", async () => {
    const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"hasOwnProperty":1}';
    const answer = await client.send("POST", `/workflow/${name}`, { text });
    expect(answer.status).toBe(200);
    expect((await client.get(`/workflow/${answer.text}`)).text).toContain(text.slice(1, -1));
    expect(({} as Json)["polluted"]).toBeUndefined();
  });

  test("keeps texts that are hard to write down", async () => {
    const input = {
      nul: "\u0000",
      lone: "\ud800",
      line: "\u2028\u2029",
      quote: '"\\/\b\f\n\r\t',
      rtl: "\u202e",
      emoji: "👩‍👩‍👧",
    };
    const correlationId = "\u0000 ü 👩‍👩‍👧 '; drop table execution; --";
    const id = await client.start(name, input, { correlationId });
    expect(await client.execution(id)).toMatchObject({ input, correlationId });
  });
});

describe("what is no request at all", () => {
  test("is answered with an error body and the line is closed", async () => {
    const answer = await sendBytes("NONSENSE\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4))).toEqual(errorBody(400, expect.any(String)));
  });

  test("with too much in its head is a 431", async () => {
    const answer = await sendBytes(`GET /health HTTP/1.1\r\nHost: x\r\nX-Big: ${"x".repeat(100_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  });
});

test("numbers in a query must be whole, and a flag must be one", async () => {
  const id = await client.start(name);
  for (const path of [
    `/workflow/${id}?includeTasks=maybe`,
    `/workflow/${id}/status?includeOutput=2`,
    `/workflow/${id}/tasks?count=x`,
    `/metadata/workflow/${name}?version=1e3`,
    `/metadata/workflow/${name}?version=99999999999999999999`,
  ]) {
    expect([path, (await client.get(path)).status]).toEqual([path, 400]);
  }
});

test("health and version are answered", async () => {
  expect(await client.get("/health")).toMatchObject({ status: 200, json: { healthy: true } });
  const { status } = await sendRaw("GET", "/health");
  expect(status).toBe(200);
  const version = await client.get("/version");
  expect([version.text, version.headers.get("content-type")]).toEqual(["0.0.0-test", "text/plain;charset=UTF-8"]);
});

test("what the SDKs call and an open server does not have is a 404", async () => {
  for (const [method, path] of [
    ["POST", "/token"],
    ["GET", "/token/userInfo"],
    ["GET", "/schema"],
    ["GET", "/integrations/all"],
    ["GET", "/limits"],
    ["GET", "/human/tasks/x"],
    ["GET", "/secrets-v2"],
  ] as const) {
    const answer = await client.send(method, path, method === "POST" ? { body: {} } : {});
    expect([path, answer.status]).toEqual([path, 404]);
    expect(answer.json).toEqual(errorBody(404, `No static resource api${path}.`));
  }
  expect((await client.delete(`/metadata/workflow/${name}/tags`)).status).toBe(400);
});

test("an expression that overruns its time does not hold the server up", async () => {
  const endless = aName("endless");
  await client.register(
    aWorkflow(endless, [
      entry("INLINE", "i", { inputParameters: { evaluatorType: "graaljs", expression: "while (true) {}" } }),
    ]),
  );
  const started = client.start(endless);
  const askedAt = performance.now();
  expect((await client.get("/health")).status).toBe(200);
  expect(performance.now() - askedAt).toBeLessThan(1000);
  expect(await client.ended(await started)).toMatchObject({ status: "FAILED" });
});
