import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sendText } from "../reply.ts";
import { Shortcut } from "./shortcut.ts";

let server: Server;
let shortcut: Shortcut;
beforeEach(async () => {
  server = createServer((_request, response) => response.end("the usual way"));
  server.keepAliveTimeout = 1;
  shortcut = new Shortcut({ routerOptions: {}, mostBodyBytes: 100, isNothing: () => false, fail: () => {} });
  shortcut.add("GET", "/here", (_call, reply) => sendText(reply, "the short way"));
  shortcut.add("GET", "/there", undefined);
  shortcut.add("GET", "/half", (_call, reply) =>
    reply.send(
      Readable.from(
        (async function* () {
          yield Buffer.from("the first half");
          throw new Error("there is no second");
        })(),
      ),
    ),
  );
  shortcut.open(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, "close");
});

const open = () => connect((server.address() as AddressInfo).port, "127.0.0.1").setEncoding("utf8");
const get = (path: string, ...headers: readonly string[]) =>
  [`GET ${path} HTTP/1.1`, "Host: x", ...headers, "", ""].join("\r\n");

test("a plain request takes the shortcut, any other the usual way", async () => {
  const answers: unknown[] = [];
  for (const request of [get("/here"), get("/here", "Connection: close"), get("/there"), get("/nowhere")]) {
    const socket = open();
    socket.write(request);
    answers.push(...(await once(socket, "data")));
    socket.destroy();
  }
  expect(answers).toEqual(
    ["the short way", "the usual way", "the usual way", "the usual way"].map((text) => expect.stringContaining(text)),
  );
});

test("who looks at an answer after its caller has hung up sees it", async () => {
  const { promise: seen, resolve: see } = Promise.withResolvers<boolean>();
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  shortcut.add("GET", "/later", async (_call, reply) => {
    await closed;
    see(reply.raw.destroyed && !reply.raw.writableFinished);
    return reply.send();
  });
  server.once("connection", (socket) => socket.once("close", close));
  const socket = open();
  socket.write(get("/later"));
  // Its answer tells that the other request has arrived.
  const other = open();
  other.write(get("/here"));
  await once(other, "data");
  socket.destroy();
  expect(await seen).toBe(true);
  other.destroy();
});

test("an answer that breaks off does not look whole, and its connection is closed", async () => {
  const socket = open();
  socket.write(get("/half"));
  const text = (await socket.toArray()).join("");
  expect(text).toContain("the first half");
  expect(text).not.toContain("\r\n0\r\n");
});

test("a connection on which nothing happens is closed after its time, and one that is used is not", async () => {
  const unused = open();
  const used = open();
  await Promise.all([once(unused, "connect"), once(used, "connect")]);
  const asking = setInterval(() => used.write(get("/here")), 200);
  used.resume();
  await once(unused.resume(), "close");
  clearInterval(asking);
  expect(used.closed).toBe(false);
  await once(used, "close");
});
