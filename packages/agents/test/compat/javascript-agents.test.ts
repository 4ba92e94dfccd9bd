import { noopLogger, type OrkesAgentClient, OrkesClients, Schedule } from "@io-orkes/conductor-javascript";
import { Agent, AgentRuntime, tool } from "@io-orkes/conductor-javascript/agents";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AgentServer, calling, says, startAgentServer } from "../support/agent-server.ts";

/** The official client against a real server: it deploys, runs, watches, answers, and serves its tools. */
let server: AgentServer;
let runtime: AgentRuntime;
let sdk: Awaited<ReturnType<typeof OrkesClients.from>>;
beforeAll(async () => {
  server = await startAgentServer({
    settings: {
      "service.secrets.type": "database",
      "service.secrets.key": Buffer.alloc(32, 3).toString("base64"),
      "service.secrets.allow-read": "true",
    },
  });
  sdk = await OrkesClients.from({ serverUrl: server.client.base, logger: noopLogger });
  runtime = new AgentRuntime({ serverUrl: server.client.base, workerPollIntervalMs: 10 } as never);
});
afterAll(async () => {
  await runtime.shutdown();
  await server.close();
  expect(server.errors).toEqual([]);
});

const weather = () =>
  tool(async ({ city }: { city: string }) => ({ city, degrees: 21 }), {
    name: "js_weather",
    description: "The weather in a city",
    inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  } as never);

const danger = (calls: string[]) =>
  tool(
    async ({ what }: { what: string }) => {
      calls.push(what);
      return { done: what };
    },
    {
      name: "js_danger",
      description: "Does something",
      approvalRequired: true,
      inputSchema: { type: "object", properties: { what: { type: "string" } } },
    } as never,
  );

const anAgent = (name: string, tools: unknown[]) =>
  new Agent({ name, model: "openai/gpt-4o-mini", instructions: "Be brief.", tools } as never);

test("it deploys an agent and plans one without running it", async () => {
  const agent = anAgent("js_deployed", [weather()]);
  expect(await runtime.deploy(agent)).toMatchObject({ agentName: "js_deployed" });
  expect((await server.client.get("/agent/js_deployed")).json).toMatchObject({ name: "js_deployed" });
  expect(await runtime.plan(agent)).toMatchObject({ workflowDef: { name: "js_deployed" } });
});

test("it runs an agent whose tool its own worker serves, and reads calls, messages and the result", async () => {
  server.script("js_runner_llm", [calling(["js_weather", { city: "Rome" }]), says("It is warm in Rome")]);
  const result = await runtime.run(anAgent("js_runner", [weather()]), "How is Rome?");
  expect(result.status).toBe("COMPLETED");
  expect(JSON.stringify(result.output)).toContain("It is warm in Rome");
  expect(result.events.map(({ type }) => type)).toEqual(["thinking", "tool_call", "tool_result", "thinking", "done"]);
  expect(JSON.stringify(result.toolCalls)).toContain("js_weather");
}, 30_000);

test("it streams a run and approves what waits", async () => {
  const calls: string[] = [];
  server.script("js_gated_llm", [calling(["js_danger", { what: "x" }]), says("done")]);
  const stream = await runtime.stream(anAgent("js_gated", [danger(calls)]), "go");
  const types: string[] = [];
  for await (const event of stream) {
    types.push(event.type);
    if (event.type === "waiting") await stream.approve();
  }
  expect(types).toEqual(["thinking", "waiting", "tool_call", "tool_result", "thinking", "done"]);
  expect(calls).toEqual(["x"]);
}, 30_000);

test("it rejects what waits, and sees that the run was rejected", async () => {
  const calls: string[] = [];
  server.script("js_refused_llm", [calling(["js_danger", { what: "x" }])]);
  const stream = await runtime.stream(anAgent("js_refused", [danger(calls)]), "go");
  for await (const event of stream) if (event.type === "waiting") await stream.reject("no way");
  const result = await stream.getResult();
  expect(JSON.stringify(result.output)).toContain("rejected");
  expect(calls).toEqual([]);
}, 30_000);

test("a handle tells the status, pauses, resumes, stops and cancels", async () => {
  server.script("js_handled_llm", [calling(["js_danger", { what: "x" }])]);
  const handle = await runtime.start(anAgent("js_handled", [danger([])]), "go");
  await server.question(handle.executionId);
  expect(await handle.getStatus()).toMatchObject({ isWaiting: true, isComplete: false });
  await handle.pause();
  expect(await handle.getStatus()).toMatchObject({ status: "PAUSED" });
  await handle.resume();
  await handle.cancel();
  expect(await handle.getStatus()).toMatchObject({ status: "TERMINATED", isComplete: true });
}, 30_000);

test("the agent client: every call of its own", async () => {
  const agents = sdk.getAgentClient() as OrkesAgentClient;
  expect(await agents.getClient()).toBeDefined();
  expect(agents.workflows).toBeDefined();
  expect(agents.schedules).toBeDefined();
  expect(await agents.authHeaders()).toEqual({});
  expect(await agents.apiBaseUrl()).toBe(server.client.base);
  expect(agents.apiBaseUrlSync()).toBe(server.client.base);
  expect(await agents.request("GET", "/agent/list")).toEqual(expect.any(Array));
  const agentConfig = {
    name: "js_client",
    model: "openai/gpt-4o-mini",
    tools: [{ name: "ask_first", toolType: "human", description: "Asks" }],
  };
  expect(await agents.compile({ agentConfig })).toMatchObject({ workflowDef: { name: "js_client" } });
  expect(await agents.deployAgent({ agentConfig })).toMatchObject({ agentName: "js_client" });
  server.script("js_client_llm", [calling(["ask_first", { q: "?" }]), says("thanks")]);
  const { executionId } = (await agents.startAgent({ name: "js_client", prompt: "go" })) as { executionId: string };
  await server.question(executionId);
  expect(await agents.status(executionId)).toMatchObject({ isWaiting: true });
  await agents.signal(executionId, "be quick");
  await agents.respond(executionId, { message: "yes" });
  const types: string[] = [];
  for await (const { type } of await agents.stream(executionId)) types.push(type);
  expect(types).toEqual(["thinking", "waiting", "thinking", "done"]);
  await agents.stop(executionId);
  expect(await agents.getExecution(executionId)).toMatchObject({ status: "COMPLETED" });
  expect(await agents.listExecutions({ agentName: "js_client" })).toMatchObject({ totalHits: 1 });
  const plain = anAgent("js_plain", []);
  server.script("js_plain_llm", [says("hello")]);
  expect(await agents.deploy(plain)).toMatchObject([{ agentName: "js_plain" }]);
  expect(JSON.stringify((await agents.run(plain, "go")).output)).toContain("hello");
  const handle = await agents.start(plain, "go");
  expect(JSON.stringify((await handle.wait()).output)).toContain("hello");
  const daily = new Schedule({ name: "daily", cron: "0 0 9 * * ?", input: { prompt: "go" } } as never);
  expect(await agents.schedule(plain, [daily])).toMatchObject({ agentName: "js_plain" });
  await agents.schedule(plain, []);
  await agents.close();
}, 30_000);

test("the secret client: values go in and are used by name", async () => {
  const secrets = sdk.getSecretClient();
  await secrets.putSecret("JS_TOKEN", 'a "quoted" value');
  expect(await secrets.getSecret("JS_TOKEN")).toBe('a "quoted" value');
  expect(await secrets.secretExists("JS_TOKEN")).toBe(true);
  expect(await secrets.listAllSecretNames()).toContain("JS_TOKEN");
  expect(await secrets.listSecretsThatUserCanGrantAccessTo()).toContain("JS_TOKEN");
  await secrets.deleteSecret("JS_TOKEN");
  expect(await secrets.listAllSecretNames()).toEqual(["TOK"]);
});
