import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@downbeat/engine";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type AgentServer, startAgentServer, useAgentServer } from "../support/agent-server.ts";
import { type RemoteAgentServer, startRemoteAgent } from "../support/remote-agent.ts";

let server: AgentServer;
useAgentServer((started) => {
  server = started;
});

let remote: RemoteAgentServer;
beforeAll(async () => {
  remote = await startRemoteAgent();
});
afterEach(() => remote.intercept(undefined));
afterAll(() => remote.close());

let last = 0;
/** Starts a workflow of one task of this type; failures are not tried again. */
async function start(type: string, inputParameters: JsonObject, more: JsonObject = {}, on = server): Promise<string> {
  const name = `remote_${++last}`;
  const entry = { name: type, taskReferenceName: "agent", type, inputParameters, retryCount: 0, ...more };
  const workflowDef = { name, version: 1, ownerEmail: "a@example.com", timeoutSeconds: 0, tasks: [entry] };
  return on.client.start(name, {}, { workflowDef });
}

async function outcome(type: string, input: JsonObject, more: JsonObject = {}) {
  const id = await start(type, input, more);
  const run = await server.ended(id);
  const task = run.tasks.at(-1);
  if (task === undefined) throw new Error("Expected a task, got none");
  return { id, task, output: task.outputData, reason: task.reasonForIncompletion };
}

const ask = (text: string, more: JsonObject = {}, entry: JsonObject = {}) =>
  outcome("AGENT", { agentUrl: remote.url, text, pollIntervalSeconds: 1, ...more }, entry);

const messageOf = (index = -1) => remote.calls.filter(({ params }) => params.message !== undefined).at(index)?.params;

describe("AGENT with a remote agent", () => {
  test("the answer, its text and the whole task; the message has a stable id", async () => {
    const { id, task, output } = await ask("say 90 EUR", {
      headers: { Authorization: "Bearer tok-123456" },
      contextId: "ctx",
      metadata: { from: "test" },
      historyLength: 3,
    });
    expect(task.status).toBe("COMPLETED");
    expect(output).toMatchObject({
      state: "completed",
      text: "90 EUR",
      contextId: "ctx",
      taskId: expect.any(String),
      artifacts: [{ artifactId: "a" }],
      task: { kind: "task", status: { state: "completed" } },
      a2aStartedAt: expect.any(Number),
      a2aPollFailures: 0,
    });
    expect(messageOf()).toMatchObject({
      message: { messageId: `a2a-${id}:agent:0`, role: "user", contextId: "ctx", metadata: { from: "test" } },
      configuration: { blocking: false, historyLength: 3 },
    });
    expect(remote.headers.at(-1)?.authorization).toBe("Bearer tok-123456");
  });

  test("a direct message, a task that waits for an answer, and the answer to it", async () => {
    expect((await ask("chat hi")).output).toMatchObject({
      state: "message",
      text: "hi",
      agentMessage: { role: "agent" },
    });
    const asked = await ask("ask");
    expect([asked.task.status, asked.output["state"], asked.output["text"]]).toEqual([
      "COMPLETED",
      "input-required",
      "which one?",
    ]);
    const { taskId, contextId } = asked.output;
    const { output } = await ask("the red one", { taskId: String(taskId), contextId: String(contextId) });
    expect(output).toMatchObject({ taskId, state: "completed", text: "you said the red one" });
  });

  test("message and parts go before text; a card may be named instead of the address", async () => {
    const parts = [{ kind: "text", text: "say parts" }];
    expect((await ask("say text", { parts })).output["text"]).toBe("parts");
    const message = { parts: [{ kind: "text", text: "say message" }] };
    expect((await ask("say text", { parts, message })).output["text"]).toBe("message");
    const named = { agentUrl: `${remote.url}/my-card.json` };
    expect((await ask("say card", named)).output["text"]).toBe("card");
    const metadata = { agent: { a2a: { agentCard: { url: remote.url } } } };
    expect((await ask("say entry", { agentUrl: "http://127.0.0.1:9" }, { metadata })).output["text"]).toBe("entry");
  });

  test("work that takes long is looked after by timer, and told once", async () => {
    const [sent, looked] = [remote.count("message/send"), remote.count("tasks/get")];
    const id = await start("AGENT", { agentUrl: remote.url, prompt: "work", pollIntervalSeconds: 1 });
    const { tasks } = await server.client.until(id, (run) => run.tasks[0]?.status === "IN_PROGRESS");
    await server.client.until(id, () => remote.count("tasks/get") > looked);
    remote.release();
    const run = await server.ended(id);
    expect(run.tasks[0]?.outputData).toMatchObject({ state: "completed", text: "worked" });
    expect([tasks[0]?.status, remote.count("message/send") - sent]).toEqual(["IN_PROGRESS", 1]);
  });

  test("a stream is followed from when the task is known", async () => {
    const before = remote.count("tasks/resubscribe");
    const input = { agentUrl: remote.url, text: "work", streaming: true, pollIntervalSeconds: 300 };
    const id = await start("AGENT", input);
    await server.client.until(id, () => remote.count("tasks/resubscribe") > before);
    remote.release();
    const run = await server.ended(id);
    expect(run.tasks[0]?.outputData).toMatchObject({ state: "completed", text: "worked" });
    expect((await ask("say at once", { streaming: true })).output["text"]).toBe("at once");
  });

  test("failures of the agent, of the way to it and of the protocol are told apart", async () => {
    const told = async (text: string, more: JsonObject = {}) => {
      const { task, reason } = await ask(text, more);
      return [task.status, reason];
    };
    expect(await told("fail badly")).toEqual(["FAILED", "Remote agent task ended in state 'failed': badly"]);
    remote.intercept((_, response) => response.writeHead(503).end("busy, Bearer tok-123456").writable || true);
    const headers = { Authorization: "Bearer tok-123456" };
    expect(await told("say x", { headers })).toEqual([
      "FAILED",
      `HTTP 503 from A2A agent (message/send ${remote.url}): busy, ***`,
    ]);
    remote.intercept(
      (_, response) => response.writeHead(302, { location: "http://127.0.0.1:9" }).end().writable || true,
    );
    expect(await told("say x")).toEqual([
      "FAILED_WITH_TERMINAL_ERROR",
      `HTTP 302 from A2A agent (message/send ${remote.url}): `,
    ]);
    const error = { code: -32601, message: "no such method", data: { why: "old" } };
    remote.intercept((_, response) => response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, error })).writable || true);
    expect(await told("say x")).toEqual([
      "FAILED_WITH_TERMINAL_ERROR",
      `A2A JSON-RPC error -32601 from ${remote.url} (message/send): no such method {"why":"old"}`,
    ]);
    remote.intercept((_, response) => response.end("not json").writable || true);
    const [status, reason] = await told("say x");
    expect([status, String(reason)]).toEqual(["FAILED", expect.stringMatching(/^Failed to call agent: Expected JSON/)]);
    const [, unreachable] = await told("say x", { agentUrl: "http://127.0.0.1:9" });
    expect(unreachable).toMatch(/^Failed to call agent: /);
    const [, unresolved] = await told("say x", { agentUrl: "http://127.0.0.1:9/card.json" });
    expect(unresolved).toMatch(/^Failed to resolve A2A endpoint: /);
  });

  test("an agent that cannot be asked any more fails the task for good after so many times", async () => {
    remote.intercept((rpc, response) => {
      if (rpc.method === "tasks/get") response.writeHead(500).end("down");
      return rpc.method === "tasks/get";
    });
    const { task, reason } = await ask("work", { maxPollFailures: 2 });
    expect([task.status, reason]).toEqual([
      "FAILED_WITH_TERMINAL_ERROR",
      `A2A agent unreachable after 2 consecutive poll failures: HTTP 500 from A2A agent (tasks/get ${remote.url}): down`,
    ]);
    expect(task.outputData["taskId"]).toEqual(expect.any(String));
  });

  test("after its time the remote task is cancelled and the task fails for good", async () => {
    const before = remote.count("tasks/cancel");
    const { task, reason } = await ask("work", { maxDurationSeconds: 1 });
    expect([task.status, reason]).toEqual([
      "FAILED_WITH_TERMINAL_ERROR",
      "AGENT exceeded max duration of 1s without the remote agent reaching a terminal state",
    ]);
    expect(remote.count("tasks/cancel")).toBe(before + 1);
  });

  test("a workflow that is terminated takes the remote task with it", async () => {
    const before = remote.count("tasks/cancel");
    const id = await start("AGENT", { agentUrl: remote.url, text: "work", pollIntervalSeconds: 60 });
    await server.client.until(id, (run) => run.tasks[0]?.outputData["taskId"] !== undefined);
    await server.client.send("DELETE", `/workflow/${id}`);
    await server.client.until(id, () => remote.count("tasks/cancel") > before);
    expect((await server.client.execution(id)).tasks[0]?.status).toBe("CANCELED");
  });

  test.each([
    [{ name: "x", prompt: "hi" }, "AGENT requires agentUrl"],
    [{ agentUrl: "http://127.0.0.1:9" }, "AGENT requires one of: message, parts, text, or prompt"],
    [{ agentUrl: "ftp://x", text: "t" }, "agentUrl must use http or https, got: ftp"],
    [{ agentUrl: "::", text: "t" }, "agentUrl is not a valid URL: :: — expected something like https://host/path"],
    [
      { agentUrl: "http://169.254.169.254/x", text: "t" },
      "agentUrl resolves to a cloud metadata address — SSRF blocked: 169.254.169.254",
    ],
    [
      { agentUrl: "http://169.254.1.1/x", text: "t" },
      "agentUrl resolves to a cloud metadata address — SSRF blocked: 169.254.1.1",
    ],
    [{ agentType: "vertex", text: "t" }, "Unsupported agentType 'vertex' (supported: 'a2a', 'native')"],
    [{ agentUrl: "http://x", parts: "p" }, 'Expected parts to be a list, got "p"'],
    [{ agentUrl: "http://x", text: "t", headers: { a: "b\r\nc: d" } }, "Headers must not contain CR or LF characters"],
  ] as const)("%j is refused for good", async (input, reason) => {
    const { task, reason: told } = await outcome("AGENT", input as unknown as JsonObject);
    expect([task.status, told]).toEqual(["FAILED_WITH_TERMINAL_ERROR", reason]);
  });
});

test("private networks can be closed", async () => {
  const closed = await startAgentServer({ settings: { "service.a2a.client.allow-private-network": "false" } });
  const id = await start("AGENT", { agentUrl: remote.url, text: "say x" }, {}, closed);
  const run = await closed.ended(id);
  await closed.close();
  expect(run.tasks[0]?.reasonForIncompletion).toBe(
    "agentUrl resolves to a private/reserved address — SSRF blocked: 127.0.0.1 (set service.a2a.client.allow-private-network=true to allow private-network agents)",
  );
});

test("a server that is stopped goes on with the task it had told of, and tells nobody twice", async () => {
  const folder = mkdtempSync(join(tmpdir(), "downbeat-remote-"));
  const sent = remote.count("message/send");
  const first = await startAgentServer({ folder });
  const id = await start("AGENT", { agentUrl: remote.url, text: "work", pollIntervalSeconds: 1 }, {}, first);
  await first.client.until(id, (run) => run.tasks[0]?.outputData["taskId"] !== undefined);
  await first.close();
  remote.release();
  const second = await startAgentServer({ folder });
  const run = await second.ended(id);
  await second.close();
  rmSync(folder, { recursive: true, force: true });
  expect(run.tasks[0]?.outputData).toMatchObject({ state: "completed", text: "worked" });
  expect(remote.count("message/send") - sent).toBe(1);
});

/** Definitions as users of the protocol write them. */
const fixtures = new URL("../../../../../shared/fixtures/ai/", import.meta.url);
const hasFixtures = existsSync(fixtures);
if (!hasFixtures) process.stdout.write("skipped: the AI fixtures are not here\n");

test
  .skipIf(!hasFixtures)
  .each([
    "10-a2a-call-agent",
    "11-a2a-get-agent-card",
    "23-a2a-streaming",
    "24-a2a-push",
    "27-a2a-multi-agent",
    "29-a2a-client-multi-turn",
  ])("%s", async (file) => {
  const text = readFileSync(new URL(`${file}.json`, fixtures), "utf8").replaceAll(
    /http:\/\/localhost:\d+/g,
    remote.url,
  );
  const workflowDef = { ownerEmail: "a@example.com", ...(JSON.parse(text) as JsonObject & { readonly name: string }) };
  const urls = { agentUrl: remote.url, flightsAgentUrl: remote.url, hotelsAgentUrl: remote.url };
  const input = { ...urls, prompt: "ask", answer: "the red one", agentToken: "t" };
  const run = await server.ended(await server.client.start(workflowDef.name, input, { workflowDef }));
  const unexpected = run.tasks.filter(({ status }) => status !== "COMPLETED");
  expect([run.status, unexpected.map(({ reasonForIncompletion: reason }) => reason)]).toEqual(["COMPLETED", []]);
});

describe("GET_AGENT_CARD and CANCEL_AGENT", () => {
  test("a card from its well-known place, or from a file; also for an editor", async () => {
    const { output } = await outcome("GET_AGENT_CARD", { agentUrl: `${remote.url}/` });
    expect(output["agentCard"]).toMatchObject({ name: "remote", url: remote.url });
    const file = { agentUrl: `${remote.url}/my-card.json` };
    expect((await outcome("GET_AGENT_CARD", file)).output["agentCard"]).toMatchObject({ name: "remote" });
    const { json } = await server.client.post("/a2a/agent-card", file);
    expect(json).toMatchObject({ agentCard: { name: "remote" } });
    const { status } = await server.client.send("POST", "/a2a/agent-card", { body: { agentUrl: "ftp://x" } });
    const gone = { agentUrl: "http://127.0.0.1:9" };
    const unreachable = await server.client.send("POST", "/a2a/agent-card", { body: gone });
    expect([status, unreachable.status]).toEqual([400, 502]);
  });

  test("a remote task is cancelled; cancelling what is not there fails", async () => {
    const id = await start("AGENT", { agentUrl: remote.url, text: "work", pollIntervalSeconds: 1 });
    const { tasks } = await server.client.until(id, (run) => run.tasks[0]?.outputData["taskId"] !== undefined);
    const taskId = tasks[0]?.outputData["taskId"] as string;
    const { task, output } = await outcome("CANCEL_AGENT", { agentUrl: remote.url, taskId });
    expect([task.status, output["task"]]).toMatchObject(["COMPLETED", { status: { state: "canceled" } }]);
    const run = await server.ended(id);
    expect([run.tasks[0]?.status, run.tasks[0]?.reasonForIncompletion]).toEqual([
      "CANCELED",
      "Remote agent task was canceled",
    ]);
    const none = await outcome("CANCEL_AGENT", { agentUrl: remote.url, taskId: "no-such" });
    expect([none.task.status, none.reason]).toEqual(["FAILED", expect.stringMatching(/^Failed to cancel A2A task: /)]);
  });

  test.each([
    ["GET_AGENT_CARD", {}, "GET_AGENT_CARD requires 'agentUrl'"],
    ["GET_AGENT_CARD", { agentType: "native" }, "Unsupported agentType 'native' (only 'a2a' is supported)"],
    ["CANCEL_AGENT", {}, "CANCEL_AGENT requires 'agentUrl'"],
    ["CANCEL_AGENT", { agentUrl: "http://x" }, "CANCEL_AGENT requires 'taskId'"],
    ["CANCEL_AGENT", { agentType: "native" }, "CANCEL_AGENT requires 'executionId'"],
  ])("%s %j is refused for good", async (type, input, reason) => {
    const { task, reason: told } = await outcome(type, input);
    expect([task.status, told]).toEqual(["FAILED_WITH_TERMINAL_ERROR", reason]);
  });

  test("a card that cannot be fetched", async () => {
    const { task, reason } = await outcome("GET_AGENT_CARD", { agentUrl: "http://127.0.0.1:9" });
    expect([task.status, reason]).toEqual([
      "FAILED",
      expect.stringMatching(/^Failed to fetch agent card from http:\/\/127\.0\.0\.1:9: /),
    ]);
  });
});

test("where nobody may call back the agent is asked, after the first time rarely", async () => {
  const before = remote.count("tasks/get");
  const input = { agentUrl: remote.url, text: "work", pushNotification: true, pollIntervalSeconds: 1 };
  const id = await start("AGENT", input);
  const { tasks } = await server.client.until(id, (run) => run.tasks[0]?.callbackAfterSeconds === 300);
  expect([remote.count("tasks/get") - before, tasks[0]?.outputData["pushToken"]]).toEqual([1, undefined]);
  await server.client.send("DELETE", `/workflow/${id}`);
});

describe("an agent that calls back", () => {
  let target = "";
  /** Stands before the server, whose own address is known too late. */
  const gate = createServer((request, response) => {
    const token = String(request.headers["x-a2a-notification-token"]);
    const headers = { "content-type": "application/json", "x-a2a-notification-token": token };
    fetch(`${target}${request.url}`, { method: "POST", headers, body: "{}" })
      .then((answer) => response.writeHead(answer.status).end())
      .catch(() => response.writeHead(500).end());
  });
  let own: AgentServer;
  beforeAll(async () => {
    await new Promise<void>((resolve) => gate.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(gate.address() as AddressInfo).port}`;
    own = await startAgentServer({ settings: { "service.a2a.callback.url": url } });
    target = new URL(own.client.base).origin;
  });
  afterAll(async () => {
    await own.close();
    gate.closeAllConnections();
    gate.close();
  });

  test("ends the task at once, and nobody without the token does", async () => {
    const input = { agentUrl: remote.url, text: "work", pushNotification: true, pollIntervalSeconds: 60 };
    const id = await start("AGENT", input, {}, own);
    const { tasks } = await own.client.until(id, (run) => run.tasks[0]?.outputData["taskId"] !== undefined);
    const [task] = tasks;
    const path = `/a2a/callback/${task?.taskId}`;
    const post = async (token: string, at = path) =>
      (await own.client.send("POST", at, { body: {}, headers: { authorization: `Bearer ${token}` } })).status;
    const token = String(task?.outputData["pushToken"]);
    expect(await post("wrong")).toBe(403);
    expect(await post(token.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10)))).toBe(403);
    expect(await post(token, "/a2a/callback/no-such")).toBe(404);
    expect(await post(token)).toBe(200);
    expect((await own.client.execution(id)).status).toBe("RUNNING");
    remote.release();
    const run = await own.ended(id);
    expect(run.tasks[0]?.outputData).toMatchObject({ state: "completed", text: "worked" });
    expect(await post(token)).toBe(200);
  });
});
