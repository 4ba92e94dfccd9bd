import type { JsonObject } from "@downbeat/engine";
import { describe, expect, test } from "vitest";
import { InvalidAgent } from "../invalid-agent.ts";
import { readAgentConfig } from "./read.ts";
import { validateAgent } from "./validate.ts";

const model = "openai/gpt-4o-mini";
const sub = (name: string, more: JsonObject = {}): JsonObject => ({ name, model, ...more });

/** What is wrong with an agent; undefined when nothing is. */
function problemOf(config: JsonObject, options = {}): string | undefined {
  try {
    validateAgent(readAgentConfig(config), options);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidAgent) return error.message;
    throw error;
  }
}

const team = (strategy: string, more: JsonObject = {}): JsonObject => ({
  name: "team",
  model,
  strategy,
  agents: [sub("one"), sub("two")],
  ...more,
});
const planned = (more: JsonObject = {}): JsonObject => ({
  name: "pe",
  model,
  strategy: "plan_execute",
  planner: sub("planner"),
  ...more,
});
const tool = (more: JsonObject): JsonObject => ({ name: "t", ...more });
const guard = (onFail: string): JsonObject => ({ name: "g", guardrailType: "regex", patterns: ["x"], onFail });

describe("an agent is refused", () => {
  test.each([
    ["without a model", { name: "a" }, "Model string cannot be null or empty"],
    ["with a bare model", { name: "a", model: "gpt-4o" }, "Invalid model format: 'gpt-4o'. Expected provider/model"],
    [
      "with a model without a name",
      { name: "a", model: "openai/" },
      "Invalid model format: 'openai/'. Expected provider/model",
    ],
    ["with a name that is none", sub("9 lives"), "Invalid agent name '9 lives'"],
    ["without a name", { model }, "Invalid agent name ''"],
    ["when a sub-agent's name is none", team("parallel", { agents: [sub("a b")] }), "Invalid agent name 'a b'"],
    [
      "when it is only a name",
      { name: "a", external: true },
      "Cannot compile external agent 'a' directly. External agents are compiled as SubWorkflowTask references.",
    ],
    [
      "when two sub-agents share a name",
      team("parallel", { agents: [sub("s"), sub("s")] }),
      "Duplicate agent names in 'team'. Each sub-agent must have a unique name.",
    ],
    [
      "when a sub-agent is called done",
      team("router", { agents: [sub("DONE")] }),
      "Sub-agent name 'DONE' in 'team' is reserved: the coordinator uses DONE as its completion signal. Rename the agent.",
    ],
    [
      "when a sub-agent's model is bare",
      team("sequential", { agents: [sub("s", { model: "x" })] }),
      "Invalid model format: 'x'. Expected provider/model",
    ],
    [
      "with a gate of no known type",
      team("sequential", { agents: [sub("s", { gate: { type: "odd" } })] }),
      "Unknown gate type: odd",
    ],
    [
      "when its provider cannot search the web",
      { name: "a", model: "mistral/x", metadata: { _builtin_web_search: true } },
      "Provider-native web search requires an OpenAI or Anthropic model; got 'mistral'",
    ],
    [
      "when it passes through to no tool",
      { name: "a", metadata: { _framework_passthrough: true } },
      "Passthrough agent 'a' must have exactly one worker tool defined.",
    ],
    [
      "with an unknown rule of a swarm",
      team("swarm", { handoffs: [{ type: "odd", target: "one" }] }),
      "SWARM handoff type must be on_tool_result, on_text_mention, or on_condition",
    ],
    [
      "with a rule for a stranger",
      team("swarm", { handoffs: [{ type: "on_text_mention", text: "x", target: "three" }] }),
      "SWARM handoff target must name a swarm agent: three",
    ],
    [
      "with a tool rule without text",
      team("swarm", { handoffs: [{ type: "on_tool_result", target: "one", toolName: "t" }] }),
      "on_tool_result requires toolName and resultContains",
    ],
    [
      "with a text rule without text",
      team("swarm", { handoffs: [{ type: "on_text_mention", target: "one" }] }),
      "on_text_mention requires text",
    ],
    [
      "with a condition without worker",
      team("swarm", { handoffs: [{ type: "on_condition", target: "one", taskName: " " }] }),
      "on_condition requires a nonblank taskName",
    ],
    [
      "with a tool named like a transfer",
      team("swarm", { tools: [tool({ name: "one_transfer_to_two" })] }),
      "SWARM tool name collides with compiler-owned transfer control: one_transfer_to_two",
    ],
    [
      "with a planSource without tool",
      planned({ planSource: { args: {} } }),
      "plan_source must include a non-empty 'tool' field",
    ],
    [
      "with a pattern that is none",
      sub("a", { guardrails: [{ name: "g", guardrailType: "regex", patterns: ["("] }] }),
      "Guardrail 'g' has a pattern that cannot be read: Invalid regular expression: /(/: Unterminated group",
    ],
    ["with a tool without a name", sub("a", { tools: [{}] }), "Expected a tool of 'a' to have a name, got none"],
    [
      "with a callback without a worker",
      sub("a", { callbacks: [{ position: "before_model" }] }),
      "Expected the callback before_model of 'a' to have a name, got none",
    ],
    [
      "with a prefilled tool that waits",
      sub("a", { tools: [tool({ toolType: "human" })], prefillTools: [{ toolName: "t" }] }),
      "prefillTools of 'a' names 't', a tool of type human, which cannot be called before the model",
    ],
    [
      "with sub-agents that one tool name stands for",
      team("handoff", { tools: [tool({})], agents: [sub("a-b"), sub("a_b")] }),
      "Sub-agents of 'team' differ only in characters a tool's name cannot hold: a-b, a_b",
    ],
    [
      "with an agent tool that is none",
      sub("a", { tools: [tool({ toolType: "agent_tool", config: { agentConfig: { name: "b c", model } } })] }),
      "Invalid agent name 'b c'",
    ],
  ])("%s", (_case, config, message) => {
    expect(problemOf(config)).toBe(message);
  });

  test.each([
    [
      "a plan source that is no tool of its",
      planned({ planSource: { tool: "t" } }),
      /^plan_source\.tool 't' is not registered as a harness-level tool on 'pe'\./,
    ],
    [
      "a header with a line break",
      planned({ plannerContext: [{ url: "http://x", headers: { A: "b\r\nC: d" } }] }),
      /^plannerContext header 'A' contains CR\/LF/,
    ],
    [
      "guardrails that nobody can act on",
      planned({ tools: [tool({ guardrails: [guard("retry")] }), tool({ name: "u", guardrails: [guard("raise")] })] }),
      /^PLAN_EXECUTE harness 'pe' has guardrails with on_fail=retry\|fix\|human but no fallback agent.*t:g \(on_fail=retry\)$/,
    ],
    [
      "a schema that says more than can be checked",
      planned({ tools: [tool({ inputSchema: { type: "object", properties: { a: { items: { anyOf: [] } } } } })] }),
      /uses unsupported JSON Schema keyword 'anyOf' at \$\.properties\.a\.items$/,
    ],
    [
      "a schema with an unknown word",
      planned({ tools: [tool({ inputSchema: { typo: 1 } })] }),
      /uses unknown JSON Schema keyword 'typo' at \$$/,
    ],
  ])("with %s", (_case, config, message) => {
    expect(problemOf(config)).toMatch(message);
  });
});

describe("an agent is accepted", () => {
  test.each([
    ["with a model whose name has slashes", sub("a", { model: "openrouter/meta/llama" })],
    ["as a pipeline without a model of its own", { name: "a", strategy: "sequential", agents: [sub("s")] }],
    [
      "with a reference to any workflow",
      team("sequential", { agents: [{ name: "billing v2.1", external: true }, { name: "no.model" }] }),
    ],
    ["with a coding agent", team("sequential", { agents: [{ name: "coder", model: "claude-code/opus" }] })],
    [
      "with a function router and no model",
      { name: "a", strategy: "router", router: { taskName: "r" }, synthesize: false, agents: [sub("s")] },
    ],
    [
      "with a fallback that acts on guardrails",
      planned({ fallback: sub("fb"), tools: [tool({ guardrails: [guard("retry")] })] }),
    ],
    [
      "with a pattern as Python writes it",
      sub("a", {
        guardrails: [{ name: "g", guardrailType: "regex", patterns: ["(?i)\\A(?P<word>\\w+) (?P=word)\\Z"] }],
      }),
    ],
    ["with a sub-agent called done where nobody says DONE", team("parallel", { agents: [sub("done")] })],
  ])("%s", (_case, config) => {
    expect(problemOf(config)).toBeUndefined();
  });

  test("a skill may keep dots in its name", () => {
    expect(problemOf(sub("my.skill"))).toBe("Invalid agent name 'my.skill'");
    expect(problemOf(sub("my.skill"), { isSkill: true })).toBeUndefined();
  });
});
