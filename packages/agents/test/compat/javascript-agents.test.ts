import { Agent, AgentRuntime, tool } from "@io-orkes/conductor-javascript/agents";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AgentServer, calling, says, startAgentServer } from "../support/agent-server.ts";

/** The official client against a real server: it deploys, runs, watches, answers, and serves its tools. */
let server: AgentServer;
let runtime: AgentRuntime;
beforeAll(async () => {
  server = await startAgentServer();
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
