import { expect, onTestFinished, test } from "vitest";
import { addressKind } from "./address-ranges.ts";
import { createGuardedFetch, type GuardedFetchOptions } from "./guarded-fetch.ts";
import { OutboundError } from "./outbound-error.ts";
import { findClosedPort, readText, serveDns, serveHttp } from "./test-server.ts";

function aFetch(options: Partial<GuardedFetchOptions> = {}) {
  const guarded = createGuardedFetch({
    connectTimeoutMs: 2000,
    readTimeoutMs: 2000,
    refuse: () => undefined,
    ...options,
  });
  onTestFinished(() => guarded.close());
  return guarded.fetch;
}

const onlyPublic: GuardedFetchOptions["refuse"] = ({ url, address }) =>
  addressKind(address) === "public" ? undefined : `${url.hostname} resolves to a private address`;

async function failureOf(answer: Promise<Response>): Promise<{ failure: string; message: string }> {
  const error: unknown = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof OutboundError)) throw new Error(`Expected an OutboundError, got ${String(error)}`);
  return { failure: error.failure, message: error.message };
}

test("a request arrives as it was given, and its answer can be streamed", async () => {
  const origin = await serveHttp(async (request, response) => {
    response.setHeader("x-seen", `${request.method} ${request.headers["x-key"]} ${await readText(request)}`);
    response.write("one ");
    response.end("two");
  });
  const response = await aFetch()(`${origin}/path`, { method: "POST", headers: { "x-key": "k" }, body: "text" });
  expect(response.headers.get("x-seen")).toBe("POST k text");
  const parts: string[] = [];
  for await (const part of response.body!) parts.push(new TextDecoder().decode(part));
  expect(parts.join("")).toBe("one two");
});

test("a name whose addresses include a refused one is not connected to", async () => {
  let asked = 0;
  const origin = await serveHttp((_, response) => {
    asked += 1;
    response.end();
  });
  const { port } = new URL(origin);
  const resolve = await serveDns(() => ["93.184.216.34", "127.0.0.1"]);
  const guarded = aFetch({ refuse: onlyPublic, resolve });
  expect(await failureOf(guarded(`http://both.example:${port}/`))).toEqual({
    failure: "refused",
    message: "Outbound access denied: both.example resolves to a private address",
  });
  expect(asked).toBe(0);
});

test("a name that is looked up again with another answer is checked again: rebinding leads nowhere", async () => {
  let lookups = 0;
  const origin = await serveHttp((_, response) => response.setHeader("connection", "close").end("outside"));
  const { port } = new URL(origin);
  // The address that is allowed while somebody looks, the one that is not when somebody connects.
  const resolve = await serveDns(() => [lookups++ === 0 ? "127.0.0.1" : "127.0.0.2"]);
  const guarded = aFetch({ refuse: ({ address }) => (address === "127.0.0.2" ? "inside" : undefined), resolve });
  const url = `http://rebind.example:${port}/`;
  expect(await (await guarded(url)).text()).toBe("outside");
  expect(lookups).toBe(1);
  expect(await failureOf(guarded(url))).toEqual({ failure: "refused", message: "Outbound access denied: inside" });
});

test("what was resolved is what is connected to", async () => {
  const origin = await serveHttp((request, response) => response.end(request.headers.host));
  const { port } = new URL(origin);
  const resolve = await serveDns(() => ["127.0.0.1"]);
  const response = await aFetch({ resolve })(`http://named.example:${port}/`);
  expect(await response.text()).toBe(`named.example:${port}`);
});

test("a refused URL is not even looked up", async () => {
  let lookups = 0;
  const resolve = await serveDns(() => [`127.0.0.${++lookups}`]);
  const guarded = aFetch({ resolve, refuseUrl: ({ origin }) => `${origin} is not allowed` });
  expect((await failureOf(guarded("http://secret-in-a-name.example/"))).message).toBe(
    "Outbound access denied: http://secret-in-a-name.example is not allowed",
  );
  expect(lookups).toBe(0);
});

test("every redirect is checked like a first request", async () => {
  let asked = 0;
  const inside = await serveHttp((_, response) => {
    asked += 1;
    response.end();
  });
  const outside = await serveHttp((_, response) => response.writeHead(307, { location: `${inside}/x` }).end());
  const refuseUrl = ({ origin }: URL): string | undefined =>
    origin === outside ? undefined : `${origin} is not allowed`;
  expect((await failureOf(aFetch({ refuseUrl })(outside))).message).toBe(
    `Outbound access denied: ${inside} is not allowed`,
  );
  expect(asked).toBe(0);
});

test("headers of the caller stay with the origin they were meant for", async () => {
  const other = await serveHttp((request, response) =>
    response.end(
      JSON.stringify([request.method, request.headers["x-key"] ?? null, request.headers.authorization ?? null]),
    ),
  );
  const first = await serveHttp((_, response) => response.writeHead(308, { location: other }).end());
  const response = await aFetch()(first, { method: "POST", headers: { "x-key": "k", authorization: "a" }, body: "b" });
  expect(await response.json()).toEqual(["POST", null, null]);
});

test("a chain of redirects ends after five", async () => {
  const origin: string = await serveHttp((_, response) => response.writeHead(302, { location: "/again" }).end());
  expect((await failureOf(aFetch()(origin))).message).toBe("Maximum redirects (5) exceeded");
});

test("a password in the URL is sent and not told", async () => {
  const origin = await serveHttp((request, response) => response.end(request.headers.authorization));
  const withPassword = origin.replace("http://", "http://ada:pa%20ss@");
  expect(await (await aFetch()(withPassword)).text()).toBe(`Basic ${btoa("ada:pa ss")}`);
  const { message } = await failureOf(aFetch()(`http://ada:hunter2@${await findClosedPort()}`));
  expect(message).toMatch(/^Request to http:\/\/127\.0\.0\.1:\d+ failed: /);
});

test.each(["file:///etc/passwd", "gopher://127.0.0.1/", "not a url", "http://"])("%s is not asked", async (url) => {
  expect((await failureOf(aFetch()(url))).failure).toBe("invalid-request");
});

test("a header that cannot be sent is told without its value", async () => {
  const answer = aFetch()("http://127.0.0.1:1", { headers: { authorization: "secret\r\nx: y" } });
  const { failure, message } = await failureOf(answer);
  expect(failure).toBe("invalid-request");
  expect(message).not.toContain("secret");
});

test("a call that is given up ends with the reason", async () => {
  const abort = new AbortController();
  const origin = await serveHttp(() => abort.abort(new Error("enough")));
  await expect(aFetch()(origin, { signal: abort.signal })).rejects.toThrow("enough");
});
