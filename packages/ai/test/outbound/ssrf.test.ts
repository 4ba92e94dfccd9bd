import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { serveHttp } from "../support/http-server.ts";
import { allowing, aToolServer, startToolServer, type ToolServer } from "../support/tool-server.ts";

/** Ways to write this machine; PORT is where something listens that must not be reached. */
const loopback = [
  "http://127.0.0.1:PORT/",
  "http://localhost:PORT/",
  "http://LOCALHOST:PORT/",
  "http://localhost.:PORT/",
  "http://2130706433:PORT/",
  "http://0x7f000001:PORT/",
  "http://0x7f.0x0.0x0.0x1:PORT/",
  "http://0177.0.0.1:PORT/",
  "http://0177.0.0.0x1:PORT/",
  "http://017700000001:PORT/",
  "http://127.1:PORT/",
  "http://127.0.1:PORT/",
  "http://127.0.0.1.:PORT/",
  "http://127.127.127.127:PORT/",
  "http://0.0.0.0:PORT/",
  "http://0:PORT/",
  "http://[::1]:PORT/",
  "http://[::]:PORT/",
  "http://[0:0:0:0:0:0:0:1]:PORT/",
  "http://[::ffff:127.0.0.1]:PORT/",
  "http://[::ffff:7f00:1]:PORT/",
  "http://[::127.0.0.1]:PORT/",
  "http://[::ffff:0:127.0.0.1]:PORT/",
  "http://[64:ff9b::127.0.0.1]:PORT/",
  "http://[64:ff9b:1::7f00:1]:PORT/",
  "http://[2002:7f00:1::]:PORT/",
  "http://[2001:0:4136:e378:8000:63bf:80ff:fffe]:PORT/",
  "http://[2a00:1450::5efe:127.0.0.1]:PORT/",
  "http://user@127.0.0.1:PORT/",
  "http://example.com@127.0.0.1:PORT/",
  "http://example.com:80@127.0.0.1:PORT/",
  "http://127.0.0.1:PORT#@example.com/",
  "http://127.0.0.1:PORT\\@example.com/",
  "http://①②⑦.⓪.⓪.①:PORT/",
  "http://127。0。0。1:PORT/",
  "http://%31%32%37.0.0.1:PORT/",
  "http://lOcAlHoSt%2e:PORT/",
  "http:127.0.0.1:PORT/",
  "http:\\\\127.0.0.1:PORT/",
  "http:///127.0.0.1:PORT/",
  " \thttp://127.0.0.1:PORT/",
  "ht\ntp://127.0.0.1:PORT/",
  "HTTP://127.0.0.1:PORT/",
];

/** Ways to write the places where clouds hand out credentials. */
const metadata = [
  "http://169.254.169.254/latest/meta-data/",
  "http://169.254.169.254./latest/meta-data/",
  "http://2852039166/latest/meta-data/",
  "http://0xa9fea9fe/",
  "http://0251.0376.0251.0376/",
  "http://0251.254.169.254/",
  "http://169.254.43518/",
  "http://[::ffff:169.254.169.254]/",
  "http://[::ffff:a9fe:a9fe]/",
  "http://[64:ff9b::169.254.169.254]/",
  "http://[64:ff9b:1::a9fe:a9fe]/",
  "http://[2002:a9fe:a9fe::]/",
  "http://[fd00:ec2::254]/",
  "http://169.254.170.2/v2/credentials",
  "http://100.100.100.200/latest/meta-data/",
  "http://168.63.129.16/",
  "http://user:x@169.254.169.254/",
  "http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/",
];

/** Neighbours of this machine. */
const neighbours = [
  "http://10.0.0.1/",
  "http://172.16.5.4/",
  "http://192.168.1.1/",
  "http://192.168.257/",
  "http://100.64.0.1/",
  "http://[fd12:3456::1]/",
  "http://[fe80::1]/",
  "http://[::ffff:10.0.0.1]/",
  "http://198.18.0.1/",
  "http://224.0.0.1/",
];

let reached: string[] = [];
let origin: string;
let port: string;
let stop: () => Promise<void>;
let closed: ToolServer;
let named: ToolServer;
let open: ToolServer;

beforeAll(async () => {
  ({ origin, stop } = await serveForAll((url) => reached.push(url)));
  port = new URL(origin).port;
  const origins = [...loopback, ...metadata, ...neighbours].flatMap((url) => URL.parse(withPort(url))?.origin ?? []);
  // Nothing allowed; everything named, but private networks not; all of this machine allowed.
  closed = await startToolServer();
  named = await startToolServer({ "service.ai.outbound.allowed-origins": origins.join(",") });
  open = await startToolServer({
    ...allowing(origin, ...origins),
    "service.document-access-policy.disabled": "true",
  });
}, 60_000);
afterAll(async () => {
  await Promise.all([closed, named, open].map((server) => server.close()));
  await stop();
});
beforeEach(() => {
  reached = [];
});

const withPort = (url: string): string => url.replace("PORT", port);

/** Runs one task per URL and expects each to be refused for good, and nobody to have been asked. */
async function expectRefused(
  server: ToolServer,
  urls: readonly string[],
  taskOf: (url: string) => readonly [string, Record<string, unknown>],
): Promise<void> {
  const outcomes = await Promise.all(
    urls.map(async (url) => {
      const { status, reasonForIncompletion = "" } = await server.runTask(...taskOf(withPort(url)));
      const isRefusal = /access denied: /i.test(reasonForIncompletion);
      return status === "FAILED_WITH_TERMINAL_ERROR" && isRefusal ? [] : [`${url}: ${status} ${reasonForIncompletion}`];
    }),
  );
  expect(outcomes.flat()).toEqual([]);
  expect(reached).toEqual([]);
}

const listTools = (mcpServer: string) => ["LIST_MCP_TOOLS", { mcpServer }] as const;
const getDocument = (url: string) => ["GET_DOCUMENT", { url }] as const;
const httpTask = (uri: string) => ["HTTP", { http_request: { uri, method: "GET" } }] as const;

test("MCP: nothing is reached that the settings do not name", { timeout: 60_000 }, async () => {
  await expectRefused(closed, [...loopback, ...metadata, ...neighbours], listTools);
});

test("MCP: an origin that is named is refused all the same when it leads inside", { timeout: 60_000 }, async () => {
  await expectRefused(named, [...loopback, ...metadata, ...neighbours], listTools);
});

test("MCP: private networks that are allowed do not open metadata addresses", { timeout: 60_000 }, async () => {
  await expectRefused(open, metadata, listTools);
});

test("API tools and planner fetches pass the same gate", { timeout: 60_000 }, async () => {
  const some = [...loopback.slice(0, 12), ...metadata.slice(0, 6)];
  await expectRefused(named, some, (specUrl) => ["LIST_API_TOOLS", { specUrl }]);
  await expectRefused(named, some, (url) => ["PLANNER_CONTEXT_FETCH", { url }]);
});

test("documents: this machine and metadata addresses are refused", { timeout: 60_000 }, async () => {
  await expectRefused(closed, [...loopback, ...metadata], getDocument);
});

test("documents: metadata addresses are refused even when every check is off", { timeout: 60_000 }, async () => {
  await expectRefused(open, metadata, getDocument);
});

test("HTTP tasks never reach metadata addresses", { timeout: 60_000 }, async () => {
  await expectRefused(closed, metadata, httpTask);
});

test("HTTP tasks whose target was discovered pass the gate, redirects too", { timeout: 60_000 }, async () => {
  const discovered = (uri: string) => ["HTTP", { http_request: { uri, method: "GET" }, outboundPolicy: "ai" }] as const;
  await expectRefused(closed, [...loopback.slice(0, 28), ...metadata, ...neighbours], discovered);
  await expectRefused(named, [...loopback.slice(0, 28), ...metadata, ...neighbours], discovered);
  await expectRefused(open, metadata, discovered);
  const outside = await serveHttp((request, response) => {
    if (request.url === "/away") response.writeHead(302, { location: `${origin}/canary` }).end();
    else response.end("hello");
  });
  const { runTask } = await aToolServer(allowing(outside));
  expect(await runTask(...discovered(`${outside}/`))).toMatchObject({ outputData: { response: { body: "hello" } } });
  expect(await runTask(...discovered(`${outside}/away`))).toMatchObject({
    status: "FAILED_WITH_TERMINAL_ERROR",
    reasonForIncompletion: `Failed to invoke HTTP task due to: Outbound access denied: ${origin} is not in service.ai.outbound.allowed-origins`,
  });
  expect(reached).toEqual([]);
});

test("base URLs of tasks pass the gate", { timeout: 60_000 }, async () => {
  const chat = (baseUrl: string) =>
    ["LLM_CHAT_COMPLETE", { llmProvider: "ollama", model: "m", userInput: "hello", baseUrl }] as const;
  await expectRefused(closed, [...loopback.slice(0, 12), ...metadata.slice(0, 6)], chat);
  await expectRefused(named, [...loopback.slice(0, 28), ...metadata], chat);
  await expectRefused(open, metadata, chat);
});

test.each(["301", "302", "303", "307", "308"])(
  "a redirect with status %s leads nowhere it should not",
  async (status) => {
    const inside: readonly string[] = [
      `${origin}/canary`,
      ...metadata.slice(0, 4),
      "file:///etc/passwd",
      "//169.254.169.254/",
    ];
    const redirecting: string = await serveHttp((request, response) => {
      const target = inside[Number(request.url?.slice(1))] ?? "";
      response.writeHead(Number(status), { location: target }).end();
    });
    // The first hop is allowed, this machine or not; where it leads is not.
    const { runTask } = await aToolServer({
      ...allowing(redirecting),
      "service.document-access-policy.disabled": "true",
    });
    for (const [at, target] of inside.entries()) {
      const url = `${redirecting}/${at}`;
      const tasks: (readonly [string, Record<string, unknown>])[] = [
        listTools(url),
        ...(target === `${origin}/canary` ? [] : [getDocument(url)]),
      ];
      for (const task of tasks) {
        const { status: ended, reasonForIncompletion } = await runTask(...task);
        expect(ended, target).toBe("FAILED_WITH_TERMINAL_ERROR");
        expect(reasonForIncompletion, target).toMatch(/ccess denied: |Expected an http or https URL/);
      }
    }
    expect(reached).toEqual([]);
  },
);

/** On every address of this machine, and for all tests. */
async function serveForAll(onRequest: (url: string) => void): Promise<{ origin: string; stop: () => Promise<void> }> {
  const server = createServer((request, response) => {
    onRequest(request.url ?? "");
    response.end("reached");
  });
  server.listen(0);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("Expected a port");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    async stop() {
      server.closeAllConnections();
      const done = once(server, "close");
      server.close();
      await done;
    },
  };
}
