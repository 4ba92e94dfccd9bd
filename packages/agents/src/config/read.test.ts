import { DefinitionFormatError } from "@downbeat/engine";
import { expect, test } from "vitest";
import { withTurns } from "./questions.ts";
import { readAgentConfig } from "./read.ts";

test("defaults are filled in, what is absent stays absent, unknown fields fall away", () => {
  expect(readAgentConfig({ name: "a", model: "m/n", stateful: true, tools: null })).toEqual({
    name: "a",
    model: "m/n",
    strategy: "handoff",
    timeoutSeconds: 0,
    external: false,
  });
  expect(readAgentConfig({ name: "a", tools: [{ name: "t" }] }).tools).toEqual([
    { name: "t", toolType: "worker", approvalRequired: false, stateful: false },
  ]);
});

test("positions and outcomes of guardrails are taken in any case", () => {
  const [guardrail] =
    readAgentConfig({
      name: "a",
      guardrails: [{ name: "g", guardrailType: "REGEX", position: "INPUT", onFail: "Human", mode: "Allow" }],
    }).guardrails ?? [];
  expect(guardrail).toMatchObject({
    guardrailType: "regex",
    position: "input",
    onFail: "human",
    mode: "allow",
    maxRetries: 3,
  });
});

test.each([
  [
    { name: "a", strategy: "odd" },
    'Expected strategy to be one of handoff, sequential, parallel, router, round_robin, random, swarm, manual, plan_execute, got "odd"',
  ],
  [{ name: "a", tools: {} }, "Expected tools to be a list, got an object"],
  [{ name: "a", temperature: "warm" }, 'Expected temperature to be a number, got "warm"'],
  [
    { name: "a", agents: [{ name: "b", guardrails: [{ name: "g", onFail: "shout" }] }] },
    'Expected agents[0].guardrails[0].onFail to be one of retry, raise, fix, human, got "shout"',
  ],
  [{ name: "a", metadata: [] }, "Expected metadata to be an object, got []"],
  ["text", 'Expected the definition to be an object, got "text"'],
])("what has the wrong shape is named: %j", (json, message) => {
  const read = (): unknown => readAgentConfig(json);
  expect(read).toThrow(DefinitionFormatError);
  expect(read).toThrow(message);
});

test("instructions and routers come in several forms", () => {
  expect(readAgentConfig({ instructions: { type: "prompt_template", name: "t", version: 2 } }).instructions).toEqual({
    type: "prompt_template",
    name: "t",
    version: 2,
  });
  expect(readAgentConfig({ instructions: { _worker_ref: "w" } }).instructions).toEqual({ _worker_ref: "w" });
  expect(readAgentConfig({ router: { taskName: "r" } }).router).toEqual({ taskName: "r" });
  expect(readAgentConfig({ router: { name: "r", model: "m/n" } }).router).toMatchObject({ name: "r", model: "m/n" });
});

test("turns: 25 for a native agent, what the framework says otherwise, and never none", () => {
  const config = readAgentConfig({
    name: "a",
    agents: [
      { name: "b", maxTurns: 0 },
      { name: "c", maxTurns: 7 },
    ],
  });
  expect([withTurns(config).maxTurns, withTurns(config, 100).maxTurns]).toEqual([25, 100]);
  expect(withTurns(config, 100).agents?.map(({ maxTurns }) => maxTurns)).toEqual([25, 7]);
});
