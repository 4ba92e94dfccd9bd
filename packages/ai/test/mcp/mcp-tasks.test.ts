import { afterAll, beforeAll, expect, test } from "vitest";
import { serveHttp } from "../support/http-server.ts";
import { serveMcp, serveOldMcp, servePlainRpc } from "../support/mcp-server.ts";
import {
  allowing,
  aToolServer,
  hasFixtures,
  readFixture,
  startToolServer,
  type ToolServer,
} from "../support/tool-server.ts";

test.each(["stateful", "stateless"] as const)("the tools of a %s server are listed and called", async (kind) => {
  const { origin, seen } = await serveMcp(kind);
  const { runTask } = await aToolServer(allowing(origin));
  const mcpServer = `${origin}/mcp`;
  const listed = await runTask("LIST_MCP_TOOLS", { mcpServer, headers: { "X-Key": "k1" } });
  expect(listed.status).toBe("COMPLETED");
  expect(listed.outputData["tools"]).toMatchObject([
    {
      name: "get_weather",
      description: "The weather of a place",
      inputSchema: { type: "object", required: ["location"], properties: { location: { type: "string" } } },
    },
    { name: "say" },
    { name: "break", description: "Fails" },
  ]);
  expect(new Set(seen.requests.map(({ key }) => key))).toEqual(new Set(["k1"]));

  const called = await runTask("CALL_MCP_TOOL", {
    mcpServer,
    method: "get_weather",
    arguments: { location: "Bergen" },
  });
  expect(called).toMatchObject({ status: "COMPLETED" });
  expect(called.outputData).toEqual({
    content: [
      {
        type: "text",
        text: '{"location":"Bergen","units":"celsius","degrees":21}',
        parsed: { location: "Bergen", units: "celsius", degrees: 21 },
      },
    ],
    isError: false,
    structuredContent: { degrees: 21 },
  });
  const sessions = new Set(seen.requests.map(({ session }) => session).filter((session) => session !== undefined));
  // One for each task, and each is ended.
  expect(sessions.size).toBe(kind === "stateful" ? 2 : 0);
  expect(seen.requests.filter(({ method }) => method === "DELETE")).toHaveLength(sessions.size);
});

test("the older transport is spoken where the URL is of its kind", async () => {
  const origin = await serveOldMcp();
  const { runTask } = await aToolServer(allowing(origin));
  const called = await runTask("CALL_MCP_TOOL", { mcpServer: `${origin}/sse`, method: "say", text: "flat" });
  expect(called.outputData).toEqual({ content: [{ type: "text", text: "flat", parsed: "flat" }], isError: false });
});

test("a tool that reports a mistake has answered", async () => {
  const { origin } = await serveMcp("stateless");
  const { runTask } = await aToolServer(allowing(origin));
  const called = await runTask("CALL_MCP_TOOL", { mcpServer: `${origin}/mcp`, method: "break" });
  expect(called).toMatchObject({ status: "COMPLETED", outputData: { isError: true, content: [{ text: "it broke" }] } });
});

test("a server without a handshake is asked directly, all pages of its list", async () => {
  const origin = await servePlainRpc((method, params) => {
    if (method !== "tools/list") return { status: 400, body: "no session" };
    const { cursor } = params as { cursor?: string };
    const tools = [{ name: cursor === undefined ? "one" : "two", description: null, inputSchema: { type: "object" } }];
    const result = cursor === undefined ? { tools, nextCursor: "next" } : { tools };
    return {
      type: "text/event-stream",
      body: `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result })}\n\ndata: [DONE]\n\n`,
    };
  });
  const { runTask } = await aToolServer(allowing(origin));
  const { outputData } = await runTask("LIST_MCP_TOOLS", { mcpServer: `${origin}/rpc` });
  expect(outputData["tools"]).toMatchObject([{ name: "one" }, { name: "two" }]);
});

test("a server that is busy is asked again, one that failed is not: a call may not happen twice", async () => {
  const asked: string[] = [];
  const origin = await servePlainRpc((method, _, { url = "" }) => {
    if (method === "initialize") return { status: 404, body: "" };
    asked.push(url);
    if (url === "/failed") return { status: 500, body: "sorry" };
    if (asked.length === 1) return { status: 429, body: "" };
    return { body: JSON.stringify({ jsonrpc: "2.0", id: 1, result: { content: [] } }) };
  });
  const { runTask } = await aToolServer(allowing(origin));
  const call = (path: string) => runTask("CALL_MCP_TOOL", { mcpServer: `${origin}${path}`, method: "pay" });
  expect(await call("/busy")).toMatchObject({ status: "COMPLETED", outputData: { content: [], isError: false } });
  expect(await call("/failed")).toMatchObject({ status: "FAILED" });
  expect(asked).toEqual(["/busy", "/busy", "/failed"]);
});

let server: ToolServer;
beforeAll(async () => {
  server = await startToolServer();
});
afterAll(() => server.close());

test("the gate is closed unless the settings open it", async () => {
  const { origin, seen } = await serveMcp("stateless");
  const denied = await server.runTask("LIST_MCP_TOOLS", { mcpServer: `${origin}/mcp` });
  expect(denied).toMatchObject({
    status: "FAILED_WITH_TERMINAL_ERROR",
    reasonForIncompletion: `Non-retryable error: Outbound access denied: ${origin} is not in service.ai.outbound.allowed-origins`,
  });
  const closed = await aToolServer({ "service.ai.outbound.allowed-origins": origin });
  expect(await closed.runTask("LIST_MCP_TOOLS", { mcpServer: `${origin}/mcp` })).toMatchObject({
    status: "FAILED_WITH_TERMINAL_ERROR",
    reasonForIncompletion: "Non-retryable error: Outbound access denied: 127.0.0.1 resolves to a private address",
  });
  expect(seen.requests).toEqual([]);
});

test.each([
  [{}, "Non-retryable error: Missing required input parameter 'mcpServer'"],
  [{ mcpServer: "stdio" }, 'Non-retryable error: Expected mcpServer to be an http or https URL, got "stdio"'],
  [{ mcpServer: "file:///etc/passwd" }, 'Non-retryable error: Expected an http or https URL, got "file:///etc/passwd"'],
  [
    { mcpServer: "http://127.0.0.1:1/mcp", headers: { a: "b\r\nc: d" } },
    "Task execution failed: MCP headers must not contain CR or LF characters",
  ],
])("the input %j fails the task: %s", async (input, reasonForIncompletion) => {
  expect(await server.runTask("LIST_MCP_TOOLS", input)).toMatchObject({ reasonForIncompletion });
});

test("failures are told in the words of the interface, without what was secret", async () => {
  const failing = await servePlainRpc((method, params, request) => {
    const key = request.headers.authorization;
    const path = request.url ?? "";
    if (method === "initialize" && path !== "/broken") return { status: 404, body: "" };
    switch (path) {
      case "/broken":
        return { status: 500, body: `who are you, ${key}?` };
      case "/rpc-error":
        return {
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            error: { code: -32602, message: "Unknown tool", data: params },
          }),
        };
      case "/no-result":
        return { body: "{}" };
      case "/no-tools":
        return { body: JSON.stringify({ jsonrpc: "2.0", id: 1, result: { tools: "none" } }) };
      case "/deep":
        return { body: `{"jsonrpc":"2.0","id":1,"result":${'{"a":'.repeat(40)}1${"}".repeat(40)}}` };
      case "/large":
        return { body: JSON.stringify({ jsonrpc: "2.0", id: 1, result: { content: ["x".repeat(11 * 1024 * 1024)] } }) };
      case "/silent":
        return { type: "text/event-stream", body: "event: ping\n\n" };
      default:
        return { status: 404, body: path };
    }
  });
  const { runTask } = await aToolServer(allowing(failing));
  const reasonOf = async (type: string, path: string, more: Record<string, unknown> = {}): Promise<string> => {
    const task = await runTask(type, { mcpServer: `${failing}${path}`, method: "t", ...more });
    expect(task.status).toBe("FAILED");
    return task.reasonForIncompletion ?? "";
  };
  const headers = { Authorization: "Bearer sesame-open" };
  expect(await reasonOf("LIST_MCP_TOOLS", "/broken", { headers })).toBe(
    `Task execution failed: Failed to list MCP tools from ${failing}/broken: HTTP 500 error from MCP server: who are you, ***?`,
  );
  expect(await reasonOf("LIST_MCP_TOOLS", "/rpc-error")).toBe(
    `Task execution failed: Failed to list MCP tools from ${failing}/rpc-error: JSON-RPC error: {"code":-32602,"message":"Unknown tool","data":{}}`,
  );
  expect(await reasonOf("CALL_MCP_TOOL", "/rpc-error")).toBe(
    `Task execution failed: Failed to call MCP tool 't' on ${failing}/rpc-error: {"code":-32602,"message":"Unknown tool","data":{"name":"t","arguments":{}}}`,
  );
  expect(await reasonOf("CALL_MCP_TOOL", "/no-result")).toContain("Invalid JSON-RPC response: missing 'result' field");
  expect(await reasonOf("LIST_MCP_TOOLS", "/no-tools")).toContain(
    "Invalid response: 'tools' field is missing or not an array",
  );
  expect(await reasonOf("CALL_MCP_TOOL", "/deep")).toContain(
    "External tool data exceeds the maximum nesting depth of 32",
  );
  expect(await reasonOf("CALL_MCP_TOOL", "/large")).toContain("MCP response exceeds the 10 MiB payload limit");
  expect(await reasonOf("CALL_MCP_TOOL", "/silent")).toContain("No data found in SSE response: event: ping");
});

test("an error of the official server is told as it was sent", async () => {
  const { origin } = await serveMcp("stateful");
  const { runTask } = await aToolServer(allowing(origin));
  const called = await runTask("CALL_MCP_TOOL", { mcpServer: `${origin}/mcp`, method: "nope" });
  expect(called).toMatchObject({
    status: "FAILED",
    reasonForIncompletion: `Task execution failed: Failed to call MCP tool 'nope' on ${origin}/mcp: {"code":-32602,"message":"Tool nope not found"}`,
  });
});

test("redirects are posted again to the same place, never with credentials to another, and not for ever", async () => {
  const { origin } = await serveMcp("stateless");
  const redirecting: string = await serveHttp((request, response) => {
    const location = { "/there": `${origin}/mcp`, "/loop": "/loop", "/nowhere": undefined }[request.url ?? ""];
    response.writeHead(307, location === undefined ? {} : { location }).end();
  });
  const { runTask } = await aToolServer(allowing(origin, redirecting));
  const list = (path: string, headers = {}) =>
    runTask("LIST_MCP_TOOLS", { mcpServer: `${redirecting}${path}`, headers });
  expect((await list("/there")).status).toBe("COMPLETED");
  expect((await list("/there", { authorization: "Bearer x" })).reasonForIncompletion).toContain(
    "Refusing to forward credentials across an MCP redirect",
  );
  expect((await list("/loop")).reasonForIncompletion).toContain("MCP server exceeded the redirect limit");
  expect((await list("/nowhere")).reasonForIncompletion).toContain(
    "MCP server returned a redirect without a valid Location",
  );
});

test.runIf(hasFixtures)("the fixtures that list and call tools run", async () => {
  const { origin } = await serveMcp("stateful");
  const { run } = await aToolServer(allowing(origin));
  const moved = { "http://localhost:3001": origin };
  const listed = await run(readFixture("08-mcp-list-tools", moved));
  expect(listed.status).toBe("COMPLETED");
  expect(listed.tasks[0]?.outputData["tools"]).toHaveLength(3);
  const weather = await run(readFixture("09-mcp-call-tool", moved));
  expect(weather.status).toBe("COMPLETED");
  expect(weather.tasks[0]?.outputData).toMatchObject({
    content: [{ parsed: { location: "New York", units: "fahrenheit", degrees: 21 } }],
    isError: false,
  });
});
