import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadDocument, operationsOf } from "../openapi/the-document.ts";
import type { Client, Json } from "../support/client.ts";
import { aName, aWorkflow, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { expectAlive, expectRefusal, forAll, openSocket, sendBytes, sendRaw } from "./wire.ts";

let server: TestServer;
let client: Client;
let name: string;
beforeAll(async () => {
  // Secrets can be written here: a store that cannot take them answers 501, which is nobody's mistake.
  server = await startServer({
    settings: { "service.secrets.type": "database", "service.secrets.key": "0".repeat(64) },
  });
  client = server.client;
  name = aName("requests");
  await client.register(aWorkflow(name, [simple(name, "t")]));
});
afterAll(async () => {
  await expectAlive(client);
  await server.close();
  expect(server.errors).toEqual([]);
});

const oddIds: Readonly<Record<string, string>> = {
  "a null": "%00",
  "an encoded slash": "a%2Fb",
  "an encoded dot-dot": "%2E%2E%2F%2E%2E%2Fetc%2Fpasswd",
  "a broken escape": "%E0%A4%A",
  "a lone per cent": "100%",
  "bytes that are no UTF-8": "%C3%28",
  "an overlong encoding": "%C0%AF",
  "other scripts": encodeURIComponent("工作流-ünï-👩‍👩‍👧"),
  "a lone surrogate": "%ED%A0%80",
  "right to left": encodeURIComponent("\u202eabc"),
  "quotes and SQL": encodeURIComponent(`'; drop table execution; --"`),
  "a line break": "a%0D%0AX-Injected:%201",
  "an expression": encodeURIComponent("${workflow.input.x}"),
  "what objects have": "__proto__",
  "what functions have": "constructor",
  "a very long name": "n".repeat(4000),
  "an id that is almost one": "01a1de61-bd0a-7000-b630-f58a34000000x",
  "an id of nobody": "01a1de61-bd0a-7000-b630-f58a34000000",
  "a task id of nobody": "01a1de61-bd0a-7000-b630-f58a34ffffff",
  "a number": "-9007199254740993",
};

test.each(Object.entries(oddIds))("an id with %s is refused or serves nobody, on every path", async (_what, id) => {
  const places = operationsOf(await loadDocument(client)).filter(
    // Payloads have paths, not ids; a stream has no end.
    ({ path }) => path.includes("{") && !path.includes("/external-storage/") && !path.endsWith("/stream"),
  );
  expect(places.length).toBeGreaterThan(40);
  await forAll(places, 20, async ({ method, path }) => {
    const asked = path.replaceAll(/\{\w+\}/g, id);
    const answer = await sendRaw(client, method, asked, method === "GET" ? {} : { body: "{}" });
    const where = `${method} ${asked}`;
    expect([where, answer.headers["x-injected"]]).toEqual([where, undefined]);
    if (answer.status >= 300) expectRefusal(where, answer);
  });
});

test.each([
  "/api/workflow/../../etc/passwd",
  "/api/../../etc/passwd",
  "/docs/api/../../../package.json",
  "/docs/api/..%2F..%2Fapp.ts",
  "/api/external-storage/../../../etc/passwd",
  "/api/external-storage/..%2F..%2F..%2Fetc%2Fpasswd",
  "/api/external-storage/%2e%2e/%2e%2e/test.db",
  "//api/workflow",
  "/api//workflow",
  "/api/workflow;x=1",
  "/%",
  "/?%",
])("a path that leads elsewhere finds nothing: %s", async (path) => {
  const answer = await sendRaw(client, "GET", path);
  expect([400, 404, 405]).toContain(answer.status);
  expectRefusal(path, answer);
});

describe("methods", () => {
  test.each(["PATCH", "TRACE", "PROPFIND", "LOCK", "SEARCH"])("%s is refused on a known path", async (method) => {
    const answer = await sendRaw(client, method, `/api/metadata/workflow/${name}`);
    expect(answer.status).toBe(405);
    expectRefusal(method, answer);
  });

  test("that nobody knows are no requests", async () => {
    const answer = await sendBytes(client, "BREW /api/workflow HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  test("CONNECT opens no tunnel", async () => {
    expect(await sendBytes(client, "CONNECT localhost:22 HTTP/1.1\r\nHost: localhost:22\r\n\r\n")).not.toMatch(
      /^HTTP\/1\.1 2/,
    );
  });

  test("HEAD takes no task from its queue", async () => {
    await client.start(name);
    for (const path of [`/api/tasks/poll/${name}`, `/api/tasks/poll/batch/${name}?timeout=100`]) {
      expect((await sendRaw(client, "HEAD", path)).text).toBe("");
    }
    expect(await client.poll(name)).toHaveLength(1);
  });

  test("an upgrade is not taken up", async () => {
    const answer = await sendRaw(client, "GET", "/api/health", {
      headers: { connection: "Upgrade", upgrade: "websocket" },
    });
    expect(answer.status).toBe(200);
  });
});

describe("queries", () => {
  test("with the same parameter many times count the first", async () => {
    const many = Array.from({ length: 500 }, (_, n) => `count=${n + 1}`).join("&");
    const answer = await sendRaw(client, "GET", `/api/tasks/poll/batch/nobody?${many}`);
    expect([answer.status, answer.text]).toEqual([200, "[]"]);
    expect((await sendRaw(client, "GET", "/api/tasks/poll/batch/nobody?timeout=1&timeout=99999")).status).toBe(200);
  });

  test.each([
    "__proto__=1&constructor=2&hasOwnProperty=3",
    "=",
    "&&&",
    "a[b][c]=1",
    "%00=%00",
    "taskType",
    "taskType[]=x",
    "taskType=%E0%A4%A",
  ])("of odd parameters do no harm: %s", async (query) => {
    for (const path of ["/api/tasks/queue/sizes", "/api/tasks/queue/polldata", "/api/metadata/workflow"]) {
      const answer = await sendRaw(client, "GET", `${path}?${query}`);
      if (answer.status >= 300) expectRefusal(path + query, answer);
    }
    expect(({} as Json)["1"]).toBeUndefined();
  });

  test("that are huge are served as far as the head of a request may go, and refused beyond", async () => {
    const served = await sendRaw(client, "GET", `/api/tasks/queue/sizes?taskType=${"x,".repeat(7000)}y`);
    expect([served.status, served.text]).toEqual([200, '{"x":0,"y":0}']);
    const refused = await sendRaw(client, "GET", `/api/tasks/queue/sizes?taskType=${"x".repeat(100_000)}`);
    expect(refused.status).toBe(431);
    expectRefusal("a huge query", refused);
  });
});

describe("headers", () => {
  test("in a flood are refused", async () => {
    const flood = Array.from({ length: 5000 }, (_, n) => `X-Flood-${n}: ${n}\r\n`).join("");
    const answer = await sendBytes(client, `GET /api/health HTTP/1.1\r\nHost: x\r\n${flood}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  });

  test.each([
    ["no length that can be", "Content-Length: -1"],
    ["two lengths", "Content-Length: 2\r\nContent-Length: 3"],
    ["a length and chunks", "Content-Length: 2\r\nTransfer-Encoding: chunked"],
    ["an encoding nobody knows", "Transfer-Encoding: brew"],
    ["a name that is none", "Bad Header: 1"],
    ["a null", "X-Null: \u0000"],
  ])("with %s are refused", async (_what, header) => {
    const answer = await sendBytes(client, `POST /api/workflow HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n{}`);
    expect(answer).toMatch(/^HTTP\/1\.1 (400|501) /);
  });

  test.each([
    "",
    "application/xml",
    "multipart/form-data; boundary=x",
    "application/json; charset=utf-16",
    "x".repeat(2000),
    "text/html, application/json;q=é",
  ])("that call the body %s change nothing", async (type) => {
    const answer = await sendRaw(client, "POST", `/api/workflow/${name}`, {
      headers: type === "" ? {} : { "content-type": Buffer.from(type).toString("latin1") },
      body: "{}",
    });
    if (answer.status >= 300) expectRefusal(type, answer);
    else expect(answer.status).toBe(200);
  });

  test("that ask to be waited for are served", async () => {
    const answer = await sendBytes(
      client,
      `POST /api/workflow/${name} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 100 .*\r\n\r\nHTTP\/1\.1 200 /s);
  });
});

describe("connections", () => {
  const health = "GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n";

  test("may carry many requests at once", async () => {
    const last = health.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
    const answer = await sendBytes(client, health.repeat(49) + last);
    expect(answer.match(/HTTP\/1\.1 200 /g)).toHaveLength(50);
  });

  test("with garbage after a request are closed with a refusal", async () => {
    const answer = await sendBytes(client, `${health}\u0000\u0001garbage\r\n\r\n${health}`);
    expect(answer.match(/HTTP\/1\.1 \d+/g)?.at(-1)).toBe("HTTP/1.1 400");
    expectRefusal("garbage", { status: 400, text: answer.slice(answer.lastIndexOf("\r\n\r\n") + 4) });
  });

  test("a body that never ends holds nobody up", async () => {
    const head = `POST /api/workflow/${name} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{`;
    const unfinished = [
      head,
      "POST /api/workflow HTTP/1.1\r\nHo",
      "",
      head.replace("Content-Length: 1000", "Transfer-Encoding: chunked").concat("5\r\n"),
    ];
    const sockets = Array.from({ length: 400 }, (_, n) => {
      const socket = openSocket(client);
      socket.on("error", () => undefined);
      socket.write(unfinished[n % unfinished.length] ?? "");
      return socket;
    });
    try {
      await Promise.all(sockets.map((socket) => once(socket, "connect")));
      const askedAt = performance.now();
      await expectAlive(client);
      expect(performance.now() - askedAt).toBeLessThan(2000);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  test("cut in the middle of their body start nothing", async () => {
    const started = `${name}_cut`;
    await client.register(aWorkflow(started, [simple(started, "t")]));
    for (let n = 0; n < 20; n++) {
      const socket = openSocket(client);
      await once(socket, "connect");
      socket.end(`POST /api/workflow/${started} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"a":1}`);
      await socket.toArray();
    }
    expect((await client.get(`/tasks/queue/size?taskType=${started}`)).json).toBe(0);
  });
});
