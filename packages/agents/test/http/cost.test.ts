import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@downbeat/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AgentServer, anAgent, says, startAgentServer } from "../support/agent-server.ts";

let folder: string;
let server: AgentServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "downbeat-cost-"));
  const file = join(folder, "prices.json");
  writeFileSync(
    file,
    JSON.stringify({
      "openai/gpt-4o-mini": { input: 100, output: 400 },
      "openai/cached*": { input: 100, output: 400, cacheRead: 10, cacheWrite: 125 },
    }),
  );
  const settings = {
    "service.ai.prices": file,
    "service.ai.instances": JSON.stringify([{ name: "Mine", provider: "openai", apiKey: "key" }]),
  };
  server = await startAgentServer({ settings });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
  expect(server.errors).toEqual([]);
});

const get = async (path: string): Promise<JsonObject> => (await server.client.get(path)).json as JsonObject;

/** A run whose model used so many tokens, once it is over. */
async function aRun(agent: JsonObject & { readonly name: string }, used: JsonObject): Promise<string> {
  server.script(`${agent.name}_llm`, [{ ...says("ok"), ...used }]);
  const { json } = await server.client.post("/agent/start", { agentConfig: agent, prompt: "go" });
  const { executionId } = json as { readonly executionId: string };
  await server.client.ended(executionId);
  return executionId;
}

const used = { promptTokens: 1000, completionTokens: 500, tokenUsed: 1500 };
const tokens = { promptTokens: 1000, completionTokens: 500, totalTokens: 1500 };

describe("what a run cost", () => {
  test("stands beside its tokens wherever those are told, and in none of what is stored", async () => {
    const inner = anAgent();
    server.script(`${inner.name}_llm`, [{ ...says("ok"), ...used }]);
    const outer = anAgent({ agents: [inner], strategy: "sequential" });
    const id = await aRun(outer, {});
    const priced = { ...tokens, cost: 0.3, costCurrency: "USD" };
    expect(await get(`/agent/executions/${id}/usage`)).toEqual(priced);
    const whole = await get(`/agent/executions/${id}/full`);
    expect(whole["aggregateTokenUsage"]).toEqual(priced);

    const { calls } = (await get(`/agent/executions/${id}/usage?calls=true`)) as { calls: JsonObject[] };
    const [call] = calls;
    expect(calls).toEqual([
      { ...priced, model: "openai/gpt-4o-mini", executionId: expect.any(String), taskId: expect.any(String) },
    ]);
    const child = String(call?.["executionId"]);
    const run = await get(`/agent/execution/${child}`);
    expect(run["tokenUsage"]).toEqual(priced);
    expect((run["tasks"] as JsonObject[]).filter(({ cost }) => cost !== undefined)).toMatchObject([
      { taskType: "LLM_CHAT_COMPLETE", cost: 0.3, costCurrency: "USD" },
    ]);
    const { results } = (await get(`/agent/executions/${child}/tasks?count=100`)) as { results: JsonObject[] };
    expect(results.flatMap(({ cost, taskId }) => (cost === undefined ? [] : [[taskId, cost]]))).toEqual([
      [call?.["taskId"], 0.3],
    ]);
    expect(JSON.stringify(await get(`/workflow/${child}`))).not.toContain('"cost"');
  });

  test("counts what came from the provider's cache at its own price", async () => {
    const id = await aRun(anAgent({ model: "openai/cached-1" }), {
      ...used,
      cacheReadTokens: 600,
      cacheWriteTokens: 200,
    });
    // 200 fresh, 600 read and 200 written, 500 answered.
    const cost = (200 * 100 + 600 * 10 + 200 * 125 + 500 * 400) / 1e6;
    expect(await get(`/agent/executions/${id}/usage`)).toEqual({ ...tokens, cost, costCurrency: "USD" });
  });

  test("is the provider's price for an account under another name", async () => {
    const id = await aRun(anAgent({ model: "mine/gpt-4o-mini" }), used);
    expect(await get(`/agent/executions/${id}/usage`)).toMatchObject({ cost: 0.3 });
  });

  test("is told of any execution that asks models, also where its input says which", async () => {
    server.script("chat", [{ ...says("ok"), ...used }]);
    const inputParameters = { llmProvider: "openai", model: "${workflow.input.model}", messages: [] };
    await server.client.register({
      name: "chatty",
      version: 1,
      ownerEmail: "a@example.com",
      schemaVersion: 2,
      timeoutSeconds: 0,
      tasks: [{ name: "chat", taskReferenceName: "chat", type: "LLM_CHAT_COMPLETE", inputParameters }],
    });
    const id = await server.client.start("chatty", { model: "gpt-4o-mini" });
    await server.client.ended(id);
    expect(await get(`/agent/executions/${id}/usage`)).toEqual({ ...tokens, cost: 0.3, costCurrency: "USD" });
  });

  test("is made of public prices where the operator has none", async () => {
    const ids: string[] = [];
    for (const model of ["openai/gpt-4o", "openai/gpt-4o-2024-11-20", "azure_openai/gpt-4o", "mine/gpt-4o"]) {
      ids.push(await aRun(anAgent({ model }), used));
    }
    for (const id of ids) {
      const { cost, costCurrency } = await get(`/agent/executions/${id}/usage`);
      expect([cost, costCurrency]).toEqual([expect.any(Number), "USD"]);
      expect(cost).toBeGreaterThan(0);
    }
  });

  test("is not zero but unknown for a model nobody has a price of, which is named", async () => {
    const unknown = anAgent({ model: "openai/gpt-of-tomorrow" });
    const id = await aRun(unknown, used);
    const unpricedModels = ["openai/gpt-of-tomorrow"];
    expect(await get(`/agent/executions/${id}/usage`)).toEqual({ ...tokens, unpricedModels });
    const { calls } = (await get(`/agent/executions/${id}/usage?calls=true`)) as { calls: JsonObject[] };
    expect(calls[0]).not.toHaveProperty("cost");

    // Beside one that has a price: the sum is of what is known.
    const priced = anAgent();
    server.script(`${priced.name}_llm`, [{ ...says("ok"), ...used }]);
    const both = await aRun(anAgent({ agents: [unknown, priced], strategy: "sequential" }), {});
    expect(await get(`/agent/executions/${both}/usage`)).toMatchObject({
      totalTokens: 3000,
      cost: 0.3,
      unpricedModels,
    });
  });
});

test("a server with prices that cannot be read does not start, and says what is wrong with them", async () => {
  const start = (prices: string) => startAgentServer({ settings: { "service.ai.prices": prices } });
  await expect(start('{"openai/gpt-4o": {"input": 1}}')).rejects.toThrow(
    "service.ai.prices is no table of prices: Expected output of openai/gpt-4o, got none",
  );
  await expect(start(join(folder, "none.json"))).rejects.toThrow(
    /service\.ai\.prices, the file .*none\.json, is no table of prices: ENOENT/,
  );
});
