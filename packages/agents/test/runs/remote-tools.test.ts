import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AgentServer, anAgent, aTool, calling, heard, says, useAgentServer } from "../support/agent-server.ts";

let server: AgentServer;
let remote: Server;
let base: string;
const requests: unknown[] = [];
beforeAll(async () => {
  // Answers every request with what it was sent.
  remote = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += String(part);
    });
    request.on("end", () => {
      requests.push({ method: request.method, url: request.url, token: request.headers.authorization, body });
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ ok: true }));
    });
  });
  remote.listen(0, "127.0.0.1");
  await once(remote, "listening");
  base = `http://127.0.0.1:${(remote.address() as AddressInfo).port}`;
});
afterAll(() => remote.close());
useAgentServer(
  (started) => {
    server = started;
  },
  () => ({
    settings: {
      "service.ai.outbound.allowed-origins": base,
      "service.ai.outbound.allow-private-networks": "true",
    },
  }),
);

test("an HTTP tool puts arguments in path, query and body, and its secret only in the request", async () => {
  const agent = anAgent({
    tools: [
      aTool("order", {
        toolType: "http",
        config: {
          url: base,
          pathTemplate: "/orders/{id}",
          method: "post",
          queryParams: ["dry"],
          headers: { Authorization: "Bearer ${TOK}" },
        },
      }),
      aTool("list", { toolType: "http", config: { url: `${base}/orders?page=1#top` } }),
    ],
  });
  server.script(`${agent.name}_llm`, [
    calling(["order", { id: "a/b", dry: true, note: "${workflow.secrets.TOK}" }]),
    calling(["list", { tag: ["x", "y"], none: null }]),
    says("ordered"),
  ]);
  const run = await server.run(agent);
  expect(run.output["result"]).toBe("ordered");
  expect(requests).toEqual([
    {
      method: "POST",
      url: "/orders/a%2Fb?dry=true",
      token: "Bearer s3cret",
      body: '{"note":"${workflow.secrets.TOK}"}',
    },
    { method: "GET", url: "/orders?page=1&tag=x&tag=y", token: undefined, body: "" },
  ]);
  expect(JSON.stringify(run)).not.toContain("s3cret");
});

test("a tool that is called beforehand may be an HTTP one", async () => {
  const agent = anAgent({
    tools: [aTool("status", { toolType: "http", config: { url: `${base}/status` } })],
    prefillTools: [{ toolName: "status", arguments: { of: "all" } }],
  });
  server.script(`${agent.name}_llm`, [says("fine")]);
  expect((await server.run(agent)).output["result"]).toBe("fine");
  expect(requests.at(-1)).toMatchObject({ method: "GET", url: "/status?of=all" });
  expect(heard(server.asked(`${agent.name}_llm`)[0])[1]).toMatch(/## status\(of="all"\)\n.*ok/);
});

test("tools of an MCP server are discovered, filtered by name and called there", async () => {
  const agent = anAgent({
    tools: [
      aTool("look_up"),
      aTool("mcp", {
        toolType: "mcp",
        config: { server_url: "http://mcp", tool_names: ["add", "sub"], headers: { Authorization: "Bearer ${TOK}" } },
      }),
    ],
  });
  server.script(`${agent.name}_list_mcp_0`, [
    {
      tools: ["add", "sub", "mul"].map((name) => ({
        name,
        description: `Does ${name}`,
        inputSchema: { type: "object" },
      })),
    },
  ]);
  const call = calling(["add", { a: 1 }], ["mul", { a: 1 }]);
  const [{ taskReferenceName: ref }] = call["toolCalls"] as [{ taskReferenceName: string }];
  server.script(ref, [{ content: [{ type: "text", text: "3" }], isError: false }]);
  server.script(`${agent.name}_llm`, [call, says("3")]);
  const run = await server.run(agent);
  expect(run.output["result"]).toBe("3");
  const offered = server.asked(`${agent.name}_llm`)[0]?.["tools"] as { readonly name: string }[];
  expect(offered.map(({ name }) => name)).toEqual(["look_up", "add", "sub"]);
  expect(server.asked(`${agent.name}_list_mcp_0`)[0]).toMatchObject({ headers: { Authorization: "Bearer s3cret" } });
  expect(server.asked(ref)).toMatchObject([
    { mcpServer: "http://mcp", method: "add", arguments: { a: 1 }, headers: { Authorization: "Bearer s3cret" } },
  ]);
  const refused = run.tasks.find(
    ({ taskType, referenceTaskName }) => taskType === "INLINE" && referenceTaskName.startsWith("call_"),
  );
  expect(refused?.outputData["result"]).toMatchObject({
    result: "Unknown tool 'mul'. Available tools: look_up, add, sub",
  });
  expect(JSON.stringify(run)).not.toContain("s3cret");
});

test("operations of an interface description are called as it says; a model chooses when there are too many", async () => {
  const agent = anAgent({ tools: [aTool("api", { toolType: "api", config: { url: "http://spec", max_tools: 1 } })] });
  const properties = {
    id: { type: "string", in: "path" },
    full: { type: "boolean", in: "query" },
    note: { type: "string", in: "body" },
  };
  server.script(`${agent.name}_list_api_0`, [
    {
      baseUrl: base,
      tools: [
        {
          name: "update_item",
          description: "Updates",
          method: "put",
          path: "/items/{id}",
          inputSchema: { type: "object", properties },
        },
        { name: "other", description: "Other", method: "get", path: "/other", inputSchema: { type: "object" } },
      ],
    },
  ]);
  server.script(`${agent.name}_api_filter_llm`, [says({ selected_tools: ["update_item"] })]);
  server.script(`${agent.name}_llm`, [calling(["update_item", { id: "7", full: true, note: "hi" }]), says("updated")]);
  const before = requests.length;
  const run = await server.run(agent);
  expect(run.output["result"]).toBe("updated");
  expect(requests.slice(before)).toMatchObject([{ method: "PUT", url: "/items/7?full=true", body: '{"note":"hi"}' }]);
  const offered = server.asked(`${agent.name}_llm`)[0]?.["tools"] as { readonly name: string }[];
  expect(offered.map(({ name }) => name)).toEqual(["update_item"]);
});

test("an operation at an address that the operator has not allowed is not called", async () => {
  const agent = anAgent({ tools: [aTool("api", { toolType: "api", config: { url: "http://spec" } })] });
  const operation = { description: "Reads", method: "get", path: "/", inputSchema: { type: "object" } };
  // The same server by another name: what is allowed is the origin as it was written down.
  const elsewhere = base.replace("127.0.0.1", "localhost");
  server.script(`${agent.name}_list_api_0`, [{ baseUrl: elsewhere, tools: [{ ...operation, name: "read_inside" }] }]);
  server.script(`${agent.name}_llm`, [calling(["read_inside"]), says("gave up")]);
  const before = requests.length;
  const run = await server.run(agent);
  const refused = run.tasks.find(({ taskType }) => taskType === "HTTP");
  expect(refused?.reasonForIncompletion).toContain("Outbound access denied");
  expect(requests.slice(before)).toEqual([]);
});

test("an agent whose tools are discovered can still hand over", async () => {
  const sub = anAgent();
  const agent = anAgent({
    agents: [sub],
    tools: [aTool("mcp", { toolType: "mcp", config: { server_url: "http://mcp", max_tools: 1 } })],
  });
  const transfer = `${agent.name}_transfer_to_${sub.name}`;
  server.script(`${agent.name}_list_mcp_0`, [
    { tools: ["add", "sub"].map((name) => ({ name, description: `Does ${name}` })) },
  ]);
  server.script(`${agent.name}_mcp_filter_llm`, [says({ selected_tools: ["add"] })]);
  server.script(`${agent.name}_llm`, [calling([transfer])]);
  server.script(`${sub.name}_llm`, [says("mine now")]);
  expect((await server.run(agent)).output["result"]).toMatchObject({ [sub.name]: "mine now" });
  const offered = server.asked(`${agent.name}_llm`)[0]?.["tools"] as { readonly name: string }[];
  expect(offered.map(({ name }) => name)).toEqual([transfer, "add"]);
});

test("a server whose tools need consent asks before any of them is called", async () => {
  const agent = anAgent({
    tools: [aTool("mcp", { toolType: "mcp", approvalRequired: true, config: { server_url: "http://mcp" } })],
  });
  server.script(`${agent.name}_list_mcp_0`, [{ tools: [{ name: "wipe", description: "Wipes" }] }]);
  server.script(`${agent.name}_llm`, [calling(["wipe"])]);
  const id = await server.start(agent);
  await server.answer(id, { approved: false, reason: "never" });
  expect((await server.ended(id)).output).toMatchObject({ finishReason: "rejected", rejectionReason: "never" });
});
