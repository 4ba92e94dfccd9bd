import { A2AClient } from "@a2a-js/sdk/client";
import type { JsonObject } from "@downbeat/engine";
import { startServer } from "@downbeat/server/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { extension } from "../../src/index.ts";
import { type AgentServer, anAgent, calling, says, startAgentServer } from "../support/agent-server.ts";

/** The official client of the protocol against a real server. */
let server: AgentServer;
let base: string;
beforeAll(async () => {
  server = await startAgentServer({
    settings: { "service.a2a.server.enabled": "true", "service.a2a.server.exposed-workflows": "a2a_listed" },
  });
  base = `${server.client.base}/a2a`;
  const waits = { name: "ask", taskReferenceName: "ask", type: "HUMAN" };
  const say = {
    name: "say",
    taskReferenceName: "say",
    type: "SET_VARIABLE",
    inputParameters: { said: "${workflow.input._a2a_text}" },
  };
  const workflow = (name: string, tasks: object[], metadata: object = {}) => ({
    name,
    version: 1,
    ownerEmail: "a@example.com",
    timeoutSeconds: 0,
    tasks,
    metadata,
    outputParameters: {
      said: "${workflow.input._a2a_text}",
      city: "${workflow.input.city}",
      answer: "${ask.output.result}",
    },
  });
  await server.client.register(workflow("a2a_listed", [say]));
  await server.client.register(workflow("a2a_waits", [waits], { a2a: { enabled: true, tags: ["t"] } }));
  await server.client.register(workflow("a2a_hidden", [say]));
});
afterAll(async () => {
  expect(server.errors).toEqual([]);
  await server.close();
});

const clientFor = (kind: string, name: string) =>
  A2AClient.fromCardUrl(`${base}/${kind}/${name}/.well-known/agent-card.json`);

let messages = 0;
const aMessage = (text: string, more: object = {}) => ({
  message: {
    kind: "message" as const,
    role: "user" as const,
    messageId: `m${++messages}`,
    parts: [{ kind: "text" as const, text }],
    ...more,
  },
});

/** The result of an answer, whatever it is; an error is thrown. */
function resultOf(answer: object): JsonObject {
  if ("result" in answer) return answer.result as JsonObject;
  throw new Error(JSON.stringify(answer));
}

async function deployed(more: JsonObject = {}) {
  const agentConfig = anAgent({ description: "Knows things", ...more });
  await server.client.post("/agent/deploy", { agentConfig });
  return agentConfig;
}

test("an agent's card says who it is, and a message is a run of it", async () => {
  const { name } = await deployed();
  server.script(`${name}_llm`, [says("It is warm")]);
  const client = await clientFor("agent", name);
  expect(await client.getAgentCard()).toMatchObject({
    name,
    url: `${base}/agent/${name}`,
    protocolVersion: "0.3.0",
    capabilities: { streaming: true, pushNotifications: false },
    skills: [{ id: name }],
  });
  const sent = aMessage("How is Rome?", { contextId: "c1" });
  const { id, contextId } = resultOf(await client.sendMessage(sent));
  expect(contextId).toBe("c1");
  await server.ended(String(id));
  const task = resultOf(await client.getTask({ id: String(id) }));
  expect(task).toMatchObject({
    kind: "task",
    status: { state: "completed" },
    artifacts: [{ artifactId: "agent-output", parts: [{ text: "It is warm" }, { data: { result: "It is warm" } }] }],
  });
  // The same message again is the same run; one that is over is not canceled.
  expect(resultOf(await client.sendMessage(sent))["id"]).toBe(id);
  expect(resultOf(await client.cancelTask({ id: String(id) }))).toEqual(task);
  expect((await server.client.get("/a2a/agent")).json).toContainEqual(expect.objectContaining({ name }));
});

test("a stream tells each change; a question is answered with the task's id", async () => {
  const { name } = await deployed({ tools: [{ name: "ask_first", toolType: "human", description: "Asks" }] });
  server.script(`${name}_llm`, [calling(["ask_first", { q: "Which?" }]), says("thanks")]);
  const client = await clientFor("agent", name);
  const heard = async (params: ReturnType<typeof aMessage>) => {
    const events: JsonObject[] = [];
    for await (const event of client.sendMessageStream(params)) events.push(event as unknown as JsonObject);
    return events;
  };
  const first = await heard(aMessage("go"));
  expect(first[0]).toMatchObject({ kind: "task" });
  expect(first.at(-1)).toMatchObject({ kind: "status-update", status: { state: "input-required" }, final: true });
  const taskId = String(first[0]?.["id"]);
  const then = await heard(aMessage("the blue one", { taskId }));
  expect(then.slice(-2)).toMatchObject([
    { kind: "artifact-update", taskId, artifact: { parts: [{ text: "thanks" }, {}] } },
    { kind: "status-update", taskId, status: { state: "completed" }, final: true },
  ]);
  const { tasks } = await server.client.execution(taskId);
  expect(tasks.find(({ taskType }) => taskType === "HUMAN")?.outputData).toMatchObject({ response: "the blue one" });
});

test("a question that an agent of a team asks is the team's", async () => {
  const asks = anAgent({ tools: [{ name: "ask_first", toolType: "human", description: "Asks" }] });
  const { name } = await deployed({ strategy: "sequential", agents: [asks, anAgent()] });
  server.script(`${asks.name}_llm`, [calling(["ask_first", { q: "Which?" }])]);
  const client = await clientFor("agent", name);
  const states: unknown[] = [];
  for await (const event of client.sendMessageStream(aMessage("go")))
    states.push((event as unknown as { status: { state: string } }).status.state);
  expect(states).toEqual(["working", "input-required"]);
});

test("a task is canceled, and says so", async () => {
  const { name } = await deployed({ tools: [{ name: "ask_first", toolType: "human", description: "Asks" }] });
  server.script(`${name}_llm`, [calling(["ask_first", {}])]);
  const client = await clientFor("agent", name);
  const { id } = resultOf(await client.sendMessage(aMessage("go")));
  expect(resultOf(await client.cancelTask({ id: String(id) }))).toMatchObject({
    status: { state: "canceled", message: { parts: [{ text: "Canceled via A2A tasks/cancel" }] } },
  });
});

test("workflows that are meant for it: listed by name, or by their metadata", async () => {
  const client = await clientFor("workflow", "a2a_listed");
  const parts = [
    { kind: "text", text: "hello" },
    { kind: "data", data: { city: "Rome" } },
  ];
  const { id } = resultOf(await client.sendMessage(aMessage("", { parts })));
  await server.ended(String(id));
  expect(resultOf(await client.getTask({ id: String(id) }))).toMatchObject({
    artifacts: [{ artifactId: "workflow-output", parts: [{ kind: "data", data: { said: "hello", city: "Rome" } }] }],
  });
  const waiting = await clientFor("workflow", "a2a_waits");
  expect(await waiting.getAgentCard()).toMatchObject({ skills: [{ tags: ["t"] }] });
  const asked = resultOf(await waiting.sendMessage(aMessage("go")));
  expect(asked["status"]).toMatchObject({ state: "input-required" });
  const taskId = String(asked["id"]);
  await waiting.sendMessage(aMessage("blue", { taskId }));
  const { output } = await server.ended(taskId);
  expect(output["answer"]).toBe("blue");
  const listed = (await server.client.get("/a2a/workflow")).json as { readonly name: string }[];
  expect(listed.map(({ name }) => name)).toEqual(["a2a_listed", "a2a_waits"]);
  expect((await server.client.get("/a2a/workflow/a2a_hidden/.well-known/agent-card.json")).json).toMatchObject({
    status: 404,
    message: "No A2A agent exposed for workflow a2a_hidden",
  });
  expect((await server.client.get("/a2a/workflow/a2a_listed/.well-known/agent.json")).status).toBe(200);
});

describe("errors are answers of JSON-RPC", () => {
  const speak = async (path: string, text: string) => {
    const { status, json } = await server.client.send("POST", `/a2a/${path}`, { text });
    return [status, (json as { error: { code: number } }).error.code];
  };
  const calls = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  test.each([
    ["no JSON", "workflow/a2a_listed", "{", -32700],
    ["no object", "workflow/a2a_listed", "[]", -32600],
    ["no method", "workflow/a2a_listed", "{}", -32600],
    ["an unknown method", "workflow/a2a_listed/rpc", calls("tasks/list"), -32601],
    ["push notifications", "workflow/a2a_listed", calls("tasks/pushNotificationConfig/set"), -32003],
    ["no message", "workflow/a2a_listed", calls("message/send"), -32602],
    ["no id", "workflow/a2a_listed", calls("tasks/get"), -32602],
    ["no such task", "workflow/a2a_listed", calls("tasks/get", { id: "x" }), -32001],
    ["a workflow that is not exposed", "workflow/a2a_hidden", calls("message/send"), -32001],
    ["no such agent", "agent/nobody", calls("message/stream"), -32001],
  ])("%s", async (_, path, text, code) => {
    expect(await speak(path, text)).toEqual([200, code]);
  });

  test("a task of another, and a message that says nothing to an agent", async () => {
    const client = await clientFor("workflow", "a2a_listed");
    const { id } = resultOf(await client.sendMessage(aMessage("hello")));
    expect(await speak("workflow/a2a_waits", calls("tasks/get", { id }))).toEqual([200, -32001]);
    const { name } = await deployed();
    expect(await speak(`agent/${name}`, calls("message/send", { message: { parts: [] } }))).toEqual([200, -32602]);
  });
});

test("without the switch nobody speaks it", async () => {
  const plain = await startServer({ extensions: [extension] });
  expect((await plain.client.get("/a2a/agent")).status).toBe(404);
  await plain.close();
});
