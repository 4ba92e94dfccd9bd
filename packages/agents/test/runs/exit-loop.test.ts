import type { JsonObject } from "@downbeat/engine";
import { describe, expect, test } from "vitest";
import { normaliseFramework } from "../../src/index.ts";
import { type AgentServer, calling, compile, heard, says, tasksOf, useAgentServer } from "../support/agent-server.ts";

let server: AgentServer;
useAgentServer((started) => {
  server = started;
  server.serve("look_up", ({ q }) => ({ result: `found ${String(q)}` }));
});

/** As the SDKs send it: the kit's own function, and the same wrapped into a tool. */
const context = { type: "object", properties: { tool_context: {} }, required: ["tool_context"] };
const plain = { _worker_ref: "exit_loop", description: "Exits the loop.", parameters: context };
const wrapped = { _type: "FunctionTool", name: "exit_loop", description: "Exits the loop.", func: plain };
const lookUp = { _worker_ref: "look_up", description: "Looks up.", parameters: { type: "object", properties: {} } };

let last = 0;
/** A loop of agents whose names no other test has. */
function aLoop(more: JsonObject, ...members: readonly JsonObject[]) {
  const name = `adk_exit_${++last}`;
  const names = members.map((_, index) => `${name}_${index}`);
  const agents = members.map((member, index) => ({
    _type: "LlmAgent",
    model: "openai/gpt-4o-mini",
    instruction: "i",
    ...member,
    name: names[index] ?? "",
  }));
  const raw = { _type: "LoopAgent", name, sub_agents: agents, ...more };
  return { raw, names: names.map((member) => `${member}_llm`) as [string, string, string] };
}

const run = (raw: JsonObject) => server.run(normaliseFramework("google_adk", raw));

describe("Google ADK's exit_loop", () => {
  test.each([
    ["a function", plain],
    ["a FunctionTool", wrapped],
    ["a tool by its name alone", { _type: "ExitLoopTool", name: "exit_loop" }],
  ])("%s: the loop ends after that turn, and those after it are not asked", async (_, tool) => {
    const { raw, names } = aLoop({ max_iterations: 5 }, {}, { tools: [tool] }, {});
    const [write, judge, polish] = names;
    server.script(write, [says("draft"), says("better draft")]);
    server.script(judge, [says("too long"), calling(["exit_loop"])]);
    server.script(polish, [says("shorter"), says("never")]);
    const { status, output, tasks } = await run(raw);
    expect([status, output["result"], output["finishReason"]]).toEqual(["COMPLETED", "better draft", "STOP"]);
    expect(names.map((name) => server.asked(name).length)).toEqual([2, 2, 1]);
    expect(heard(server.asked(write)[1]).at(-1)).toBe("user: hello\n\nPrevious agent output:\nshorter");
    expect(tasks.filter(({ status: ended }) => ended !== "COMPLETED")).toEqual([]);
  });

  test("a loop without a limit goes on until then", async () => {
    const { raw, names } = aLoop({}, { tools: [plain] });
    server.script(names[0], [says("1"), says("2"), says("3"), calling(["exit_loop"])]);
    const { output } = await run(raw);
    expect([output["result"], server.asked(names[0]).length]).toEqual(["3", 4]);
  });

  test("tools that are called beside it are called; an agent that never calls it ends with the limit", async () => {
    const beside = aLoop({ max_iterations: 3 }, { tools: [lookUp, plain] });
    server.script(beside.names[0], [
      calling(["look_up", { q: "a" }]),
      says("found it"),
      calling(["look_up", { q: "b" }], ["exit_loop"]),
    ]);
    expect((await run(beside.raw)).output["result"]).toBe("found it");
    expect(server.asked(beside.names[0])).toHaveLength(3);
    const never = aLoop({ max_iterations: 2 }, { tools: [plain] }, {});
    server.script(never.names[0], [says("a"), says("c")]);
    server.script(never.names[1], [says("b"), says("d")]);
    expect((await run(never.raw)).output).toMatchObject({ result: "d", finishReason: "STOP" });
  });

  test.each(["SequentialAgent", "ParallelAgent"])("an agent inside a %s ends the loop around it", async (_type) => {
    const inner = aLoop({ _type }, { tools: [plain] }, {});
    const outer = aLoop({ max_iterations: 4 }, { ...inner.raw });
    const team = { ...inner.raw, name: `${outer.raw["name"]}_team` };
    server.script(inner.names[0], [says("x"), calling(["exit_loop"])]);
    server.script(inner.names[1], [says("y"), says("z")]);
    expect((await run({ ...outer.raw, sub_agents: [team] })).status).toBe("COMPLETED");
    expect(inner.names.slice(0, 2).map((name) => server.asked(name).length)).toEqual([2, 2]);
  });

  test("a loop inside a loop ends only itself", async () => {
    const inner = aLoop({ max_iterations: 4 }, { tools: [plain] });
    const outer = aLoop({ max_iterations: 2 });
    server.script(inner.names[0], [says("a"), calling(["exit_loop"]), says("b"), calling(["exit_loop"])]);
    const { output, tasks } = await run({ ...outer.raw, sub_agents: [inner.raw] });
    expect([output["result"], server.asked(inner.names[0]).length]).toEqual(["b", 4]);
    expect(tasks.filter(({ taskType }) => taskType === "SUB_WORKFLOW")).toHaveLength(2);
  });

  test("outside a loop it ends the agent's own turns", async () => {
    const { raw, names } = aLoop({}, { tools: [plain] });
    const [agent] = raw.sub_agents;
    server.script(names[0], [calling(["exit_loop"]), says("never")]);
    const ended = await run(agent ?? {});
    expect([ended.status, ended.output["result"], tasksOf(ended, names[0]).length]).toEqual(["COMPLETED", "", 1]);
  });
});

type Entry = {
  readonly type: string;
  readonly taskReferenceName: string;
  readonly loopCondition?: string;
  readonly loopOver?: readonly Entry[];
  readonly decisionCases?: { readonly [value: string]: readonly Entry[] };
};

test("compiled: what follows an agent that may end the loop stands in a SWITCH, and no worker is needed", () => {
  const { raw } = aLoop({ max_iterations: 3 }, { tools: [plain] }, {});
  const { name } = raw;
  const compiled = compile(normaliseFramework("google_adk", raw));
  expect(compiled.requiredWorkers).toEqual([]);
  const tasks = compiled.workflowDef["tasks"] as unknown as readonly Entry[];
  const loop = tasks.find(({ type }) => type === "DO_WHILE");
  expect(loop?.loopCondition).toBe(
    `($.${name}_loop.iteration < 3) && ($._stop_requested !== true) && ($._said?.decision !== 'exit')`,
  );
  const gate = loop?.loopOver?.find(({ type }) => type === "SWITCH");
  expect(gate?.decisionCases?.["continue"]?.[0]).toMatchObject({ type: "SUB_WORKFLOW", name: `${name}_1` });
  expect(loop?.loopOver?.map(({ taskReferenceName }) => taskReferenceName)).not.toContain(`${name}_step_1_${name}_1`);
});

test("compiled: a loop that nobody can end is as it was", () => {
  const { raw } = aLoop({ max_iterations: 3 }, {}, {});
  const text = JSON.stringify(compile(normaliseFramework("google_adk", raw)).workflowDef);
  expect(text.match(/variables\._said|exitLoop/)).toBeNull();
  const own = { type: "object", properties: { reason: { type: "string" } } };
  const { raw: named } = aLoop({ max_iterations: 3 }, { tools: [{ ...plain, parameters: own }] });
  expect(normaliseFramework("google_adk", named)).toMatchObject({
    agents: [{ tools: [{ name: "exit_loop", toolType: "worker" }] }],
  });
});
