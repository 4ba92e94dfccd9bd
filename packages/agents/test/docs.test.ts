import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compileAgent, compilePlan, readAgentConfig } from "../src/index.ts";

test("the plan in the documentation compiles", () => {
  const page = readFileSync(new URL("../../../docs/plans.md", import.meta.url), "utf8");
  const plan = /```json\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const text = { type: "string" };
  const tools = [
    { name: "search", inputSchema: { type: "object", properties: { q: text } } },
    { name: "write_file", inputSchema: { type: "object", properties: { path: text, content: text } } },
    { name: "check_links" },
    { name: "notify" },
  ];
  const { error, warnings, stats } = compilePlan({ plan, parentName: "writer", tools });
  expect([error, warnings]).toEqual([null, []]);
  expect(stats["stepCount"]).toBe(2);
});

test("the agent in the documentation compiles", () => {
  const page = readFileSync(new URL("../../../docs/agents.md", import.meta.url), "utf8");
  const request = /agent\/deploy [^']*'[^']*' -d '([\s\S]*?)'\n/.exec(page)?.[1] ?? "";
  const { agentConfig } = JSON.parse(request) as { readonly agentConfig: unknown };
  const { requiredWorkers, warnings } = compileAgent(readAgentConfig(agentConfig));
  expect([requiredWorkers, warnings]).toEqual([["find_order", "refund"], []]);
});
