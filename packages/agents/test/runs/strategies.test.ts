import { describe, expect, test } from "vitest";
import { normaliseFramework } from "../../src/index.ts";
import {
  type AgentServer,
  anAgent,
  aTool,
  calling,
  compile,
  heard,
  says,
  tasksOf,
  useAgentServer,
} from "../support/agent-server.ts";

let server: AgentServer;
useAgentServer((started) => {
  server = started;
  server.serve("look_up", ({ q }) => ({ result: `found ${String(q)}`, _state_updates: { looked: String(q) } }));
});

describe("handoff", () => {
  test("the coordinator chooses agents until all is done, and a last call makes one answer of it", async () => {
    const [one, two] = [anAgent(), anAgent({ tools: [aTool("look_up")] })];
    const agent = anAgent({ agents: [one, two] });
    server.script(`${agent.name}_router_llm`, [
      says(`"${one.name}"`),
      says(`I think ${two.name} should go next.`),
      says("DONE"),
    ]);
    server.script(`${one.name}_llm`, [says("one's part")]);
    server.script(`${two.name}_llm`, [calling(["look_up", { q: "x" }]), says("two's part")]);
    server.script(`${agent.name}_final`, [says("the whole")]);
    const run = await server.run(agent);
    expect([run.status, run.output]).toEqual([
      "COMPLETED",
      { result: "the whole", finishReason: "STOP", rejectionReason: null, context: { looked: "x" } },
    ]);
    expect(heard(server.asked(`${agent.name}_final`)[0]).at(-1)).toBe(
      `user: hello\n\n[coordinator -> ${one.name}]\n\n[${one.name}]: one's part\n\n[coordinator -> ${two.name}]\n\n[${two.name}]: two's part`,
    );
  });

  test("ends at maxTurns and when a stop is requested; without synthesis the conversation is the answer", async () => {
    const sub = anAgent();
    const agent = anAgent({ agents: [sub], maxTurns: 2, synthesize: false });
    server.script(`${agent.name}_router_llm`, () => says(sub.name));
    server.script(`${sub.name}_llm`, [says("again")]);
    const run = await server.run(agent);
    expect(tasksOf(run, `${agent.name}_handoff_0_${sub.name}`)).toHaveLength(2);
    expect(run.output["result"]).toContain(`[${sub.name}]: again`);

    const slow = anAgent({ tools: [aTool("slow_part")] });
    const other = anAgent({ agents: [slow], synthesize: false });
    server.script(`${other.name}_router_llm`, () => says(slow.name));
    server.script(`${slow.name}_llm`, [calling(["slow_part", {}]), says("part")]);
    const id = await server.start(other);
    const task = await server.client.take("slow_part");
    await server.client.post(`/workflow/${id}/variables`, { _stop_requested: true });
    await server.client.complete(task, {});
    const stopped = await server.ended(id);
    expect([stopped.status, tasksOf(stopped, `${other.name}_router`).length]).toEqual(["COMPLETED", 1]);
  });
});

test("router: a worker chooses, in either spelling", async () => {
  const [one, two] = [anAgent(), anAgent()];
  const agent = anAgent({ agents: [one, two], strategy: "router", synthesize: false });
  let turn = 0;
  server.serve(
    `${agent.name}_route`,
    () => [{ selected_agent: two.name }, { result: one.name }, { result: "DONE" }][turn++] ?? {},
  );
  server.script(`${one.name}_llm`, [says("from one")]);
  server.script(`${two.name}_llm`, [says("from two")]);
  const run = await server.run({ ...agent, router: { taskName: `${agent.name}_route` } });
  expect(run.output["result"]).toMatch(/from two[\s\S]*from one/);
});

describe("sequential", () => {
  test("each step goes on with what the one before said, and context is handed along", async () => {
    const [one, two] = [anAgent({ tools: [aTool("look_up")] }), anAgent()];
    const agent = anAgent({ agents: [one, two], strategy: "sequential" });
    server.script(`${one.name}_llm`, [calling(["look_up", { q: "x" }]), says("facts")]);
    server.script(`${two.name}_llm`, [says("article")]);
    const run = await server.run(agent);
    expect(run.output).toEqual({
      result: "article",
      finishReason: "STOP",
      rejectionReason: null,
      context: { looked: "x" },
    });
    expect(heard(server.asked(`${two.name}_llm`)[0]).at(-1)).toContain("hello\n\nPrevious agent output:\nfacts");
  });

  test("gates end the line early: by a text, or by a worker in either spelling", async () => {
    const outcomes: unknown[] = [];
    for (const [first, decision] of [
      ["please stop here", { decision: "continue" }],
      ["go on", { decision: "stop" }],
      ["go on", { result: { decision: "continue" } }],
    ] as const) {
      const [one, two, three] = [
        anAgent({ gate: { type: "text_contains", text: "STOP", caseSensitive: false } }),
        anAgent({ gate: { taskName: "gate_worker" } }),
        anAgent(),
      ];
      server.script(`${one.name}_llm`, [says(first)]);
      server.script(`${two.name}_llm`, [says("second")]);
      server.script(`${three.name}_llm`, [says("third")]);
      const gate = `gate_of_${two.name}`;
      server.serve(gate, () => decision);
      const agents = [one, { ...two, gate: { taskName: gate } }, three];
      outcomes.push((await server.run(anAgent({ agents, strategy: "sequential" }))).output["result"]);
    }
    expect(outcomes).toEqual(["please stop here", "second", "third"]);
  });
});

test("a Google ADK LoopAgent goes through its agents as often as it says, each time with what was said last", async () => {
  const agent = normaliseFramework("google_adk", {
    _type: "LoopAgent",
    name: "adk_loop",
    max_iterations: 2,
    sub_agents: ["write", "judge"].map((name) => ({ name, model: "openai/gpt-4o-mini", instruction: name })),
  });
  server.script("write_llm", [says("draft"), says("better draft")]);
  server.script("judge_llm", [says("too long"), says("good")]);
  const run = await server.run(agent);
  expect([run.status, run.output["result"], run.output["finishReason"]]).toEqual(["COMPLETED", "good", "STOP"]);
  expect(server.asked("write_llm").map((input) => heard(input).at(-1))).toEqual([
    "user: hello",
    "user: hello\n\nPrevious agent output:\ntoo long",
  ]);
  expect(heard(server.asked("judge_llm")[1]).at(-1)).toBe("user: hello\n\nPrevious agent output:\nbetter draft");
});

test("parallel: all answer the same prompt; results and contexts stand under their names", async () => {
  const [one, two] = [anAgent({ tools: [aTool("look_up")] }), anAgent({ includeContents: "none" })];
  const agent = anAgent({ agents: [one, two], strategy: "parallel" });
  server.script(`${one.name}_llm`, [calling(["look_up", { q: "x" }]), says("A")]);
  server.script(`${two.name}_llm`, [says("B")]);
  const run = await server.run(agent, { prompt: "hello", context: { user: "Ann" } });
  expect(run.output).toEqual({
    result: `[${one.name}]: A\n\n[${two.name}]: B`,
    finishReason: "STOP",
    rejectionReason: null,
    context: { user: "Ann", [one.name]: { user: "Ann", looked: "x" }, [two.name]: {} },
    subResults: { [one.name]: "A", [two.name]: "B" },
  });
});

describe("rotation", () => {
  test("round_robin: the agents speak in turn, the first one first", async () => {
    const [one, two] = [anAgent({ introduction: "I am one" }), anAgent()];
    const agent = anAgent({ agents: [one, two], strategy: "round_robin", maxTurns: 3 });
    server.script(`${one.name}_llm`, [says("1"), says("3")]);
    server.script(`${two.name}_llm`, [says("2")]);
    const run = await server.run(agent);
    expect(run.output["result"]).toBe(
      `[${one.name}]: I am one\n\nhello\n\n[${one.name}]: 1\n\n[${two.name}]: 2\n\n[${one.name}]: 3`,
    );
  });

  test("round_robin: allowed transitions say who may follow whom", async () => {
    const [one, two, three] = [anAgent(), anAgent(), anAgent()];
    const agent = anAgent({
      agents: [one, two, three],
      strategy: "round_robin",
      maxTurns: 4,
      allowedTransitions: { [one.name]: [three.name], [three.name]: [one.name], [two.name]: [one.name] },
    });
    for (const { name } of [one, two, three]) server.script(`${name}_llm`, () => says("x"));
    const run = await server.run(agent);
    const speakers = String(run.output["result"]).match(/\[(agent\d+)\]/g);
    expect(speakers).toEqual([one, three, one, three].map(({ name }) => `[${name}]`));
  });

  test("random: each turn one of them", async () => {
    const [one, two] = [anAgent(), anAgent()];
    const agent = anAgent({ agents: [one, two], strategy: "random", maxTurns: 5 });
    for (const { name } of [one, two]) server.script(`${name}_llm`, () => says("x"));
    const run = await server.run(agent);
    expect(String(run.output["result"]).match(/\[agent\d+\]: x/g)).toHaveLength(5);
  });

  test("manual: a person chooses who speaks", async () => {
    const [one, two] = [anAgent(), anAgent()];
    const agent = anAgent({ agents: [one, two], strategy: "manual", maxTurns: 2 });
    server.serve(`${agent.name}_process_selection`, ({ human_output: said }) => ({
      selected: (said as { selected: string }).selected === one.name ? "0" : "1",
    }));
    server.script(`${one.name}_llm`, [says("from one")]);
    server.script(`${two.name}_llm`, [says("from two")]);
    const id = await server.start(agent);
    const asked = await server.question(id);
    expect(asked.inputData["agent_options"]).toEqual({ [one.name]: "0", [two.name]: "1" });
    await server.client.complete(asked, { selected: two.name });
    await server.client.until(id, ({ tasks }) =>
      tasks.some(({ referenceTaskName }) => referenceTaskName === `${agent.name}_pick_agent__2`),
    );
    await server.answer(id, { selected: one.name });
    const run = await server.ended(id);
    expect(run.output["result"]).toBe(`hello\n\n[${two.name}]: from two\n\n[${one.name}]: from one`);
  });
});

describe("swarm", () => {
  test("a member hands over by a tool; the message goes along", async () => {
    const two = anAgent();
    const agent = anAgent({ agents: [two], strategy: "swarm" });
    server.script(`${agent.name}_llm`, [
      calling([`${agent.name}_transfer_to_${two.name}`, { message: "please refund" }]),
    ]);
    server.script(`${two.name}_llm`, [says("refunded")]);
    server.script(`${agent.name}_final`, [says("All refunded.")]);
    const run = await server.run(agent);
    expect([run.status, run.output["result"]]).toEqual(["COMPLETED", "All refunded."]);
    expect(heard(server.asked(`${agent.name}_final`)[0]).at(-1)).toBe(
      `user: hello\n\n[${agent.name} -> ${two.name}]: please refund\n\n[${two.name}]: refunded`,
    );
    expect(JSON.stringify(server.asked(`${two.name}_llm`)[0]?.["tools"])).toContain(
      `${two.name}_transfer_to_${agent.name}`,
    );
  });

  test("rules hand over: on a text, on a tool's result and on a worker's word", async () => {
    const [two, three, four] = [anAgent({ tools: [aTool("look_up")] }), anAgent(), anAgent()];
    const agent = anAgent({ agents: [two, three, four], strategy: "swarm", synthesize: false, allowedTransitions: {} });
    server.serve(`${agent.name}_asks_four`, ({ active_agent: active }) => ({ handoff: active === "2" }));
    server.script(`${agent.name}_llm`, [says("this is TECHNICAL")]);
    server.script(`${two.name}_llm`, [calling(["look_up", { q: "a bug" }]), says("should not be asked")]);
    server.script(`${three.name}_llm`, [says("noted")]);
    server.script(`${four.name}_llm`, [says("solved")]);
    const run = await server.run({
      ...agent,
      handoffs: [
        { type: "on_text_mention", target: two.name, text: "technical" },
        { type: "on_tool_result", target: three.name, toolName: "look_up", resultContains: "A BUG" },
        { type: "on_condition", target: four.name, taskName: `${agent.name}_asks_four` },
      ],
    });
    expect(run.output["result"]).toBe(
      `hello\n\n[${agent.name}]: this is TECHNICAL\n\n[${three.name}]: noted\n\n[${four.name}]: solved`,
    );
    expect(server.asked(`${two.name}_llm`)).toHaveLength(1);
  });

  test("a condition that does not say yes or no fails the run", async () => {
    const two = anAgent();
    const agent = anAgent({ agents: [two], strategy: "swarm" });
    server.serve(`${agent.name}_vague`, () => ({ handoff: "maybe" }));
    server.script(`${agent.name}_llm`, [says("hm")]);
    const run = await server.run({
      ...agent,
      handoffs: [{ type: "on_condition", target: two.name, taskName: `${agent.name}_vague` }],
    });
    expect([run.status, run.reasonForIncompletion]).toEqual([
      "FAILED",
      expect.stringContaining("Invalid on_condition output: handoff must be boolean"),
    ]);
  });

  test("a member that is a team works as one, and may hand over after it", async () => {
    const inner = anAgent();
    const team = anAgent({ agents: [inner], strategy: "sequential" });
    const agent = anAgent({ agents: [team], strategy: "swarm", synthesize: false });
    server.script(`${agent.name}_llm`, [
      calling([`${agent.name}_transfer_to_${team.name}`, { message: "you" }]),
      says("thanks"),
    ]);
    server.script(`${inner.name}_llm`, [says("team result")]);
    server.script(`${team.name}_transfer_llm`, [
      calling([`${team.name}_transfer_to_${agent.name}`, { message: "back" }]),
    ]);
    const run = await server.run(agent);
    expect(run.output["result"]).toBe(
      `hello\n\n[${agent.name} -> ${team.name}]: you\n\n[${team.name}]: team result\n\n[${team.name} -> ${agent.name}]: back\n\n[${agent.name}]: thanks`,
    );
  });
});

test("an agent with tools and sub-agents works by itself or hands the request over", async () => {
  const sub = anAgent();
  const agent = anAgent({ tools: [aTool("look_up")], agents: [sub] });
  server.script(`${agent.name}_llm`, [
    calling(["look_up", { q: "x" }]),
    calling([`${agent.name}_transfer_to_${sub.name}`]),
  ]);
  server.script(`${sub.name}_llm`, [says("sub's answer")]);
  const run = await server.run(agent);
  expect(run.output).toMatchObject({ result: { direct: "", [sub.name]: "sub's answer" }, context: { looked: "x" } });

  const direct = anAgent({ tools: [aTool("look_up")], agents: [sub] });
  server.script(`${direct.name}_llm`, [says("my own answer")]);
  expect((await server.run(direct)).output["result"]).toEqual({ direct: "my own answer", [sub.name]: null });
});

describe("plan_execute", () => {
  const plan = { steps: [{ id: "a", operations: [{ tool: "look_up", args: { q: "x" } }] }] };
  const using = (tool: string) => ({ steps: [{ id: "a", operations: [{ tool, args: { q: "x" } }] }] });
  const team = (more: object = {}) => {
    const planner = anAgent();
    const tools = [aTool("look_up"), aTool("breaks", { retryCount: 0 })];
    return { planner, agent: anAgent({ tools, planner, strategy: "plan_execute", ...more }) };
  };

  test("the planner's plan is compiled and run", async () => {
    const { planner, agent } = team();
    server.script(`${planner.name}_llm`, [says(`Here it is:\n\`\`\`json\n${JSON.stringify(plan)}\n\`\`\``)]);
    const run = await server.run(agent);
    expect([run.status, run.output["result"]]).toEqual(["COMPLETED", "found x"]);
    const [compiling] = tasksOf(run, `${agent.name}_plan_and_compile`);
    expect(compiling?.inputData).toMatchObject({ planJson: plan, knownToolNames: ["look_up", "breaks"] });
    expect(heard(server.asked(`${planner.name}_llm`)[0]).at(-1)).toContain("- look_up: The tool look_up");
  });

  test("a plan the caller brings needs no planner", async () => {
    const { planner, agent } = team();
    const run = await server.run(agent, { prompt: "hello", static_plan: plan });
    expect([run.output["result"], server.asked(`${planner.name}_llm`).length]).toEqual(["found x", 0]);
  });

  test("no plan, a plan that cannot be compiled and one that fails go to the fallback agent", async () => {
    const fallback = anAgent();
    const outcomes: unknown[] = [];
    server.serve("breaks", () => new Error("broken"));
    for (const said of ["no idea", JSON.stringify(using("nobody")), JSON.stringify(using("breaks"))]) {
      const { planner, agent } = team({ fallback });
      server.script(`${planner.name}_llm`, [says(said)]);
      server.script(`${fallback.name}_llm`, () => says("done by hand"));
      outcomes.push((await server.run(agent)).output["result"]);
    }
    expect(outcomes).toEqual(["done by hand", "done by hand", "done by hand"]);
    expect(heard(server.asked(`${fallback.name}_llm`)[1]).at(-1)).toContain("nobody");
  });

  test("without a fallback agent the run fails and says why", async () => {
    const reasons: unknown[] = [];
    for (const said of ["no idea", JSON.stringify(using("nobody"))]) {
      const { planner, agent } = team();
      server.script(`${planner.name}_llm`, [says(said)]);
      reasons.push((await server.run(agent)).reasonForIncompletion);
    }
    expect(reasons).toEqual([
      "No JSON plan found and no fallback agent configured",
      expect.stringMatching(/^Plan compilation failed: .*nobody/),
    ]);
  });

  test("the planner is told what it should know, and a tool may hold the plan", async () => {
    const { planner, agent } = team({
      plannerContext: [
        { text: "prices in ${CURRENCY}" },
        { url: "http://127.0.0.1:1/doc", required: false, maxBytes: 5 },
      ],
      planSource: { tool: "look_up", args: { q: JSON.stringify(plan) } },
    });
    server.script(`${agent.name}_ctx_fetch_1`, [{ response: { statusCode: 200, body: "long document" } }]);
    server.script(`${planner.name}_llm`, [says("it is in the file")]);
    const run = await server.run(agent);
    expect([run.status, run.output["result"]]).toEqual(["COMPLETED", "found x"]);
    const prompt = heard(server.asked(`${planner.name}_llm`)[0]).at(-1);
    expect(prompt).toContain("prices in ${CURRENCY}\n\n## http://127.0.0.1:1/doc\nlong \n[truncated]");
  });
});

test("names with hyphens work in teams, and a team's callbacks are told of its beginning and end", async () => {
  const told: unknown[] = [];
  for (const strategy of ["handoff", "round_robin", "swarm", "parallel"]) {
    const [team, one] = [`my-team-${anAgent().name}`, `sub-one-${anAgent().name}`];
    const refs = { team: team.replaceAll("-", "_"), one: one.replaceAll("-", "_") };
    server.serve(`${team}_before`, ({ agent_name: name }) => {
      told.push(["before", name === team]);
      return {};
    });
    server.serve(`${team}_after`, ({ llm_result: result }) => {
      told.push(["after", String(result).includes("sub's part")]);
      return {};
    });
    server.script(`${refs.team}_router_llm`, [says(one), says("DONE")]);
    server.script(`${refs.team}_llm`, [calling([`${team}_transfer_to_${one}`, { message: "go" }])]);
    server.script(`${refs.one}_llm`, () => says("sub's part"));
    const run = await server.run({
      ...anAgent({ agents: [{ ...anAgent(), name: one }], strategy, maxTurns: 3, synthesize: false }),
      name: team,
      callbacks: [
        { position: "before_agent", taskName: `${team}_before` },
        { position: "after_agent", taskName: `${team}_after` },
      ],
    });
    expect([strategy, run.status]).toEqual([strategy, "COMPLETED"]);
    expect(run.output["result"]).toContain("sub's part");
  }
  expect(told).toEqual(
    Array.from({ length: 4 }, () => [
      ["before", true],
      ["after", true],
    ]).flat(),
  );
});

test("an agent of another framework is one worker's task", async () => {
  const agent = anAgent({ metadata: { _framework_passthrough: true } });
  server.serve(`${agent.name}_run`, ({ prompt }) => ({ result: `ran ${String(prompt)}` }));
  const run = await server.run({ ...agent, tools: [{ name: `${agent.name}_run`, toolType: "worker" }] });
  expect(run.output).toMatchObject({ result: "ran hello", finishReason: "STOP" });
  expect(compile({ ...agent, tools: [{ name: "x" }] }).requiredWorkers).toEqual(["x"]);
});
