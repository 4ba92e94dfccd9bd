import { expect, test } from "vitest";
import { type AgentServer, anAgent, aTool, calling, says, tasksOf, useAgentServer } from "../support/agent-server.ts";

let server: AgentServer;
useAgentServer((started) => {
  server = started;
  server.serve("look_up", ({ q }) => ({ result: `found ${String(q)}` }));
});

test("a termination worker ends a run that would go on", async () => {
  const agent = anAgent({
    tools: [aTool("look_up")],
    termination: {
      type: "or",
      conditions: [
        { type: "max_message", maxMessages: 2 },
        { type: "text_mention", text: "DONE" },
      ],
    },
  });
  const told: unknown[] = [];
  server.serve(`${agent.name}_termination`, ({ iteration, result, messages }) => {
    told.push([iteration, result, Array.isArray(messages)]);
    return { should_continue: Number(iteration) < 2, reason: "enough" };
  });
  server.script(`${agent.name}_llm`, () => ({ ...calling(["look_up", { q: "x" }]), result: "thinking" }));
  const run = await server.run(agent);
  expect([run.status, tasksOf(run, `${agent.name}_llm`).length]).toEqual(["COMPLETED", 2]);
  expect(told).toEqual([
    [1, "thinking", true],
    [2, "thinking", true],
  ]);
});

test("a stop predicate ends a run, and one that says go on does not keep a finished model going", async () => {
  const agent = anAgent({ tools: [aTool("look_up")] });
  server.serve(`${agent.name}_stop_when`, ({ iteration }) => ({ should_continue: Number(iteration) < 2 }));
  server.script(`${agent.name}_llm`, () => calling(["look_up", { q: "x" }]));
  const run = await server.run({ ...agent, stopWhen: { taskName: `${agent.name}_stop_when` } });
  expect(tasksOf(run, `${agent.name}_llm`)).toHaveLength(2);

  const other = anAgent({ tools: [aTool("look_up")] });
  server.serve(`${other.name}_stop_when`, () => ({ should_continue: true }));
  server.script(`${other.name}_llm`, [says("done")]);
  const finished = await server.run({ ...other, stopWhen: { taskName: `${other.name}_stop_when` } });
  expect(tasksOf(finished, `${other.name}_llm`)).toHaveLength(1);
});

test("a discussion ends when its termination says so", async () => {
  const [one, two] = [anAgent(), anAgent()];
  const agent = anAgent({
    agents: [one, two],
    strategy: "round_robin",
    maxTurns: 9,
    termination: { type: "text_mention", text: "STOP" },
  });
  server.serve(`${agent.name}_termination`, ({ result }) => ({ should_continue: !String(result).includes("STOP") }));
  server.script(`${one.name}_llm`, [says("first"), says("STOP")]);
  server.script(`${two.name}_llm`, [says("second")]);
  const run = await server.run(agent);
  expect(run.output["result"]).toBe(`hello\n\n[${one.name}]: first\n\n[${two.name}]: second\n\n[${one.name}]: STOP`);
});
