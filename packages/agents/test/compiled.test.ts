import type { WorkflowDef } from "@downbeat/engine";
import { describe, expect, test } from "vitest";
import { compileAgent, liftAgentTools, readAgentConfig } from "../src/index.ts";
import { flatten } from "./shapes/flatten.ts";
import { hasFixtures, namesIn, readFixture } from "./support/fixtures.ts";

const agent = (more: object = {}) => readAgentConfig({ name: "a", model: "openai/gpt-4o-mini", ...more });

/** The input of a task, whatever container it stands in. */
const leavesOf = (def: WorkflowDef, ref: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(flatten(def).tasks.get(ref)?.leaves ?? []);

describe("a compiled agent", () => {
  test("says what it was made of, and that it is an agent", () => {
    const sent = { name: "a", model: "openai/gpt-4o-mini" };
    const { metadata } = compileAgent(agent(), { agentDef: sent }).workflowDef;
    expect(metadata).toMatchObject({
      classifier: "AGENT",
      agent_sdk: "conductor",
      agent_capabilities: ["simple"],
      agentDef: sent,
      normalizedAgentDef: { maxTurns: 25 },
    });
    expect(compileAgent(agent(), { framework: "openai" }).workflowDef.metadata).toMatchObject({
      agent_sdk: "openai",
      normalizedAgentDef: { maxTurns: 100 },
    });
  });

  test("is never ended by the limit nobody gave it", () => {
    expect(compileAgent(agent()).workflowDef).toMatchObject({ timeoutSeconds: 60, timeoutPolicy: "ALERT_ONLY" });
    expect(compileAgent(agent({ timeoutSeconds: 5 })).workflowDef).toMatchObject({
      timeoutSeconds: 5,
      timeoutPolicy: "TIME_OUT_WF",
    });
  });

  test("hands the settings of a model call on", () => {
    const settings = {
      maxTokens: 9,
      contextWindowBudget: 100,
      temperature: 0.5,
      thinkingConfig: { enabled: true, budgetTokens: 7 },
      reasoningEffort: "low",
      baseUrl: "http://b",
    };
    const def = compileAgent(agent({ ...settings, model: "anthropic/c" })).workflowDef;
    expect(leavesOf(def, "a_llm")).toMatchObject({
      "inputParameters.maxTokens": 9,
      "inputParameters.contextWindowBudget": 100,
      "inputParameters.temperature": 0.5,
      "inputParameters.thinkingTokenLimit": 7,
      "inputParameters.reasoningEffort": "low",
      "inputParameters.baseUrl": "http://b",
    });
    const quiet = compileAgent(agent({ model: "anthropic/c", reasoningEffort: "low" })).workflowDef;
    expect(leavesOf(quiet, "a_llm")).not.toHaveProperty("inputParameters.reasoningEffort");
  });

  test("asks for JSON from the model itself only where there are no tools", () => {
    const outputType = { schema: { type: "object", properties: { city: { type: "string" } } } };
    const plain = leavesOf(compileAgent(agent({ outputType })).workflowDef, "a_llm");
    expect(plain["inputParameters.jsonOutput"]).toBe(true);
    expect(plain["inputParameters.messages[0].message"]).toContain("{'city': str}");
    const withTools = leavesOf(compileAgent(agent({ outputType, tools: [{ name: "t" }] })).workflowDef, "a_llm");
    expect(withTools).not.toHaveProperty("inputParameters.jsonOutput");
  });

  test("reaches its model at the same address in every call", () => {
    const config = agent({
      baseUrl: "http://b",
      agents: [{ name: "s", model: "openai/x" }],
      guardrails: [{ name: "g", guardrailType: "llm", policy: "p", onFail: "human" }],
    });
    const { tasks } = flatten(compileAgent(config).workflowDef);
    const addresses = [...tasks].flatMap(([ref, { type, leaves }]) =>
      type === "LLM_CHAT_COMPLETE" ? [[ref.split(">").at(-1), leaves.get("inputParameters.baseUrl")]] : [],
    );
    expect(Object.fromEntries(addresses)).toEqual({
      a_router_llm: "http://b",
      a_final: "http://b",
      a_llm_guardrail_g_llm: "http://b",
      a_guardrail_human_normalizer: "http://b",
      s_llm: undefined,
    });
  });

  test("gives a team's final answer its output type", () => {
    const outputType = { schema: { type: "object", properties: { city: { type: "string" } } } };
    const final = leavesOf(
      compileAgent(agent({ outputType, agents: [{ name: "s", model: "m/n" }] })).workflowDef,
      "a_final",
    );
    expect(final["inputParameters.jsonOutput"]).toBe(true);
    expect(final["inputParameters.messages[0].message"]).toContain("{'city': str}");
  });

  test("is the same whenever it is compiled", () => {
    const child = { name: "child", model: "m/n" };
    const tools = [{ name: "ask", toolType: "agent_tool", config: { agentConfig: child, workflowName: "child" } }];
    const { workflowDef } = compileAgent(
      agent({ tools, prefillTools: [{ toolName: "ask", arguments: { request: "hi" } }] }),
    );
    const prefill = leavesOf(workflowDef, "a_prefill_0");
    expect(prefill).toMatchObject({ "subWorkflowParam.name": "child", "inputParameters.prompt": "hi" });
    expect(prefill).not.toHaveProperty("inputParameters.__today__");
  });

  test("keeps what looks like an expression in a tool's words as text", () => {
    const tools = [{ name: "t", description: "Costs ${PRICE}" }];
    expect(leavesOf(compileAgent(agent({ tools })).workflowDef, "a_llm")["inputParameters.tools[0].description"]).toBe(
      "Costs $${PRICE}",
    );
  });

  test("runs an agent tool in the version it was registered with", () => {
    const tools = [{ name: "t", toolType: "agent_tool", config: { workflowName: "child" } }];
    const { workflowDef } = compileAgent(agent({ tools }), { agentToolVersion: (name) => (name === "child" ? 4 : 1) });
    expect(String(leavesOf(workflowDef, "a_enrich_tools")["inputParameters.expression"])).toContain(
      '"target":"child","version":4',
    );
  });

  test("gives references that would be the same different names", () => {
    const guardrails = ["a b", "a-b"].map((name) => ({ name, guardrailType: "regex", patterns: ["x"] }));
    const refs = [...flatten(compileAgent(agent({ guardrails })).workflowDef).tasks.keys()];
    expect(refs).toContain("a_regex_guardrail_a_b");
    expect(refs).toContain("a_regex_guardrail_a_b_2");
  });

  test("names what nothing comes of", () => {
    const { warnings } = compileAgent(
      agent({ tools: [{ name: "t", toolType: "odd" }], guardrails: [{ name: "g", position: "input" }] }),
    );
    expect(warnings).toEqual([
      "Guardrail 'g' of 'a' looks at the input but has no taskName; its SDK runs it before the start",
      "Tool 't' of 'a' has the unknown type 'odd'; it is called as a worker",
    ]);
    const team = agent({
      agents: [{ name: "s", model: "m/n" }],
      strategy: "sequential",
      tools: [{ name: "t" }],
      requiredTools: ["x"],
    });
    expect(compileAgent(team).warnings).toEqual([
      "requiredTools of 'a' names 'x', which is none of its tools",
      "'tools' of 'a' has no effect on a team of strategy sequential",
      "'requiredTools' of 'a' has no effect on a team of strategy sequential",
    ]);
  });
});

test("an agent with everything at once compiles", () => {
  const leaf = (name: string) => ({ name, model: "openai/x" });
  const strategies = ["handoff", "sequential", "parallel", "router", "round_robin", "random", "swarm", "manual"];
  const kinds = [
    "worker",
    "http",
    "mcp",
    "api",
    "human",
    "generate_image",
    "generate_pdf",
    "rag_search",
    "pull_workflow_messages",
    "cli",
  ];
  const { workflowDef, warnings } = compileAgent(
    agent({
      tools: kinds.map((toolType) => ({
        name: `t_${toolType}`,
        toolType,
        approvalRequired: true,
        maxCalls: 2,
        config: { url: "http://x", server_url: "http://y" },
      })),
      guardrails: ["regex", "llm", "custom", "external"].flatMap((guardrailType) =>
        ["input", "output"].flatMap((position) =>
          ["retry", "raise", "fix", "human"].map((onFail) => ({
            name: `g ${onFail}`,
            guardrailType,
            position,
            onFail,
            taskName: "w",
            patterns: ["x"],
            policy: "p",
          })),
        ),
      ),
      agents: strategies.map((strategy) => ({
        ...leaf(`team-${strategy}`),
        strategy,
        agents: [leaf(`${strategy}1`), leaf(`${strategy}2`)],
      })),
      requiredTools: ["t_worker"],
      prefillTools: [{ toolName: "t_http" }],
      memory: { messages: [{ role: "user", message: "hi" }] },
    }),
  );
  expect(warnings).toEqual([]);
  const types = new Set([...flatten(workflowDef).tasks.values()].map(({ type }) => type));
  expect([...types].sort()).toEqual([
    "DO_WHILE",
    "FORK_JOIN",
    "FORK_JOIN_DYNAMIC",
    "HTTP",
    "HUMAN",
    "INLINE",
    "JOIN",
    "LIST_API_TOOLS",
    "LIST_MCP_TOOLS",
    "LLM_CHAT_COMPLETE",
    "SET_VARIABLE",
    "SIMPLE",
    "SUB_WORKFLOW",
    "SWITCH",
    "TERMINATE",
  ]);
});

describe("the workers of an agent", () => {
  const config = agent({
    credentials: ["KEY"],
    tools: [
      { name: "t", timeoutSeconds: 30, retryCount: 5 },
      { name: "u", config: { credentials: ["OTHER"] } },
      { name: "h", toolType: "http", config: { url: "http://x" } },
    ],
    termination: { type: "max_message" },
    stopWhen: { taskName: "s" },
    callbacks: [{ position: "before_model", taskName: "cb" }],
    guardrails: [
      { name: "g", guardrailType: "custom", taskName: "gw" },
      { name: "ext", guardrailType: "external" },
    ],
    instructions: { _worker_ref: "iw" },
  });

  test("are all named, those of the workflow first", () => {
    expect(compileAgent(config).requiredWorkers).toEqual(["iw", "cb", "gw", "ext", "s", "a_termination", "t", "u"]);
  });

  test("have task definitions with the tool's limits and the names of their secrets", () => {
    const defs = new Map(
      compileAgent(config).workerDefs.map(({ def, isExternal }) => [def.name, { ...def, isExternal }]),
    );
    expect([...defs.keys()].sort()).toEqual(["a_termination", "cb", "ext", "gw", "iw", "s", "t", "u"]);
    expect(defs.get("t")).toMatchObject({
      timeoutSeconds: 30,
      responseTimeoutSeconds: 30,
      timeoutPolicy: "RETRY",
      retryCount: 5,
      retryDelaySeconds: 2,
      retryLogic: "LINEAR_BACKOFF",
      runtimeMetadata: ["KEY"],
    });
    expect(defs.get("u")).toMatchObject({
      timeoutSeconds: 0,
      responseTimeoutSeconds: 3600,
      retryCount: 2,
      runtimeMetadata: ["OTHER"],
    });
    expect(defs.get("a_termination")?.runtimeMetadata).toEqual([]);
    expect([defs.get("ext")?.isExternal, defs.get("gw")?.isExternal]).toEqual([true, false]);
  });
});

test("agents that serve as tools are found through all sub-agents, and their workflows are named", () => {
  const inner = { name: "child", model: "m/n" };
  const tool = { name: "ask", toolType: "agent_tool", config: { agentConfig: inner } };
  const { config, children } = liftAgentTools(agent({ agents: [{ name: "s", model: "m/n", tools: [tool] }] }));
  expect(children).toEqual([{ toolName: "ask", workflowName: "child", agentConfig: inner }]);
  expect(config.agents?.[0]?.tools?.[0]?.config?.["workflowName"]).toBe("child");
});

describe.runIf(hasFixtures)("loop conditions", () => {
  const folders = ["javascript", "extra"];
  const names = folders.flatMap((folder) => namesIn(`configs/${folder}`).map((name) => [folder, name] as const));

  test.each(names)(
    "name every path they read, so that a late turn costs what an early one does: %s/%s",
    (folder, name) => {
      if ("error" in (readFixture(`shapes/${name}`) as object)) return;
      const { workflowDef } = compileAgent(readAgentConfig(readFixture(`configs/${folder}/${name}`)));
      const conditions = [...flatten(workflowDef).tasks.values()].flatMap(
        ({ leaves }) => leaves.get("loopCondition") ?? [],
      );
      for (const condition of conditions)
        expect(String(condition).replace(/\$(\.\w+|\["[\w-]+"\])/g, "")).not.toContain("$");
    },
  );
});

describe("an agent that would grow beyond all bounds is refused in time", () => {
  test("handoff teams nested deep", () => {
    const nested = (depth: number): object => ({
      name: `level${depth}`,
      model: "m/n",
      ...(depth === 0 ? {} : { agents: [nested(depth - 1)] }),
    });
    expect(() => compileAgent(readAgentConfig(nested(40)))).toThrow(
      "Agent 'level40' would hold more than 500 sub-agents",
    );
  });

  test("a graph whose branches share nodes without meeting", () => {
    const steps = Array.from({ length: 30 }, (_none, index) => index);
    const graph = {
      nodes: steps.flatMap((step) =>
        [`s${step}`, `a${step}`, `b${step}`].map((name) => ({ name, _worker_ref: `w_${name}` })),
      ),
      edges: [
        { source: "__start__", target: "s0" },
        ...steps.flatMap((step) => ["a", "b"].map((way) => ({ source: `${way}${step}`, target: `s${step + 1}` }))),
      ],
      conditional_edges: steps.map((step) => ({
        source: `s${step}`,
        _router_ref: `r${step}`,
        targets: { a: `a${step}`, b: `b${step}`, end: "__end__" },
      })),
    };
    expect(() => compileAgent(agent({ metadata: { _graph_structure: graph } }))).toThrow(
      "The graph of 'a' branches too much",
    );
  });
});
