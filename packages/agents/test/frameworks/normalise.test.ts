import type { JsonObject } from "@downbeat/engine";
import { describe, expect, test } from "vitest";
import { InvalidAgent, normaliseEmbedded, normaliseFramework } from "../../src/index.ts";

test("an unknown framework is refused with the list of those there are", () => {
  expect(() => normaliseFramework("crewai", {})).toThrow(
    new InvalidAgent(
      "Unsupported agent framework: 'crewai'. Supported frameworks: " +
        "[openai, langgraph, google_adk, langchain, skill, claude_agent_sdk, vercel_ai]",
    ),
  );
});

test.each(["openai", "google_adk", "langgraph", "langchain", "vercel_ai", "claude_agent_sdk"])(
  "%s: an agent of the wrong kinds of values has its defaults",
  (framework) => {
    const odd = { name: 7, model: [], tools: "x", handoffs: [null, 1], sub_agents: {}, guardrails: [{}, "g"] };
    expect(normaliseFramework(framework, odd)).toEqual(normaliseFramework(framework, {}));
  },
);

describe("OpenAI Agents", () => {
  const normalise = (raw: JsonObject) => normaliseFramework("openai", raw);

  test("a handoff may be an object around its agent", () => {
    const raw = { handoffs: [{ _type: "Handoff", agent: { name: "a", handoff_description: "Does a." } }] };
    expect(normalise(raw)).toMatchObject({ agents: [{ name: "a", description: "Does a." }] });
  });

  test("instructions may come from a worker", () => {
    const raw = { instructions: { _worker_ref: "say", description: "d", parameters: {} } };
    expect(normalise(raw)["instructions"]).toEqual({ _worker_ref: "say" });
  });

  test.each([
    ["its own reference", { name: "g", _worker_ref: "w" }, "w"],
    ["the reference of execute", { name: "g", execute: { _worker_ref: "w" } }, "w"],
    ["the reference of guardrailFunction", { name: "g", guardrailFunction: { _worker_ref: "w" } }, "w"],
    ["its name", { name: "g" }, "g"],
  ])("a guardrail's worker is %s", (_, guardrail, taskName) => {
    expect(normalise({ inputGuardrails: [guardrail] })["guardrails"]).toEqual([
      { name: "g", guardrailType: "custom", position: "input", onFail: "retry", maxRetries: 3, taskName },
    ]);
  });

  test("tools that the provider runs are abilities, whichever way they are named", () => {
    const tools = [{ type: "hosted_tool", name: "web_search_preview" }, { _type: "code_interpreter" }];
    const agent = normalise({ tools });
    expect(agent).toMatchObject({ metadata: { _builtin_web_search: true }, codeExecution: { enabled: true } });
    expect(agent).not.toHaveProperty("tools");
  });

  test("a turn limit and synthesize are kept", () => {
    expect(normalise({ max_turns: 4, synthesize: true })).toMatchObject({ maxTurns: 4, synthesize: true });
  });
});

describe("Google ADK", () => {
  test("a FunctionTool takes what its function takes", () => {
    const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const func = { _worker_ref: "weather", description: "d", parameters };
    const raw = { tools: [{ _type: "FunctionTool", name: "weather", description: "Tells the weather", func }] };
    expect(normaliseFramework("google_adk", raw)["tools"]).toMatchObject([
      { name: "weather", description: "Tells the weather", inputSchema: parameters },
    ]);
  });

  test("a default model takes the place of every model in the tree", () => {
    const raw = { model: "gemini-pro", sub_agents: [{ name: "a", model: "x/y" }] };
    const agent = normaliseFramework("google_adk", raw, { adkModel: "openai/gpt-4o-mini" });
    expect(agent).toMatchObject({ model: "openai/gpt-4o-mini", agents: [{ model: "openai/gpt-4o-mini" }] });
  });

  test("an agent that may go neither up nor aside may go nowhere", () => {
    const closed = { name: "a", disallow_transfer_to_parent: true, disallow_transfer_to_peers: true };
    const agent = normaliseFramework("google_adk", { name: "p", sub_agents: [closed, { name: "b" }] });
    expect(agent["allowedTransitions"]).toEqual({ a: [] });
  });

  test("a list of callbacks keeps its order; a thinking budget of 0 is no thinking", () => {
    const agent = normaliseFramework("google_adk", {
      after_tool_callback: [{ _worker_ref: "one" }, { _worker_ref: "two" }],
      generate_content_config: { thinking_config: { thinking_budget: 0 } },
    });
    expect(agent["callbacks"]).toEqual([
      { position: "after_tool", taskName: "one" },
      { position: "after_tool", taskName: "two" },
    ]);
    expect(agent).not.toHaveProperty("thinkingConfig");
  });
});

describe("Vercel AI", () => {
  test.each([
    [{ modelId: "gpt-4o", provider: "openai.responses" }, "openai/gpt-4o"],
    [{ modelId: "gemini-2.0-flash", provider: "google.generative-ai" }, "google_gemini/gemini-2.0-flash"],
    [{ model: "claude", providerId: "anthropic" }, "anthropic/claude"],
    ["mistral/large", "mistral/large"],
  ])("model %j is %s", (model, expected) => {
    expect(normaliseFramework("vercel_ai", { model })["model"]).toBe(expected);
  });

  test("a wrapped schema is taken out of its wrapper", () => {
    const raw = { tools: { t: { inputSchema: { jsonSchema: { type: "object" } } } } };
    expect(normaliseFramework("vercel_ai", raw)["tools"]).toMatchObject([{ inputSchema: { type: "object" } }]);
  });
});

test("LangGraph: a subgraph's agent is normalised too, and its workers are tools", () => {
  const node = {
    name: "sub",
    _subgraph_node: true,
    _subgraph_prep_ref: "prep",
    _subgraph_finish_ref: "finish",
    _subgraph_config: { name: "inner", _graph: { nodes: [{ name: "n", _worker_ref: "w" }] } },
  };
  const agent = normaliseFramework("langgraph", { name: "outer", _graph: { nodes: [node] } });
  expect(agent["tools"]).toMatchObject([
    { name: "prep", description: "Subgraph prep for sub" },
    { name: "finish", description: "Subgraph finish for sub" },
  ]);
  expect(agent["metadata"]).toMatchObject({
    _subgraph_configs: { sub: { name: "inner", tools: [{ name: "w" }], metadata: { _graph_structure: {} } } },
  });
});

test("LangGraph: a node that is fanned out to has a worker of its own, named once", () => {
  const llm = { name: "l", _worker_ref: "g_l", _llm_node: true, _llm_prep_ref: "g_l_prep", _llm_finish_ref: "g_l_fin" };
  const graph = {
    nodes: [llm, { name: "m", _worker_ref: "g_m" }],
    conditional_edges: [{ source: "m", _router_ref: "r", _dynamic_fanout: true, targets: { l: "l", m: "m" } }],
  };
  const agent = normaliseFramework("langgraph", { name: "g", _graph: graph });
  const names = (agent["tools"] as { name: string }[]).map(({ name }) => name);
  expect(names).toEqual(["g_l_prep", "g_l_fin", "g_m", "r", "g_l"]);
});

test("framework agents inside a native one are found wherever agents stand", () => {
  const skill = { name: "s", _framework: "skill", skillMd: "---\nname: s\n---\nText.", model: "openai/gpt-4o" };
  const openai = { framework: "openai", rawConfig: { name: "o" } };
  const config = {
    name: "root",
    temperature: 0,
    agents: [skill, { name: "plain", agents: [openai] }],
    planner: openai,
    fallback: skill,
    router: { taskName: "route" },
    tools: [{ name: "t", toolType: "agent_tool", config: { agentConfig: skill, retryCount: 1 } }, { name: "w" }],
  };
  const normalSkill = normaliseFramework("skill", skill);
  const normalOpenai = normaliseFramework("openai", { name: "o" });
  expect(normaliseEmbedded(config)).toEqual({
    ...config,
    agents: [normalSkill, { name: "plain", agents: [normalOpenai] }],
    planner: normalOpenai,
    fallback: normalSkill,
    tools: [{ name: "t", toolType: "agent_tool", config: { agentConfig: normalSkill, retryCount: 1 } }, { name: "w" }],
  });
  expect(normaliseEmbedded({ name: "a", agents: "odd", tools: [1] })).toEqual({ name: "a", agents: "odd", tools: [1] });
});
