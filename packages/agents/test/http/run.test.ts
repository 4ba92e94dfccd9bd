import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AgentServer, anAgent, aTool, calling, says, startAgentServer } from "../support/agent-server.ts";
import { typesOf, watch } from "../support/watch.ts";

let server: AgentServer;
beforeAll(async () => {
  server = await startAgentServer({ settings: { "service.workflow-message-queue.enabled": "true" } });
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

type Started = { readonly executionId: string; readonly agentName: string; readonly requiredWorkers: string[] };

async function start(request: object): Promise<string> {
  const { status, json, text } = await server.client.post("/agent/start", request);
  expect([status, status === 200 ? "" : text]).toEqual([200, ""]);
  return (json as Started).executionId;
}

const statusOf = async (id: string) =>
  (await server.client.get(`/agent/${id}/status`)).json as Record<string, unknown> & {
    readonly pendingTool?: Record<string, unknown>;
  };

describe("a deployed agent", () => {
  test("runs, is watched from its beginning to its end, and is watched again with the same numbers", async () => {
    const agent = anAgent({ tools: [aTool("look_up")] });
    server.serve("look_up", ({ q }) => ({ result: `found ${String(q)}` }));
    server.script(`${agent.name}_llm`, [calling(["look_up", { q: "x" }]), says("done then")]);
    const deployed = await server.client.post("/agent/deploy", { agentConfig: agent });
    expect(deployed.json).toEqual({ agentName: agent.name, version: 1, requiredWorkers: ["look_up"] });
    const id = await start({ name: agent.name, prompt: "hello", sessionId: "s-77" });
    const live = await watch(server.client.base, id);
    await live.ended;
    expect(typesOf(live.heard)).toEqual(["thinking", "tool_call", "tool_result", "thinking", "done"]);
    const [, call, result, , done] = live.heard;
    expect(call?.data).toMatchObject({ toolName: "look_up", args: { q: "x" }, executionId: id });
    expect(result?.data).toMatchObject({ toolName: "look_up", result: "found x" });
    expect(done?.data).toMatchObject({ output: { result: "done then", finishReason: "STOP" } });
    const { tasks } = await server.client.execution(id);
    const called = tasks.find(({ taskId }) => taskId === call?.data["taskId"]);
    expect(called).toMatchObject({ taskDefName: "look_up", referenceTaskName: call?.data["taskRefName"] });
    expect(result?.data).toMatchObject({ taskId: called?.taskId, taskRefName: called?.referenceTaskName });
    const again = await watch(server.client.base, id);
    await again.ended;
    expect(again.heard).toEqual(live.heard);
    const rest = await watch(server.client.base, id, call?.id);
    await rest.ended;
    expect(rest.heard).toEqual(live.heard.slice(2));
  });

  test("that nobody watched is told of afterwards, with numbers that stay", async () => {
    const agent = anAgent({ tools: [aTool("look_up2")] });
    server.serve("look_up2", () => ({ result: "1" }));
    server.script(`${agent.name}_llm`, [calling(["look_up2"]), says("ok")]);
    const id = await start({ agentConfig: agent, prompt: "hello" });
    await server.client.ended(id);
    const first = await watch(server.client.base, id);
    await first.ended;
    const second = await watch(server.client.base, id, 2);
    await second.ended;
    expect(typesOf(first.heard)).toEqual(["thinking", "tool_call", "tool_result", "thinking", "done"]);
    expect(second.heard).toEqual(first.heard.slice(2));
  });
});

describe("an approval", () => {
  const gated = () => {
    const agent = anAgent({ tools: [aTool("pay", { approvalRequired: true })] });
    server.script(`${agent.name}_llm`, [calling(["pay", { q: "5" }]), says("paid")]);
    return agent;
  };

  test("is asked for in the stream and in the status, and lets the tool be called", async () => {
    server.serve("pay", () => ({ result: "paid 5" }));
    const id = await start({ agentConfig: gated(), prompt: "pay" });
    const live = await watch(server.client.base, id);
    const { data } = await live.until("waiting");
    expect(data["pendingTool"]).toMatchObject({ toolCalls: [{ name: "pay", args: { q: "5" } }], tool_name: null });
    const status = await statusOf(id);
    expect(status).toMatchObject({ status: "RUNNING", isWaiting: true, isComplete: false });
    expect(status.pendingTool).toEqual(data["pendingTool"]);
    expect((await server.client.post(`/agent/${id}/respond`, { approved: true })).status).toBe(200);
    await live.ended;
    expect(typesOf(live.heard)).toEqual(["thinking", "waiting", "tool_call", "tool_result", "thinking", "done"]);
  });

  test("that is refused ends the run as rejected; nothing is left to answer then", async () => {
    const id = await start({ agentConfig: gated(), prompt: "pay" });
    const live = await watch(server.client.base, id);
    await live.until("waiting");
    await server.client.post(`/agent/${id}/respond`, { approved: false, reason: "too dear" });
    await live.ended;
    expect(live.heard.at(-1)).toMatchObject({
      type: "done",
      data: { output: { finishReason: "rejected", rejectionReason: "too dear", result: "" } },
    });
    expect((await server.client.post(`/agent/${id}/respond`, { approved: true })).status).toBe(409);
  });

  test("inside a sub-agent is answered at the parent, whose status tells of it", async () => {
    const inner = gated();
    const outer = anAgent({ agents: [inner], strategy: "sequential" });
    const id = await start({ agentConfig: outer, prompt: "pay" });
    const live = await watch(server.client.base, id);
    const { data } = await live.until("waiting");
    expect(data["executionId"]).not.toBe(id);
    const status = await statusOf(id);
    expect(status).toMatchObject({ isWaiting: true, pendingTool: { executionId: data["executionId"] } });
    expect((await server.client.post(`/agent/${id}/respond`, { approved: true })).status).toBe(200);
    await live.ended;
    expect(typesOf(live.heard)).toContain("handoff");
    expect(live.heard.find(({ type }) => type === "handoff")?.data["target"]).toBe(inner.name);
    expect(live.heard.at(-1)?.type).toBe("done");
  });
});

test("a question of a human tool is answered with a message", async () => {
  const agent = anAgent({ tools: [aTool("ask", { toolType: "human" })] });
  server.script(`${agent.name}_llm`, [calling(["ask", { q: "Which?" }]), says("thanks")]);
  const id = await start({ agentConfig: agent, prompt: "go" });
  const live = await watch(server.client.base, id);
  const { data } = await live.until("waiting");
  expect(data["pendingTool"]).toMatchObject({ input: { q: "Which?" } });
  await server.client.post(`/agent/${id}/respond`, { message: "the red one" });
  await live.ended;
  const { tasks } = await server.client.execution(id);
  const answered = tasks.find(({ taskType }) => taskType === "HUMAN");
  expect(answered?.outputData).toMatchObject({ message: "the red one", response: "the red one" });
});

test("stop lets the run end after its turn; a pull of messages is given none", async () => {
  const agent = anAgent({ tools: [aTool("inbox", { toolType: "pull_workflow_messages" })] });
  server.script(`${agent.name}_llm`, () => calling(["inbox"]));
  const id = await start({ agentConfig: agent, prompt: "listen" });
  const live = await watch(server.client.base, id);
  await live.until("waiting");
  expect((await server.client.post(`/agent/${id}/stop`)).status).toBe(200);
  await live.ended;
  expect(live.heard.at(-1)?.type).toBe("done");
  expect(await statusOf(id)).toMatchObject({ status: "COMPLETED", isComplete: true });
});

test("pause holds a run, resume lets it go on, and both are told", async () => {
  const agent = anAgent({ tools: [aTool("slow_one")] });
  server.script(`${agent.name}_llm`, [calling(["slow_one"]), says("ok")]);
  const id = await start({ agentConfig: agent, prompt: "go" });
  const live = await watch(server.client.base, id);
  await live.until("tool_call");
  expect((await server.client.put(`/agent/${id}/pause`)).status).toBe(200);
  expect((await live.until("waiting")).data).toMatchObject({ pendingTool: {} });
  expect((await server.client.put(`/agent/${id}/resume`)).status).toBe(200);
  expect((await server.client.put(`/agent/${id}/resume`)).status).toBe(409);
  server.serve("slow_one", () => ({ result: 1 }));
  await live.ended;
  expect(live.heard.at(-1)?.type).toBe("done");
});

test("cancel ends a run with everything inside it", async () => {
  const inner = anAgent({ tools: [aTool("never_served")] });
  server.script(`${inner.name}_llm`, [calling(["never_served"])]);
  const outer = anAgent({ agents: [inner], strategy: "sequential" });
  const id = await start({ agentConfig: outer, prompt: "go" });
  const live = await watch(server.client.base, id);
  const { data } = await live.until("tool_call");
  expect((await server.client.delete(`/agent/${id}/cancel`)).status).toBe(200);
  await live.ended;
  expect(live.heard.at(-1)).toMatchObject({
    type: "error",
    data: { toolName: "workflow", content: "Cancelled by user" },
  });
  const child = await server.client.ended(String(data["executionId"]));
  expect(child.status).toBe("TERMINATED");
});

test("a signal reaches the agent from its next turn on", async () => {
  const agent = anAgent({ tools: [aTool("think_more", { approvalRequired: true })] });
  server.serve("think_more", () => ({ result: 1 }));
  server.script(`${agent.name}_llm`, [calling(["think_more"]), says("ok")]);
  const id = await start({ agentConfig: agent, prompt: "go" });
  const live = await watch(server.client.base, id);
  await live.until("waiting");
  expect((await server.client.post(`/agent/${id}/signal`, { message: "hurry up" })).status).toBe(200);
  await server.client.post(`/agent/${id}/respond`, { approved: true });
  await live.ended;
  expect(JSON.stringify(server.asked(`${agent.name}_llm`).at(-1))).toContain("hurry up");
});

test("guardrails are told of", async () => {
  const guardrail = { name: "no_digits", guardrailType: "regex", patterns: ["\\d"], mode: "block", onFail: "retry" };
  const agent = anAgent({ guardrails: [{ ...guardrail, message: "No digits" }] });
  server.script(`${agent.name}_llm`, [says("7"), says("seven")]);
  const id = await start({ agentConfig: agent, prompt: "go" });
  const live = await watch(server.client.base, id);
  await live.ended;
  expect(typesOf(live.heard)).toEqual(["thinking", "guardrail_fail", "thinking", "guardrail_pass", "done"]);
  expect(live.heard[1]?.data).toMatchObject({ guardrailName: "no_digits", content: "No digits" });
});

test("events of a framework's worker take their place among the others, and are kept", async () => {
  const agent = anAgent({ tools: [aTool("held", { approvalRequired: true })] });
  server.serve("held", () => ({ result: 1 }));
  server.script(`${agent.name}_llm`, [calling(["held"]), says("ok")]);
  const id = await start({ agentConfig: agent, prompt: "go" });
  const live = await watch(server.client.base, id);
  await live.until("waiting");
  const report = (event: object) => server.client.post(`/agent/events/${id}`, event);
  expect((await report({ type: "subagent_start", agentId: "a1", prompt: "do" })).status).toBe(200);
  expect((await report({ type: "nonsense" })).status).toBe(200);
  await report({ type: "subagent_stop", agentId: "a1", result: "did" });
  await server.client.post(`/agent/${id}/respond`, { approved: true });
  await live.ended;
  const own = live.heard.filter(({ type }) => type.startsWith("subagent"));
  expect(own).toMatchObject([{ data: { target: "a1", content: "do" } }, { data: { target: "a1", result: "did" } }]);
  const again = await watch(server.client.base, id);
  await again.ended;
  expect(again.heard).toEqual(live.heard);
});

test("a key makes a repeated start the same run", async () => {
  const agent = anAgent();
  server.script(`${agent.name}_llm`, [says("ok")]);
  const request = { agentConfig: agent, prompt: "go", idempotencyKey: "order-1" };
  const ids = await Promise.all([start(request), start(request), start(request)]);
  expect(new Set(ids).size).toBe(1);
  await server.client.ended(ids[0] ?? "");
  expect(await start(request)).toBe(ids[0]);
});

describe("versions", () => {
  const deploy = async (agentConfig: object) =>
    ((await server.client.post("/agent/deploy", { agentConfig })).json as { readonly version: number }).version;

  test("an unchanged agent keeps its version, a changed one gets the next", async () => {
    const agent = anAgent();
    const changed = { ...agent, instructions: "Be long." };
    expect([await deploy(agent), await deploy(agent), await deploy(changed), await deploy(changed)]).toEqual([
      1, 1, 2, 2,
    ]);
    const { json } = await server.client.get(`/agent/${agent.name}?version=1`);
    expect(json).toMatchObject({ instructions: "Be brief." });
  });

  test("starts that bring their agent along do not pile up versions", async () => {
    const agent = anAgent();
    server.script(`${agent.name}_llm`, [says("ok")]);
    await deploy(agent);
    for (const day of ["one", "two", "three"])
      await start({ agentConfig: { ...agent, instructions: `Day ${day}` }, prompt: "go" });
    const { json } = await server.client.get(`/agent/${agent.name}`);
    expect(json).toMatchObject({ instructions: "Day three" });
    expect(await deploy({ ...agent, instructions: "Day four" })).toBe(3);
  });

  test("an agent that serves as a tool is pinned to the version deployed with it", async () => {
    const helper = anAgent();
    server.script(`${helper.name}_llm`, [says("helped")]);
    const boss = (instructions: string) =>
      anAgent({
        tools: [aTool("help", { toolType: "agent_tool", config: { agentConfig: { ...helper, instructions } } })],
      });
    const first = boss("v1");
    await deploy(first);
    await deploy(boss("v2"));
    server.script(`${first.name}_llm`, [calling(["help", { request: "x" }]), says("ok")]);
    const id = await start({ name: first.name, prompt: "go" });
    const live = await watch(server.client.base, id);
    await live.ended;
    expect(typesOf(live.heard)).toEqual(
      expect.arrayContaining(["thinking", "tool_call", "handoff", "tool_result", "done"]),
    );
    const child = (await server.client.execution(id)).tasks.find(({ subWorkflowId }) => subWorkflowId !== undefined);
    const { workflowVersion } = await server.client.execution(String(child?.subWorkflowId));
    expect(workflowVersion).toBe(1);
    const { json } = await server.client.get(`/agent/executions/${id}/full`);
    expect(json).toMatchObject({ workflowId: id, aggregateTokenUsage: { totalTokens: 0 } });
  });
});
