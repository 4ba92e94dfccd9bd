import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@downbeat/engine";
import {
  Action,
  Generate,
  Op,
  Plan,
  Ref,
  Step,
  serializeFrameworkAgent,
  serializeLangChain,
  serializeLangGraph,
  skill,
  Validation,
} from "@io-orkes/conductor-javascript/agents";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compilePlan, normaliseFramework } from "../../src/index.ts";

/** Agents as the official client sends them: whatever a task will wait for must be a worker the client starts. */
type Tool = { readonly name: string; readonly inputSchema?: { readonly properties: { path?: { enum: string[] } } } };
const toolsOf = (agent: JsonObject) => (agent["tools"] ?? []) as unknown as readonly Tool[];
const namesOf = (things: readonly { readonly name: string }[]) => things.map(({ name }) => name);
const sent = (rawConfig: unknown): JsonObject => JSON.parse(JSON.stringify(rawConfig));

class Agent {
  readonly name: string;
  constructor(members: object) {
    this.name = "agent";
    Object.assign(this, members);
  }
}

function lookUp(query: string) {
  return query;
}

function isPolite(text: string) {
  return { tripwireTriggered: text === "" };
}

test("an OpenAI agent: its functions are tools, its guardrails are workers, its handoffs are agents", () => {
  const [raw, workers] = serializeFrameworkAgent(
    new Agent({
      name: "triage",
      model: "gpt-4o",
      instructions: "Route.",
      tools: [lookUp],
      handoffs: [new Agent({ name: "billing", model: "gpt-4o", instructions: "b", tools: [], handoffs: [] })],
      inputGuardrails: [{ name: "polite", execute: isPolite }],
      modelSettings: { temperature: 0.5, maxTokens: 10 },
      outputType: "text",
    }),
  );
  const agent = normaliseFramework("openai", sent(raw));
  expect(agent).toMatchObject({
    name: "triage",
    model: "openai/gpt-4o",
    agents: [{ name: "billing", model: "openai/gpt-4o" }],
    guardrails: [{ name: "polite", position: "input", taskName: "isPolite" }],
    temperature: 0.5,
    maxTokens: 10,
  });
  expect(namesOf(toolsOf(agent))).toEqual(["lookUp"]);
  expect(namesOf(workers).sort()).toEqual(["isPolite", "lookUp"]);
});

class LoopAgent extends Agent {}

test("a Google ADK agent with the names JavaScript gives its settings", () => {
  function beforeModel() {}
  const part = new Agent({
    name: "part",
    model: "gemini-2.0-flash",
    instruction: "Do.",
    outputKey: "out",
    beforeModelCallback: beforeModel,
    generateContentConfig: { maxOutputTokens: 7 },
    disallowTransferToPeers: true,
  });
  const [raw] = serializeFrameworkAgent(new LoopAgent({ name: "loop", maxIterations: 3, subAgents: [part] }));
  expect(normaliseFramework("google_adk", sent(raw))).toMatchObject({
    name: "loop",
    strategy: "sequential",
    maxTurns: 3,
    allowedTransitions: { part: ["loop"] },
    agents: [
      {
        name: "part",
        instructions: "Do.",
        maxTokens: 7,
        metadata: { output_key: "out" },
        callbacks: [{ position: "before_model", taskName: "beforeModel" }],
      },
    ],
  });
});

describe("LangChain and LangGraph", () => {
  const tool = { name: "calc", description: "Calculates", schema: { type: "object" }, func: () => 1 };

  test.each([
    ["langchain", serializeLangChain],
    ["langgraph", serializeLangGraph],
  ])("%s: an agent that can be taken apart has its tools, one that cannot is one worker", (framework, serialize) => {
    const known = { name: "known", _agentspan: { model: "openai/gpt-4o", tools: [tool], instructions: "i" } };
    const [raw, workers] = serialize(known);
    const agent = normaliseFramework(framework, sent(raw));
    expect(agent).toMatchObject({ name: "known", model: "openai/gpt-4o", instructions: "i" });
    expect(namesOf(toolsOf(agent))).toEqual(namesOf(workers));
    const [whole, one] = serialize({ name: "closed" });
    const passed = normaliseFramework(framework, sent(whole));
    expect(passed["metadata"]).toEqual({ _framework_passthrough: true });
    expect(namesOf(toolsOf(passed))).toEqual(namesOf(one));
  });
});

describe("a skill the client reads from a folder", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "skill-"));
    mkdirSync(join(folder, "scripts"));
    mkdirSync(join(folder, "references"));
    writeFileSync(join(folder, "scripts", "build.sh"), "make");
    writeFileSync(join(folder, "references", "api.md"), "# API");
    writeFileSync(join(folder, "judge-agent.md"), "Judge.");
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const write = (body: string) =>
    writeFileSync(join(folder, "SKILL.md"), `---\nname: big\ndescription: D.\nparams:\n  depth: 3\n---\n${body}\n`);

  const read = () => {
    const loaded = skill(folder, { model: "openai/gpt-4o", params: { tone: "dry" } }) as unknown as {
      _framework_config: JsonObject;
      _skill_sections: JsonObject;
    };
    return { raw: sent(loaded._framework_config), sections: Object.keys(loaded._skill_sections) };
  };

  test("has the client's tools and parameters", () => {
    write("# Big\n\nText.");
    const agent = normaliseFramework("skill", read().raw);
    expect(namesOf(toolsOf(agent))).toEqual(["big__judge", "big__build", "big__read_skill_file"]);
    expect(agent["instructions"]).toBe("# Big\n\nText.\n\n[Skill Parameters]\ndepth: 3\ntone: dry");
  });

  test("offers exactly the sections the client serves", () => {
    const headings = ["It's & that", "Same", "Same", "--Dashes--", "日本", "Ünïcode 1"];
    const code = "```sh\n## comment in code\n```";
    write(`Intro.\n${headings.map((heading) => `## ${heading}\n${code}\n${"x".repeat(9000)}`).join("\n")}`);
    const { raw, sections } = read();
    const agent = normaliseFramework("skill", raw);
    const reader = toolsOf(agent).find(({ name }) => name === "big__read_skill_file");
    const offered = reader?.inputSchema?.properties.path?.enum ?? [];
    expect(sections.length).toBeGreaterThan(3);
    expect(offered).toEqual(["references/api.md", ...sections.map((slug) => `skill_section:${slug}`)]);
    for (const slug of sections) expect(agent["instructions"]).toContain(`skill_section:${slug} — `);
  });
});

test("a plan built with the client's classes compiles", () => {
  const generate = new Generate({
    instructions: "Write.",
    outputSchema: '{"q": "..."}',
    maxTokens: 9,
    context: new Ref("a"),
  });
  const plan = new Plan({
    steps: [
      new Step("a", { operations: [new Op("t", { args: { q: "1" } })] }),
      new Step("b", { dependsOn: ["a"], parallel: true, operations: [new Op("t", { generate })] }),
    ],
    validation: [new Validation("t", { args: { q: "?" }, successCondition: "$.ok === true" })],
    onSuccess: [new Action("t", { args: { q: "!" } })],
  });
  const tools = [{ name: "t", inputSchema: { type: "object", properties: { q: { type: "string" } } } }];
  const { error, warnings, stats } = compilePlan({ plan: sent(plan), parentName: "p", tools });
  expect([error, warnings, stats["stepCount"]]).toEqual([null, [], 2]);
});
