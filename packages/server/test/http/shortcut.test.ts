import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { aName, aWorkflow, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";

// Plain requests go through the shortcut, all others through Node's HTTP server: nobody can tell which.

let server: TestServer;
let client: Client;
let name: string;
beforeAll(async () => {
  server = await startServer();
  client = server.client;
  name = aName("shortcut");
  await client.register(aWorkflow(name, [simple(name, "t")]));
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

type Answer = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly text: string };

/** A connection on which bytes are sent as they are, and answers are read one by one. */
class Line {
  readonly socket: Socket;
  #read = "";

  constructor() {
    const { hostname, port } = new URL(client.base);
    this.socket = connect(Number(port), hostname);
    this.socket.setNoDelay();
    this.socket.setEncoding("latin1");
    this.socket.on("data", (text: string) => {
      this.#read += text;
    });
  }

  async answer(): Promise<Answer> {
    const head = await this.#take(() => this.#read.indexOf("\r\n\r\n") + 4);
    const [first = "", ...lines] = head.trimEnd().split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
    );
    let text = "";
    if (headers["transfer-encoding"] === "chunked") {
      for (;;) {
        const size = Number.parseInt(await this.#take(() => this.#read.indexOf("\r\n") + 2), 16);
        text += (await this.#take(() => size + 2)).slice(0, -2);
        if (size === 0) break;
      }
    } else if (headers["content-length"] !== undefined && headers["content-length"] !== "0") {
      text = await this.#take(() => Number(headers["content-length"]));
    }
    return { status: Number(first.split(" ")[1]), headers, text: Buffer.from(text, "latin1").toString() };
  }

  async #take(length: () => number): Promise<string> {
    for (;;) {
      const wanted = length();
      if (wanted >= 2 && this.#read.length >= wanted) {
        const taken = this.#read.slice(0, wanted);
        this.#read = this.#read.slice(wanted);
        return taken;
      }
      await once(this.socket, "data");
    }
  }
}

const bytesOf = (method: string, path: string, body?: string, ...headers: readonly string[]): Buffer => {
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return Buffer.from([`${method} ${path} HTTP/1.1`, "Host: here", ...length, ...headers, "", body ?? ""].join("\r\n"));
};
const get = (path: string) => bytesOf("GET", path);
const startBody = (input: object = {}) => JSON.stringify({ name, version: 1, input });
const start = (...headers: readonly string[]) => bytesOf("POST", "/api/workflow", startBody(), ...headers);
const isId = /^[0-9a-f-]{36}$/;

describe("both ways answer the same", () => {
  test.each([
    ["GET", "/health", undefined],
    ["GET", "/api/workflow/none", undefined],
    ["GET", "/api/workflow/a%20b?includeTasks=true", undefined],
    ["GET", "/api/workflow/search?query=status%3DRUNNING+AND+workflowType%3Dnone&size=1", undefined],
    ["GET", "/api/workflow/search?query=nofield%3D1", undefined],
    ["GET", "/api/tasks/poll/nobody", undefined],
    ["GET", "/api/tasks/poll/batch/nobody?count=1&timeout=1", undefined],
    ["GET", "/api/tasks/poll/batch/nobody?count=some", undefined],
    ["GET", "/api/tasks/", undefined],
    ["GET", "/api/nowhere", undefined],
    ["POST", "/api/workflow", '{"name":"nöne 😀"}'],
    ["POST", "/api/workflow", '{"name":'],
    ["POST", "/api/workflow", undefined],
    ["POST", "/api/tasks", '{"workflowInstanceId":"x","taskId":"y","status":"COMPLETED"}'],
    ["POST", "/api/tasks/none/log", "a line"],
    ["PUT", "/api/workflow/bulk/pause", "[]"],
    ["PUT", "/api/metadata/workflow", "{}"],
    ["DELETE", "/api/workflow/none", undefined],
    ["PUT", "/health", undefined],
  ])("to %s %s with %s", async (method, path, body) => {
    const answers: unknown[] = [];
    for (const way of [[], ["Connection: close"]]) {
      const line = new Line();
      line.socket.write(bytesOf(method, path, body, ...way));
      const { status, headers, text } = await line.answer();
      const { date, connection, "keep-alive": _keepAlive, ...others } = headers;
      expect([Date.parse(date ?? ""), connection]).toEqual([
        expect.any(Number),
        way.length === 0 ? "keep-alive" : "close",
      ]);
      answers.push({ status, headers: others, text: text.replace(/"(?:time|uptimeMs)":\d+/g, "") });
      line.socket.destroy();
    }
    expect(answers[0]).toEqual(answers[1]);
  });
});

describe("one connection", () => {
  test("carries plain requests one after the other, and then any others", async () => {
    const line = new Line();
    for (let turn = 0; turn < 3; turn++) {
      line.socket.write(start());
      expect((await line.answer()).text).toMatch(isId);
    }
    const body = startBody({ text: "é".repeat(200_000) });
    line.socket.write(bytesOf("POST", "/api/workflow", body));
    expect((await line.answer()).text).toMatch(isId);
    const chunk = `${Buffer.byteLength(startBody()).toString(16)}\r\n${startBody()}\r\n0\r\n\r\n`;
    line.socket.write(
      ["POST /api/workflow HTTP/1.1", "Host: here", "Transfer-Encoding: chunked", "", chunk].join("\r\n"),
    );
    expect((await line.answer()).text).toMatch(isId);
    line.socket.write(start());
    expect((await line.answer()).text).toMatch(isId);
    line.socket.destroy();
  });

  test.each([
    ["head and body apart", (bytes: Buffer) => [bytes.indexOf("\r\n\r\n") + 4]],
    ["in three pieces", (bytes: Buffer) => [bytes.length - 20, bytes.length - 10]],
    ["with a cut through its head", () => [10]],
  ])("takes a request %s", async (_how, cutsOf) => {
    const line = new Line();
    const bytes = start();
    let from = 0;
    for (const cut of [...cutsOf(bytes), bytes.length]) {
      line.socket.write(bytes.subarray(from, cut));
      from = cut;
      // Another answer in between: the bytes have arrived by then.
      await client.get("/workflow/none");
    }
    expect((await line.answer()).text).toMatch(isId);
    line.socket.write(get("/api/workflow/none"));
    expect((await line.answer()).status).toBe(404);
    line.socket.destroy();
  });

  test("answers in order what was sent together", async () => {
    const line = new Line();
    line.socket.write(Buffer.concat([start(), get("/api/workflow/none"), start()]));
    expect((await line.answer()).text).toMatch(isId);
    expect((await line.answer()).status).toBe(404);
    expect((await line.answer()).text).toMatch(isId);
    line.socket.destroy();
  });

  test("answers in order what was sent while it waited", async () => {
    const line = new Line();
    const type = aName("later");
    line.socket.write(get(`/api/tasks/poll/batch/${type}?count=1&timeout=5000`));
    await expect.poll(async () => (await client.get("/tasks/queue/polldata/all")).text).toContain(type);
    line.socket.write(get("/api/workflow/none"));
    await client.register(aWorkflow(type, [simple(type, "t")]));
    const id = await client.start(type);
    expect(JSON.parse((await line.answer()).text)).toMatchObject([{ workflowInstanceId: id }]);
    expect((await line.answer()).status).toBe(404);
    line.socket.destroy();
  });
});

test("a worker that hangs up while it waits loses no task", async () => {
  const type = aName("gone");
  await client.register(aWorkflow(type, [simple(type, "t")]));
  const line = new Line();
  line.socket.write(get(`/api/tasks/poll/batch/${type}?count=1&timeout=5000`));
  await expect.poll(async () => (await client.get("/tasks/queue/polldata/all")).text).toContain(type);
  line.socket.destroy();
  await once(line.socket, "close");
  const id = await client.start(type);
  expect(await client.take(type)).toMatchObject({ workflowInstanceId: id, pollCount: 1 });
});

test("a large answer arrives whole at a reader that takes its time", async () => {
  const texts = Array.from({ length: 40 }, (_, index) => `${index} ü ${"x".repeat(100_000)}`);
  const id = await client.start(name, { texts });
  const line = new Line();
  line.socket.pause();
  line.socket.write(get(`/api/workflow/${id}`));
  // Sockets hold a part of it; the rest waits in the server.
  await client.get("/workflow/none");
  line.socket.resume();
  const { headers, text } = await line.answer();
  expect(JSON.parse(text)).toMatchObject({ workflowId: id, input: { texts } });
  expect(headers).toMatchObject({ "content-type": "application/json", connection: "keep-alive" });
  line.socket.write(get("/api/workflow/none"));
  expect((await line.answer()).status).toBe(404);
  line.socket.destroy();
});

test("a server that stops closes connections that ask for nothing", async () => {
  const other = await startServer();
  const { hostname, port } = new URL(other.client.base);
  const used = connect(Number(port), hostname);
  const unused = connect(Number(port), hostname);
  const half = connect(Number(port), hostname);
  used.write(get("/health"));
  half.write(start().subarray(0, -5));
  await Promise.all([once(used, "data"), once(unused, "connect"), other.client.get("/workflow/none")]);
  const closed = [used, unused, half].map((socket) => once(socket, "close"));
  await other.close();
  for (const socket of [used, unused, half]) socket.resume();
  await Promise.all(closed);
  expect([used, unused, half].map((socket) => socket.closed)).toEqual([true, true, true]);
});
