import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AgentServer, anAgent, aTool, calling, says, startAgentServer, tasksOf } from "../support/agent-server.ts";
import { typesOf, watch } from "../support/watch.ts";

let server: AgentServer;
beforeAll(async () => {
  server = await startAgentServer({ settings: { "service.agents.sandbox.enabled": "true" } });
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

const start = async (request: object): Promise<string> =>
  ((await server.client.post("/agent/start", request)).json as { readonly executionId: string }).executionId;

type Page = { readonly totalHits: number; readonly results: readonly { readonly executionId: string }[] };
const find = async (query: string): Promise<Page> =>
  (await server.client.get(`/agent/executions?${query}`)).json as Page;

describe("finding runs", () => {
  test("by agent, status and session, exactly", async () => {
    const agent = anAgent();
    server.script(`${agent.name}_llm`, [says("ok")]);
    // A long prompt does not hide the session.
    const prompt = "x".repeat(10_000);
    const ids: string[] = [];
    for (const sessionId of ["s-1", "s-11", "s-1"]) ids.push(await start({ agentConfig: agent, prompt, sessionId }));
    for (const id of ids) await server.client.ended(id);
    const found = await find(`agentName=${agent.name}&sessionId=s-1`);
    expect(found.results.map(({ executionId }) => executionId).sort()).toEqual([ids[0], ids[2]].sort());
    expect((await find(`agentName=${agent.name}&status=COMPLETED`)).totalHits).toBe(3);
    expect((await find(`agentName=${agent.name}&status=FAILED`)).totalHits).toBe(0);
  });

  test("an ordinary workflow is no agent", async () => {
    await server.client.register({
      name: "ordinary",
      version: 1,
      ownerEmail: "a@b.c",
      schemaVersion: 2,
      timeoutSeconds: 0,
      tasks: [{ name: "n", taskReferenceName: "n", type: "NOOP" }],
    });
    await server.client.start("ordinary");
    expect((await find("agentName=ordinary")).totalHits).toBe(0);
    expect((await find("agentName=ordinary&classifier=workflow")).totalHits).toBe(1);
    expect((await server.client.get("/agent/ordinary")).status).toBe(404);
    expect((await server.client.post("/agent/start", { name: "ordinary", prompt: "x" })).status).toBe(404);
  });
});

test("tokens are counted of a run, and of everything inside it", async () => {
  const inner = anAgent();
  const outer = anAgent({ agents: [inner], strategy: "sequential" });
  const used = { promptTokens: 5, completionTokens: 2, tokenUsed: 7 };
  server.script(`${inner.name}_llm`, [{ ...says("ok"), ...used }]);
  const id = await start({ agentConfig: outer, prompt: "go" });
  const { tasks } = await server.client.ended(id);
  const whole = (await server.client.get(`/agent/executions/${id}/full`)).json;
  expect(whole).toMatchObject({ aggregateTokenUsage: { promptTokens: 5, completionTokens: 2, totalTokens: 7 } });
  const usage = (await server.client.get(`/agent/executions/${id}/usage`)).json;
  expect(usage).toMatchObject({ promptTokens: 5, completionTokens: 2, totalTokens: 7 });
  expect((await server.client.get("/agent/executions/nothing/usage")).status).toBe(404);
  const child = String(tasks.find(({ subWorkflowId }) => subWorkflowId !== undefined)?.subWorkflowId);
  const run = (await server.client.get(`/agent/execution/${child}`)).json;
  expect(run).toMatchObject({ agentName: inner.name, tokenUsage: { totalTokens: 7 } });
  const streamOfChild = await watch(server.client.base, child);
  await streamOfChild.ended;
  expect(typesOf(streamOfChild.heard)).toEqual(["thinking", "done"]);
});

test("a call may name another model and another time limit; the deployed agent stays as it is", async () => {
  const agent = anAgent();
  server.script(`${agent.name}_llm`, [says("ok")]);
  await server.client.post("/agent/deploy", { agentConfig: agent });
  const id = await start({ name: agent.name, prompt: "go", model: "anthropic/claude-x", timeoutSeconds: 7 });
  const run = await server.client.ended(id);
  expect(run["workflowDefinition"]).toMatchObject({ timeoutSeconds: 7, timeoutPolicy: "TIME_OUT_WF" });
  expect(server.asked(`${agent.name}_llm`)[0]).toMatchObject({ llmProvider: "anthropic", model: "claude-x" });
  expect((await server.client.get(`/agent/definitions/${agent.name}`)).json).toMatchObject({ timeoutSeconds: 60 });
  const refused = await server.client.post("/agent/start", { name: agent.name, prompt: "go", model: "claude-x" });
  expect([refused.status, refused.json]).toMatchObject([
    400,
    { message: expect.stringContaining("Invalid model format") },
  ]);
});

test("a run with a runId has its workers in its own domain", async () => {
  const agent = anAgent({ tools: [aTool("stateful_one", { stateful: true })] });
  server.script(`${agent.name}_llm`, [calling(["stateful_one"]), says("ok")]);
  const id = await start({ agentConfig: agent, prompt: "go", runId: "run-9" });
  await server.client.until(id, (run) => tasksOf(run, `${agent.name}_llm`).length > 0);
  expect(await server.client.poll("stateful_one", { timeout: 50 })).toEqual([]);
  await server.client.complete(await server.client.take("stateful_one", { domain: "run-9" }), { result: 1 });
  expect((await server.client.ended(id)).status).toBe("COMPLETED");
});

describe("event handlers", () => {
  const publish = (event: string, payload: object) =>
    server.client.post("/workflow", {
      name: "publishes",
      workflowDef: {
        name: "publishes",
        version: 1,
        schemaVersion: 2,
        tasks: [
          {
            name: "e",
            taskReferenceName: "e",
            type: "EVENT",
            sink: `service:${event}`,
            inputParameters: payload,
          },
        ],
      },
    });

  test("start a deployed agent, once for each key", async () => {
    const agent = anAgent();
    server.script(`${agent.name}_llm`, [says("ok")]);
    await server.client.post("/agent/deploy", { agentConfig: agent });
    const event = `order_${agent.name}`;
    const action = {
      action: "start_agent",
      start_agent: {
        name: agent.name,
        prompt: "Handle ${order}",
        sessionId: "${order}",
        idempotencyKey: "${order}",
        context: { n: 1 },
      },
    };
    const handler = { name: event, event: `service:publishes:${event}`, active: true, actions: [action] };
    expect((await server.client.post("/event", handler)).status).toBe(200);
    for (const order of ["o-1", "o-2", "o-1"]) {
      const { text } = await publish(event, { order });
      await server.client.ended(text);
    }
    const { results } = await untilFound(agent.name, 2);
    for (const { executionId } of results) await server.client.ended(executionId);
    const prompts = await Promise.all(
      results.map(async ({ executionId }) => (await server.client.execution(executionId)).input["prompt"]),
    );
    expect(prompts.sort()).toEqual(["Handle o-1", "Handle o-2"]);
    expect(await start({ name: agent.name, prompt: "x", idempotencyKey: "o-1" })).toBe(
      (await find(`agentName=${agent.name}&sessionId=o-1`)).results[0]?.executionId,
    );
  });

  /** Looks until there are so many. */
  async function untilFound(name: string, count: number): Promise<Page> {
    for (;;) {
      const page = await find(`agentName=${name}`);
      if (page.totalHits >= count) return page;
    }
  }
});

test("a plan is compiled and run by the server", async () => {
  const planner = anAgent();
  const agent = anAgent({ strategy: "plan_execute", planner, tools: [aTool("plan_step")] });
  server.serve("plan_step", () => ({ result: "stepped" }));
  const static_plan = { steps: [{ id: "a", operations: [{ tool: "plan_step", args: { q: "1" } }] }] };
  const id = await start({ agentConfig: agent, prompt: "go", static_plan });
  const live = await watch(server.client.base, id);
  await live.ended;
  expect(live.heard.at(-1)?.type).toBe("done");
  const call = live.heard.find(({ type }) => type === "tool_call");
  expect(call?.data).toMatchObject({ toolName: "plan_step" });
  expect(typesOf(live.heard)).not.toContain("handoff");
});

test("the server runs commands and code of agents itself where it may; a model cannot widen what is allowed", async () => {
  const agent = anAgent({
    cliConfig: { enabled: true, allowedCommands: ["echo"] },
    codeExecution: { enabled: true, allowedLanguages: ["bash"] },
  });
  const command = `${agent.name}_run_command`;
  server.script(`${agent.name}_llm`, [
    calling(
      [command, { command: "echo", args: ["hello"] }],
      [command, { command: "ls", args: [], allowedCommands: ["ls"] }],
      [`${agent.name}_execute_code`, { code: "echo $((6*7))", language: "bash" }],
    ),
    says("ok"),
  ]);
  const { json } = await server.client.post("/agent/start", { agentConfig: agent, prompt: "go" });
  expect(json).toMatchObject({ requiredWorkers: [] });
  const run = await server.client.ended((json as { readonly executionId: string }).executionId);
  const ran = run.tasks.filter(({ taskType }) => taskType === "RUN_COMMAND" || taskType === "RUN_CODE");
  const [echo, ls, code] = ran;
  if (echo?.reasonForIncompletion?.includes("cannot be isolated") === true) {
    process.stdout.write("skipped: commands cannot be isolated on this machine\n");
    return;
  }
  expect(echo?.outputData["result"]).toMatchObject({ status: "success", stdout: "hello\n" });
  expect(ls?.reasonForIncompletion).toContain("Command 'ls' is not allowed");
  expect(code?.outputData["result"]).toMatchObject({ status: "success", stdout: "42\n" });
  expect(run.status).toBe("COMPLETED");
});

describe("what a caller gets wrong is said", () => {
  test.each([
    ["/agent/start", {}, 400, "Agent execution requires a non-empty prompt"],
    ["/agent/start", { prompt: "x" }, 400, "Agent start requires agentName or inline agent construction details"],
    ["/agent/start", { prompt: "x", version: 1 }, 400, "agentVersion requires agentName"],
    ["/agent/start", { prompt: "x", name: "a", framework: "openai" }, 400, "not both"],
    ["/agent/start", { prompt: "x", name: "nobody", version: 3 }, 404, "Agent not found: nobody v3"],
    ["/agent/start", { prompt: "x", skillRef: { name: "s" } }, 400, "Skill registry is not available"],
    ["/agent/start", { prompt: "x", agentConfig: 7 }, 400, "agentConfig"],
    ["/agent/compile", { framework: "openai" }, 400, "rawConfig is required"],
    ["/agent/deploy", { name: "nobody" }, 404, "Agent not found: nobody"],
  ])("POST %s %j", async (path, body, status, message) => {
    const answer = await server.client.post(path, body);
    expect([answer.status, answer.json]).toMatchObject([status, { status, message: expect.stringContaining(message) }]);
  });

  test("nothing at all", async () => {
    const { status, json } = await server.client.send("POST", "/agent/start");
    expect([status, json]).toMatchObject([400, { message: "Start request is required" }]);
  });
});
