import { afterAll, beforeAll, expect, test } from "vitest";
import { type AgentServer, startAgentServer } from "../support/agent-server.ts";

let server: AgentServer;
beforeAll(async () => {
  server = await startAgentServer();
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

const nobody = "00000000-0000-4000-8000-000000000000";
const deep = JSON.parse(`${"[".repeat(300)}${"]".repeat(300)}`) as unknown;
const wrong: readonly unknown[] = [
  null,
  7,
  "text",
  [],
  [1],
  true,
  {},
  deep,
  { "": "" },
  { __proto__: null, constructor: 1 },
];

const members = [
  "name",
  "version",
  "agentConfig",
  "framework",
  "rawConfig",
  "skillRef",
  "prompt",
  "model",
  "media",
].concat(["context", "sessionId", "idempotencyKey", "timeoutSeconds", "runId", "static_plan", "plan"]);
const settings = [
  "name",
  "model",
  "instructions",
  "tools",
  "agents",
  "strategy",
  "guardrails",
  "memory",
  "termination",
].concat([
  "handoffs",
  "callbacks",
  "planner",
  "router",
  "metadata",
  "cliConfig",
  "codeExecution",
  "prefillTools",
  "gate",
]);

test("whatever a request says, it is the caller's mistake or none", async () => {
  const good = { name: "good", model: "openai/gpt-4o-mini", instructions: "x" };
  const bodies: unknown[] = [...wrong];
  for (const value of wrong) {
    for (const member of members) bodies.push({ agentConfig: good, prompt: "x", [member]: value }, { [member]: value });
    for (const setting of settings) bodies.push({ prompt: "x", agentConfig: { ...good, [setting]: value } });
  }
  for (const path of ["/agent/compile", "/agent/inspect-plan", "/agent/deploy"]) {
    for (const body of bodies) {
      const { status, text } = await server.client.post(path, body);
      expect([path, JSON.stringify(body), status < 500 ? "" : text]).toEqual([path, JSON.stringify(body), ""]);
    }
  }
}, 120_000);

test("so it is with ids, and with bodies of other calls", async () => {
  const ids = [nobody, "x", "%00", "..%2f..", "a".repeat(3000), "01a1df30-0bec-7000-b7bb-5b6fed000000"];
  const calls: readonly (readonly [method: string, path: string])[] = [
    ["GET", "/agent/{}/status"],
    ["GET", "/agent/stream/{}"],
    ["GET", "/agent/execution/{}"],
    ["GET", "/agent/executions/{}"],
    ["GET", "/agent/executions/{}/full"],
    ["GET", "/agent/executions/{}/tasks?count=-1&start=-5"],
    ["GET", "/agent/{}"],
    ["GET", "/agent/definitions/{}"],
    ["GET", "/agent/tasks/{}/log"],
    ["POST", "/agent/{}/respond"],
    ["POST", "/agent/{}/signal"],
    ["POST", "/agent/{}/tasks"],
    ["POST", "/agent/events/{}"],
    ["POST", "/agent/execution/{}/complete"],
    ["POST", "/agent/executions/{}/rerun"],
    ["PUT", "/agent/{}/pause"],
    ["GET", "/secrets/{}"],
    ["PUT", "/secrets/{}"],
    ["GET", "/agent/executions?sessionId={}&status={}&sort=nothing:UP"],
    ["GET", "/agent/executions/search?query={}"],
  ];
  for (const [method, path] of calls) {
    for (const id of ids) {
      for (const body of method === "GET" ? [undefined] : [{}, [], "text"]) {
        const { status, text } = await server.client.send(method, path.replaceAll("{}", id), { body });
        expect([method, path, id, status < 500 || status === 501 ? "" : text]).toEqual([method, path, id, ""]);
      }
    }
  }
}, 60_000);
