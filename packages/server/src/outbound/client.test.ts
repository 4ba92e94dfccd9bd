import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { refuseAddresses } from "./address-policy.ts";
import { createOutboundClient, type OutboundOptions, type OutboundRequest } from "./client.ts";
import { OutboundError } from "./outbound-error.ts";
import { findClosedPort, readText, serveHttp, serveTcp } from "./test-server.ts";

function aClient(options: Partial<OutboundOptions> = {}) {
  const client = createOutboundClient({
    connectTimeoutMs: 2000,
    readTimeoutMs: 2000,
    maxResponseBytes: 100_000,
    ...options,
  });
  onTestFinished(() => client.close());
  return {
    close: () => client.close(),
    send: (url: string, request: Partial<OutboundRequest> = {}) =>
      client.send({ method: "GET", headers: [], signal: new AbortController().signal, ...request, url }),
  };
}

async function failureOf(answer: Promise<unknown>): Promise<{ failure: string; message: string }> {
  const error = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof OutboundError) {
    return { failure: error.failure, message: error.message };
  }
  throw new Error("Expected an OutboundError", { cause: error });
}

test("an answer has its status, its headers as received and its body", async () => {
  const origin = await serveHttp((_, response) => {
    response.writeHead(201, [
      ["X-One", "1"],
      ["x-two", "a"],
      ["X-Two", "b"],
    ]);
    response.end("hello");
  });
  const { statusCode, headers, body } = await aClient().send(origin);
  expect(statusCode).toBe(201);
  expect(headers).toMatchObject({ "X-One": ["1"], "x-two": ["a", "b"] });
  expect(body.toString()).toBe("hello");
});

test.each([
  ["/a%20b?q=%2F", "/a%20b?q=%2F"],
  ["/{x}?y={z}", "/%7Bx%7D?y=%7Bz%7D"],
  ["/a b/ü?q=c d", "/a%20b/%C3%BC?q=c%20d"],
  ["/a/../b/./c", "/a/../b/./c"],
  ["/a//b?f[0]=1&g='x'", "/a//b?f[0]=1&g='x'"],
  ["/100%", "/100%"],
  ["/a#fragment", "/a"],
  ["", "/"],
  ["?q=1", "/?q=1"],
])("the URL part %o is sent as %s", async (written, sent) => {
  const origin = await serveHttp((request, response) => response.end(request.url));
  const { body } = await aClient().send(origin + written);
  expect(body.toString()).toBe(sent);
});

test.each(["ftp://h/x", "h/x", "http://", "", "file:///etc/passwd", "http://ada:secret@h:99999/"])(
  "the URL %o cannot be sent",
  async (url) => {
    const { failure, message } = await failureOf(aClient().send(url));
    expect(failure).toBe("invalid-request");
    expect(message).toMatch(/^Expected an http or https URL, got "/);
    expect(message).not.toContain("secret");
  },
);

test("headers that may stand once are sent once, others keep all their lines, and the connection's are ours", async () => {
  const origin = await serveHttp((request, response) => response.end(JSON.stringify(request.rawHeaders)));
  const { body } = await aClient().send(origin, {
    method: "POST",
    headers: [
      ["Content-Type", "application/json"],
      ["content-type", "text/plain"],
      ["X-Tag", "a"],
      ["x-tag", "b"],
      ["X-Name", " Zoë "],
      ["Content-Length", "999"],
      ["Transfer-Encoding", "chunked"],
      ["Host", "example.test"],
    ],
    body: Buffer.from("hi"),
  });
  const raw: string[] = JSON.parse(body.toString());
  const lines = raw.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${raw[at + 1]}`] : []));
  expect(lines).toEqual([
    "content-type: text/plain",
    "X-Tag: a",
    "X-Tag: b",
    `X-Name: ${Buffer.from("Zoë").toString("latin1")}`,
    "Host: example.test",
    "User-Agent: Downbeat",
    "Accept-Encoding: gzip, deflate, br",
    "Content-Length: 2",
    "Connection: keep-alive",
  ]);
});

test.each([
  ["X-A", "one\r\nX-B: two"],
  ["X A", "one"],
])("a header %o with the value %o is refused without showing the value", async (name, value) => {
  const { failure, message } = await failureOf(aClient().send("http://127.0.0.1:1/", { headers: [[name, value]] }));
  expect(failure).toBe("invalid-request");
  expect(message).toBe(`Expected header "${name}" to have a plain name and a value of one line`);
});

test("credentials in the URL become basic authentication unless a header gives them", async () => {
  const origin = await serveHttp((request, response) => response.end(request.headers.authorization));
  const url = origin.replace("//", "//ada:p%40ss@");
  expect((await aClient().send(url)).body.toString()).toBe(`Basic ${btoa("ada:p@ss")}`);
  const given = await aClient().send(url, { headers: [["authorization", "Bearer t"]] });
  expect(given.body.toString()).toBe("Bearer t");
});

test.each([
  [301, "POST", "GET", ""],
  [302, "POST", "GET", ""],
  [303, "POST", "GET", ""],
  [307, "POST", "POST", "data"],
  [308, "POST", "POST", "data"],
  [302, "PUT", "PUT", "data"],
  [303, "PUT", "GET", ""],
  [302, "PATCH", "PATCH", "data"],
  [302, "DELETE", "DELETE", "data"],
])("a %i answer to %s is followed by %s with the body %o", async (status, method, nextMethod, nextBody) => {
  const origin = await serveHttp(async (request, response) => {
    if (request.url === "/from") {
      response.writeHead(status, { Location: "/to?x=1" }).end("moved");
      return;
    }
    const body = await readText(request);
    response.end(`${request.method} ${request.url} ${request.headers["content-type"]} ${body}`);
  });
  const { body } = await aClient().send(`${origin}/from`, {
    method,
    headers: [["Content-Type", "text/plain"]],
    body: Buffer.from("data"),
  });
  const type = nextBody === "" ? "undefined" : "text/plain";
  expect(body.toString()).toBe(`${nextMethod} /to?x=1 ${type} ${nextBody}`);
});

test.each([304, 300, 302])("a %i answer that says nowhere to go is the answer", async (status) => {
  const origin = await serveHttp((_, response) => response.writeHead(status).end());
  expect((await aClient().send(origin)).statusCode).toBe(status);
});

test("credentials do not follow a redirect to another origin", async () => {
  const other = await serveHttp((request, response) => response.end(JSON.stringify(request.headers)));
  const origin = await serveHttp((_, response) => response.writeHead(307, { location: `${other}/x` }).end());
  const { body } = await aClient().send(origin, {
    headers: [
      ["Authorization", "Bearer t"],
      ["Cookie", "c=1"],
      ["X-Kept", "yes"],
    ],
  });
  const headers = JSON.parse(body.toString());
  expect(headers).toMatchObject({ "x-kept": "yes", host: new URL(other).host });
  expect(headers.authorization).toBeUndefined();
  expect(headers.cookie).toBeUndefined();
});

test("at most twenty redirects are followed", async () => {
  let requests = 0;
  const origin = await serveHttp((_, response) => {
    requests += 1;
    response.writeHead(302, { location: "/again" }).end();
  });
  expect(await failureOf(aClient().send(origin))).toEqual({
    failure: "too-many-redirects",
    message: "Maximum redirects (20) exceeded",
  });
  expect(requests).toBe(21);
});

test("a redirect away from HTTP is refused", async () => {
  const origin = await serveHttp((_, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end());
  expect((await failureOf(aClient().send(origin))).failure).toBe("invalid-request");
});

test("connections are kept and used again", async () => {
  let connections = 0;
  const address = await serveTcp((socket) => {
    connections += 1;
    socket.on("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  });
  const client = aClient();
  for (let call = 0; call < 3; call += 1) {
    expect((await client.send(`http://${address}/`)).body.toString()).toBe("ok");
  }
  expect(connections).toBe(1);
});

/** Answers the first request of each connection and hangs up on the second. */
const hangUpOnSecond = () => {
  let connections = 0;
  const address = serveTcp((socket) => {
    connections += 1;
    let requests = 0;
    socket.on("data", () => {
      requests += 1;
      if (requests === 1) {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      } else {
        socket.destroy();
      }
    });
  });
  return { address, connections: () => connections };
};

test("a kept connection that turns out closed is replaced by a new one", async () => {
  const server = hangUpOnSecond();
  const client = aClient();
  await client.send(`http://${await server.address}/`);
  expect((await client.send(`http://${await server.address}/`)).body.toString()).toBe("ok");
  expect(server.connections()).toBe(2);
});

test("a POST on a kept connection that turns out closed is not sent twice", async () => {
  const server = hangUpOnSecond();
  const client = aClient();
  await client.send(`http://${await server.address}/`);
  const { failure } = await failureOf(client.send(`http://${await server.address}/`, { method: "POST" }));
  expect(failure).toBe("broken");
  expect(server.connections()).toBe(1);
});

test("nobody listening is a refused connection", async () => {
  const address = await findClosedPort();
  expect(await failureOf(aClient().send(`http://${address}/x`))).toEqual({
    failure: "connect",
    message: `Connect to http://${address} failed: Connection refused`,
  });
});

test("a name nobody knows is named", async () => {
  const { failure, message } = await failureOf(aClient().send("http://no-such-host.invalid/"));
  expect(failure).toBe("connect");
  expect(message).toMatch(/^no-such-host\.invalid: (Name or service not known|Temporary failure in name resolution)$/);
});

test("a connection that does not come about in time is told apart from silence after it", async () => {
  const address = await serveTcp(() => undefined);
  const limits = { connectTimeoutMs: 50, readTimeoutMs: 60 };
  expect(await failureOf(aClient().send(`https://${address}/`, { limits }))).toEqual({
    failure: "connect",
    message: `Connect to https://${address} failed: Connect timed out`,
  });
  expect(await failureOf(aClient().send(`http://${address}/`, { limits }))).toEqual({
    failure: "read-timeout",
    message: "Read timed out",
  });
});

test("a body that stops coming is a read timeout", async () => {
  const address = await serveTcp((socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart"));
  const answer = aClient({ readTimeoutMs: 50 }).send(`http://${address}/`);
  expect(await failureOf(answer)).toEqual({ failure: "read-timeout", message: "Read timed out" });
});

test("silence counts on a kept connection too", async () => {
  const origin = await serveHttp((request, response) => {
    if (request.url === "/fast") {
      response.end("ok");
    }
  });
  const client = aClient();
  await client.send(`${origin}/fast`);
  const slow = client.send(`${origin}/slow`, { limits: { readTimeoutMs: 50 } });
  expect((await failureOf(slow)).failure).toBe("read-timeout");
});

test.each([
  ["closes at once", "", "failed to respond"],
  ["closes in the middle", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart", "Connection reset"],
  ["speaks no HTTP", "220 mail.example\r\n", "Parse Error"],
])("a server that %s breaks the call", async (_, bytes, text) => {
  const address = await serveTcp((socket) => socket.on("data", () => socket.end(bytes)));
  const { failure, message } = await failureOf(aClient().send(`http://${address}/`));
  expect(failure).toBe("broken");
  expect(message).toContain(text);
});

test("a server without TLS breaks an https call in plain words", async () => {
  const origin = await serveHttp((_, response) => response.end());
  const { failure, message } = await failureOf(aClient().send(origin.replace("http:", "https:")));
  expect(failure).toBe("connect");
  expect(message).toMatch(/^Connect to https:\/\/127\.0\.0\.1:\d+ failed: [a-z ]+$/);
});

test.each([
  ["plain", {}, (text: string) => Buffer.from(text)],
  ["compressed", { "content-encoding": "gzip" }, (text: string) => gzipSync(text)],
])("a %s body beyond the limit is not read", async (_, headers, encode) => {
  const origin = await serveHttp((_request, response) => {
    response.writeHead(200, headers).end(encode("x".repeat(100_001)));
  });
  expect(await failureOf(aClient().send(origin))).toEqual({
    failure: "too-large",
    message: "Expected a response of at most 100000 bytes, got more",
  });
});

test("a compressed body is given as it was before", async () => {
  const origin = await serveHttp((_, response) => {
    const body = gzipSync("hello");
    response.writeHead(200, { "Content-Encoding": "gzip", "Content-Length": body.length, "X-Kept": "1" }).end(body);
  });
  const { headers, body } = await aClient().send(origin);
  expect(body.toString()).toBe("hello");
  expect(Object.keys(headers)).toContain("X-Kept");
  expect(Object.keys(headers)).not.toContain("Content-Encoding");
});

test("a body that is not compressed as announced breaks the call", async () => {
  const origin = await serveHttp((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("plain"));
  expect(await failureOf(aClient().send(origin))).toEqual({
    failure: "broken",
    message: "Expected the response body to be gzip, got something else",
  });
});

test("an answer to HEAD may announce a compressed body it does not have", async () => {
  const origin = await serveHttp((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end());
  expect((await aClient().send(origin, { method: "HEAD" })).body.length).toBe(0);
});

test("a call ends when its signal does", async () => {
  const abort = new AbortController();
  const origin = await serveHttp(() => abort.abort());
  expect(await failureOf(aClient().send(origin, { signal: abort.signal }))).toEqual({
    failure: "aborted",
    message: "Request aborted",
  });
  expect((await failureOf(aClient().send(origin, { signal: AbortSignal.abort() }))).failure).toBe("aborted");
});

test("closing the client ends the calls under way, on kept connections too", async () => {
  const client = aClient();
  const origin = await serveHttp((request, response) => {
    if (request.url === "/fast") {
      response.end();
    } else {
      client.close();
    }
  });
  await client.send(`${origin}/fast`);
  expect((await failureOf(client.send(`${origin}/slow`))).failure).toBe("broken");
});

test.each([
  "http://169.254.169.254/latest/meta-data",
  "http://2852039166/",
  "http://0xa9.0xfe.0xa9.0xfe/",
  "http://169.254.170.2/",
  "http://100.100.100.200/",
  "http://[fd00:ec2::254]/",
  "http://[::ffff:169.254.169.254]/",
  "http://[64:ff9b::169.254.169.254]/",
])("the metadata address %s is never reached", async (url) => {
  const { failure, message } = await failureOf(aClient().send(url));
  expect(failure).toBe("refused");
  expect(message).toMatch(/^Outbound access denied: .* resolves to a cloud metadata address \(.*\)$/);
});

test("a redirect to a metadata address is refused", async () => {
  const location = "http://169.254.169.254/latest";
  const origin = await serveHttp((_, response) => response.writeHead(302, { location }).end());
  expect((await failureOf(aClient().send(origin))).failure).toBe("refused");
});

test("a blocked address is refused under every name that leads to it", async () => {
  let requests = 0;
  const origin = await serveHttp((_, response) => {
    requests += 1;
    response.end();
  });
  const client = aClient({ refuse: refuseAddresses(["127.0.0.0/8", "::1"]) });
  for (const url of [origin, origin.replace("127.0.0.1", "localhost"), origin.replace("127.0.0.1", "127.1")]) {
    const { failure, message } = await failureOf(client.send(url));
    expect(failure).toBe("refused");
    expect(message).toMatch(/^Outbound access denied: (127\.0\.0\.1|localhost) resolves to a blocked address \(.+\)$/);
  }
  expect(requests).toBe(0);
});

test("a host name is reached when its addresses are allowed", async () => {
  const origin = await serveHttp((request, response) => response.end(request.headers.host));
  const byName = origin.replace("127.0.0.1", "localhost");
  expect((await aClient().send(byName)).body.toString()).toBe(new URL(byName).host);
});
