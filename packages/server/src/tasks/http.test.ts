import type { JsonObject } from "@downbeat/engine";
import { expect, onTestFinished, test } from "vitest";
import { refuseAddresses } from "../outbound/address-policy.ts";
import { createOutboundClient, type OutboundOptions } from "../outbound/client.ts";
import { findClosedPort, readText, serveHttp, serveTcp } from "../outbound/test-server.ts";
import { type HttpTaskContext, runHttpTask } from "./http.ts";

type Options = Partial<HttpTaskContext> & { client?: never; outbound?: Partial<OutboundOptions> };

function run(input: JsonObject, { outbound, ...context }: Options = {}) {
  const client = createOutboundClient({
    connectTimeoutMs: 3000,
    readTimeoutMs: 3000,
    maxResponseBytes: 1_000_000,
    ...outbound,
  });
  onTestFinished(() => client.close());
  const signal = new AbortController().signal;
  return runHttpTask(input, { client, signal, asyncComplete: false, hostName: "node-1", ...context });
}

/** Tells what arrived: method, URL, headers and body. */
const serveEcho = () =>
  serveHttp(async (request, response) => {
    const { method, url, headers } = request;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ method, url, headers, body: await readText(request) }));
  });

const serveText = (text: string, status = 200, headers = {}) =>
  serveHttp((_, response) => response.writeHead(status, headers).end(text));

/** The request as the echo server saw it. */
async function sent(request: JsonObject): Promise<{ headers: Record<string, string>; body: string; method: string }> {
  const uri = `${await serveEcho()}/x`;
  const { output } = await run({ http_request: { uri, method: "POST", ...request } });
  const { response } = output as { response: { body: Awaited<ReturnType<typeof sent>> } };
  return response.body;
}

test("a successful call completes with the whole answer", async () => {
  const uri = await serveText('{"a":[1,true,null]}', 200, { "X-Tag": ["a", "b"], "content-type": "application/json" });
  expect(await run({ http_request: { uri, method: "GET" } })).toEqual({
    status: "COMPLETED",
    output: {
      response: {
        statusCode: 200,
        reasonPhrase: "OK",
        headers: expect.objectContaining({ "X-Tag": ["a", "b"], "content-type": ["application/json"] }),
        body: { a: [1, true, null] },
      },
    },
    workerId: "node-1",
  });
});

test("the request may lie in the input itself", async () => {
  const uri = await serveText("ok");
  expect(await run({ uri, method: "GET" })).toMatchObject({ status: "COMPLETED" });
  expect(await run({ http_request: null, uri, method: "GET" })).toMatchObject({ status: "COMPLETED" });
});

test.each([
  [{}, "Missing HTTP URI.  See documentation for HttpTask for required input parameters"],
  [{ uri: null, method: "GET" }, "Missing HTTP URI.  See documentation for HttpTask for required input parameters"],
  [{ uri: " ", method: "GET" }, "Missing HTTP URI.  See documentation for HttpTask for required input parameters"],
  [{ uri: "http://h" }, "No HTTP method specified"],
  [{ uri: "http://h", method: "get" }, "Invalid HTTP method: get"],
  [{ uri: "http://h", method: "CONNECT" }, "Invalid HTTP method: CONNECT"],
  [{ uri: "http://h", method: "GET", headers: ["a"] }, "Expected headers to be an object, got a list"],
  [
    { uri: "http://h", method: "GET", readTimeOut: "soon" },
    'Expected readTimeOut to be a number of milliseconds, got "soon"',
  ],
  [
    { uri: "http://h", method: "GET", connectionTimeOut: -1 },
    "Expected connectionTimeOut to be a number of milliseconds, got -1",
  ],
])("the request %j fails the task: %s", async (http_request, reason) => {
  expect(await run({ http_request })).toEqual({ status: "FAILED", output: {}, reason, workerId: "node-1" });
});

test("an http_request that is not an object fails the task", async () => {
  expect(await run({ http_request: "GET /" })).toMatchObject({
    status: "FAILED",
    reason: "Expected http_request to be an object, got string",
  });
});

test.each([
  ["here/x", 'Expected an http or https URL, got "here/x"'],
  ["file:///etc/passwd", 'Expected an http or https URL, got "file:///etc/passwd"'],
])("the URI %s fails the task", async (uri, message) => {
  expect(await run({ http_request: { uri, method: "GET" } })).toMatchObject({
    status: "FAILED",
    output: { response: message },
    reason: `Failed to invoke HTTP task due to: ${message}`,
  });
});

test("the call goes out as JSON that accepts JSON", async () => {
  const { headers, body } = await sent({ body: { k: [1] } });
  expect(headers).toMatchObject({ accept: "application/json", "content-type": "application/json" });
  expect(body).toBe('{"k":[1]}');
});

test.each(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("%s is sent with its body", async (method) => {
  expect(await sent({ method, body: "text" })).toMatchObject({ method, body: "text" });
});

test.each([
  [{ accept: "text/plain" }, "text/plain"],
  [{ accept: ["text/plain", "application/xml"] }, "text/plain, application/xml"],
  [{ accept: null }, "application/json"],
  [{ headers: { Accept: "text/csv" } }, "text/csv"],
])("%j accepts %s", async (request, accept) => {
  expect((await sent(request)).headers.accept).toBe(accept);
});

test.each([
  [{ contentType: "text/plain" }, "text/plain"],
  [{ contentType: null }, "application/json"],
  [{ headers: { "content-type": "application/xml" } }, "application/xml"],
  [{ headers: { "Content-Type": "application/xml" }, contentType: "text/plain" }, "application/xml"],
])("%j is sent as %s, once", async (request, contentType) => {
  expect((await sent({ body: "x", ...request })).headers["content-type"]).toBe(contentType);
});

test("header values become text, and null ones are left out", async () => {
  const { headers } = await sent({
    headers: { "X-N": 5, "X-B": true, "X-Null": null, "X-L": [1, "a"], "X-O": { k: "v", n: null } },
  });
  expect(headers).toMatchObject({ "x-n": "5", "x-b": "true", "x-l": "[1, a]", "x-o": "{k=v, n=null}" });
  expect(headers).not.toHaveProperty("x-null");
});

test("a header that cannot be sent fails the task without showing its value", async () => {
  const headers = { "X-Token": "secret\nX-Other: 1" };
  const { status, reason } = await run({ http_request: { uri: "http://127.0.0.1:1", method: "GET", headers } });
  expect(status).toBe("FAILED");
  expect(reason).toBe(
    'Failed to invoke HTTP task due to: Expected header "X-Token" to have a plain name and a value of one line',
  );
});

test.each([
  [{ a: "x y", b: 1, c: [1, "&"], d: null, e: { f: true } }, "a=x+y&b=1&c=1&c=%26&e=%7B%22f%22%3Atrue%7D"],
  ["already=encoded", "already=encoded"],
])("the form %j is sent as %s", async (body, encoded) => {
  const contentType = "application/x-www-form-urlencoded; charset=UTF-8";
  expect((await sent({ body, contentType })).body).toBe(encoded);
  expect((await sent({ body, headers: { "Content-Type": contentType } })).body).toBe(encoded);
});

test.each([
  ['{"a":1.5}', { a: 1.5 }],
  ["[1]", [1]],
  ["42", 42],
  ['"text"', "text"],
  ["true", true],
  ["null", null],
  ["plain text", "plain text"],
  ["{broken", "{broken"],
  ["", null],
])("the body %o is read as %o whatever its type", async (text, body) => {
  const uri = await serveText(text, 200, { "content-type": "text/plain" });
  const { output } = await run({ http_request: { uri, method: "GET" } });
  expect(output).toHaveProperty("response.body", body);
});

test("a body in another character set is read in it", async () => {
  const uri = await serveHttp((_, response) => {
    response.writeHead(200, { "content-type": "text/plain; charset=ISO-8859-1" }).end(Buffer.from("é", "latin1"));
  });
  expect((await run({ http_request: { uri, method: "GET" } })).output).toHaveProperty("response.body", "é");
});

test.each([
  [1000, "object"],
  [1001, "string"],
])("JSON nested %i deep is read as %s", async (depth, type) => {
  const text = `["]\\"[",${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}]`.padEnd(3000);
  const { output } = await run({ http_request: { uri: await serveText(text), method: "GET" } });
  const { body } = (output as { response: { body: unknown } }).response;
  expect(typeof body).toBe(type);
});

test("HEAD and 204 have no body", async () => {
  const head = await run({ http_request: { uri: await serveText("hidden"), method: "HEAD" } });
  expect(head).toMatchObject({ status: "COMPLETED", output: { response: { statusCode: 200, body: null } } });
  const empty = await run({ http_request: { uri: await serveText("", 204), method: "DELETE" } });
  expect(empty.output).toMatchObject({ response: { statusCode: 204, reasonPhrase: "No Content", body: null } });
});

test("a 2xx status outside the standard completes with an empty phrase", async () => {
  expect(await run({ http_request: { uri: await serveText("ok", 299), method: "GET" } })).toMatchObject({
    status: "COMPLETED",
    output: { response: { statusCode: 299, reasonPhrase: "" } },
  });
});

test.each([
  [404, '{"error":"nope"}', '404 Not Found on PUT request for "<uri>": {"error":"nope"}'],
  [500, "boom", '500 Internal Server Error on PUT request for "<uri>": boom'],
  [503, "", '503 Service Unavailable on PUT request for "<uri>": [no body]'],
  [499, "", '499 on PUT request for "<uri>": [no body]'],
])("a %i answer fails the task and is kept whole", async (statusCode, text, reason) => {
  const uri = `${await serveText(text, statusCode, { "x-mock": "yes" })}/x`;
  const result = await run({ http_request: { uri, method: "PUT", body: {} } });
  expect(result).toMatchObject({
    status: "FAILED",
    output: { response: { statusCode, headers: { "x-mock": ["yes"] } } },
    reason: `Failed to invoke HTTP task due to: ${reason.replace("<uri>", uri)}`,
  });
});

test.each([
  [304, "", "No response from the remote service"],
  [300, "choose", "choose"],
])("a %i answer fails the task with the body as its reason", async (statusCode, text, reason) => {
  expect(await run({ http_request: { uri: await serveText(text, statusCode), method: "GET" } })).toMatchObject({
    status: "FAILED",
    output: { response: { statusCode } },
    reason,
  });
});

test("the reason is cut, the body is not", async () => {
  const text = "x".repeat(2000);
  const { output, reason } = await run({ http_request: { uri: await serveText(text, 500), method: "GET" } });
  expect(reason).toHaveLength(500);
  expect(output).toHaveProperty("response.body", text);
});

test("redirects are followed", async () => {
  const uri = await serveHttp((request, response) => {
    if (request.url === "/") {
      response.writeHead(302, { location: "/next" }).end();
    } else {
      response.end(request.method);
    }
  });
  const { output } = await run({ http_request: { uri, method: "POST", body: "x" } });
  expect(output).toMatchObject({ response: { statusCode: 200, body: "GET" } });
});

test("silence beyond readTimeOut fails the task", async () => {
  const uri = `${await serveHttp(() => undefined)}/slow`;
  const text = `I/O error on GET request for "${uri}": Read timed out`;
  expect(await run({ http_request: { uri, method: "GET", readTimeOut: "50" } })).toEqual({
    status: "FAILED",
    output: { response: text },
    reason: `Failed to invoke HTTP task due to: ${text}`,
    workerId: "node-1",
  });
});

test("timeouts that are absent or null are those of the server", async () => {
  const uri = await serveHttp(() => undefined);
  const http_request = { uri, method: "GET", readTimeOut: null, connectionTimeOut: null };
  const { reason } = await run({ http_request }, { outbound: { readTimeoutMs: 50 } });
  expect(reason).toContain("Read timed out");
});

test("connectionTimeOut bounds the connection alone", async () => {
  const address = await serveTcp(() => undefined);
  const http_request = { uri: `https://${address}/`, method: "GET", connectionTimeOut: 50 };
  expect((await run({ http_request })).reason).toBe(
    `Failed to invoke HTTP task due to: I/O error on GET request for "https://${address}/": Connect to https://${address} failed: Connect timed out`,
  );
});

test("a refused connection fails the task", async () => {
  const uri = `http://${await findClosedPort()}/x`;
  expect(await run({ http_request: { uri, method: "GET" } })).toMatchObject({
    status: "FAILED",
    reason: `Failed to invoke HTTP task due to: I/O error on GET request for "${uri}": Connect to ${new URL(uri).origin} failed: Connection refused`,
  });
});

test("a password in the URI is not shown", async () => {
  const uri = `http://ada:secret@${await findClosedPort()}/x`;
  const { reason, output } = await run({ http_request: { uri, method: "GET" } });
  expect(reason).toContain('for "http://ada:***@127.0.0.1:');
  expect(JSON.stringify([reason, output])).not.toContain("secret");
});

test("a forbidden address fails the task for good", async () => {
  const metadata = await run({ http_request: { uri: "http://169.254.169.254/", method: "GET" } });
  expect(metadata).toMatchObject({
    status: "FAILED_WITH_TERMINAL_ERROR",
    reason:
      "Failed to invoke HTTP task due to: Outbound access denied: 169.254.169.254 resolves to a cloud metadata address (169.254.169.254)",
  });
  const uri = await serveText("ok");
  const refuse = refuseAddresses(["127.0.0.0/8"]);
  const blocked = await run({ http_request: { uri, method: "GET" } }, { outbound: { refuse } });
  expect(blocked.status).toBe("FAILED_WITH_TERMINAL_ERROR");
});

test("an answer beyond the limit fails the task for good", async () => {
  const uri = await serveText("x".repeat(101));
  const result = await run({ http_request: { uri, method: "GET" } }, { outbound: { maxResponseBytes: 100 } });
  expect(result).toMatchObject({
    status: "FAILED_WITH_TERMINAL_ERROR",
    reason: `Failed to invoke HTTP task due to: I/O error on GET request for "${uri}": Expected a response of at most 100 bytes, got more`,
  });
});

test.each([
  [{}, false, "COMPLETED"],
  [{}, true, "IN_PROGRESS"],
  [{ asyncComplete: true }, false, "IN_PROGRESS"],
  [{ asyncComplete: "true" }, false, "IN_PROGRESS"],
  [{ asyncComplete: false }, true, "COMPLETED"],
] as const)("input %j of an entry with asyncComplete %o gives %s", async (input, asyncComplete, status) => {
  const http_request = { uri: await serveText("ok"), method: "GET" };
  const result = await run({ http_request, ...input }, { asyncComplete });
  expect(result).toMatchObject({ status, output: { response: { body: "ok" } } });
});

test("a failed call fails the task even when it completes from outside", async () => {
  const http_request = { uri: await serveText("no", 500), method: "GET" };
  expect((await run({ http_request }, { asyncComplete: true })).status).toBe("FAILED");
});

test("a call whose signal ends fails the task", async () => {
  const abort = new AbortController();
  const uri = await serveHttp(() => abort.abort());
  const { status, reason } = await run({ http_request: { uri, method: "GET" } }, { signal: abort.signal });
  expect(status).toBe("FAILED");
  expect(reason).toContain("Request aborted");
});

test("a body that cannot be written fails the task instead of throwing", async () => {
  let body: JsonObject = {};
  for (let depth = 0; depth < 20_000; depth += 1) {
    body = { body };
  }
  const { status, reason } = await run({ http_request: { uri: "http://127.0.0.1:1", method: "POST", body } });
  expect(status).toBe("FAILED");
  expect(reason).toMatch(/^Failed to invoke HTTP task due to: RangeError/);
});
