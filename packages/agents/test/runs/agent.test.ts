import { expect, test } from "vitest";
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
  server.serve("look_up", ({ q }) => ({ result: `found ${String(q)}` }));
  server.serve("remember", ({ q }) => ({ result: "ok", _state_updates: { seen: [String(q)] } }));
  server.serve("broken", () => new Error("out of order"));
});

test("an agent without tools answers in one turn, and sees its context", async () => {
  const agent = anAgent();
  server.script(`${agent.name}_llm`, [says("Hi there")]);
  const { status, output } = await server.run(agent, { prompt: "hello", context: { user: "Ann" } });
  expect([status, output]).toEqual([
    "COMPLETED",
    { result: "Hi there", finishReason: "STOP", rejectionReason: null, context: { user: "Ann" } },
  ]);
  expect(heard(server.asked(`${agent.name}_llm`)[0])).toEqual([
    "system: Be brief.",
    'user: Context:\n```json\n{"user":"Ann"}\n```\n\nhello',
  ]);
});

test("a tool loop calls tools side by side, keeps their state updates and ends with the model's words", async () => {
  const agent = anAgent({ tools: [aTool("look_up"), aTool("remember")] });
  server.script(`${agent.name}_llm`, [
    calling(["look_up", { q: "a" }], ["remember", { q: "b" }]),
    calling(["remember", { q: "c" }]),
    says("all done"),
  ]);
  const run = await server.run(agent);
  expect(run.output).toMatchObject({ result: "all done", context: { seen: ["b", "c"] } });
  const [first] = run.tasks.filter(({ taskType }) => taskType === "look_up");
  expect(first?.inputData).toMatchObject({ q: "a", method: "look_up", _agent_tool_name: "look_up", _agent_state: {} });
  expect(first?.referenceTaskName).toMatch(/^call_\d+_0__1$/);
  const last = run.tasks.filter(({ taskType }) => taskType === "remember").at(-1);
  expect(last?.inputData["_agent_state"]).toEqual({ seen: ["b"] });
});

test("a tool that fails and one that does not exist are told to the model, and the run goes on", async () => {
  const agent = anAgent({ tools: [aTool("broken", { retryCount: 0 })] });
  server.script(`${agent.name}_llm`, [calling(["broken"], ["no_such"]), says("sorry")]);
  const run = await server.run(agent);
  expect([run.status, run.output["result"]]).toEqual(["COMPLETED", "sorry"]);
  const failed = run.tasks.find(({ taskType }) => taskType === "broken");
  expect([failed?.status, failed?.reasonForIncompletion]).toEqual(["COMPLETED_WITH_ERRORS", "out of order"]);
  const refused = run.tasks.find(
    ({ taskType, referenceTaskName }) => taskType === "INLINE" && referenceTaskName.startsWith("call_"),
  );
  expect(refused?.outputData["result"]).toEqual({
    result: "Unknown tool 'no_such'. Available tools: broken",
    is_error: true,
  });
});

test("arguments a model writes are never read as expressions", async () => {
  const agent = anAgent({ tools: [aTool("look_up")] });
  const trick = "${workflow.secrets.TOK} ${workflow.input.prompt} $${x}";
  server.script(`${agent.name}_llm`, [calling(["look_up", { q: trick }]), says("done")]);
  const run = await server.run(agent);
  const call = run.tasks.find(({ taskType }) => taskType === "look_up");
  expect(call?.inputData["q"]).toBe(trick);
  expect(call?.outputData["result"]).toBe(`found ${trick}`);
});

test("maxTurns ends a model that never stops, and its last calls are the answer", async () => {
  const agent = anAgent({ tools: [aTool("look_up")], maxTurns: 3 });
  server.script(`${agent.name}_llm`, () => calling(["look_up", { q: "again" }]));
  const run = await server.run(agent);
  expect(tasksOf(run, `${agent.name}_llm`)).toHaveLength(3);
  expect(JSON.parse(String(run.output["result"]))).toEqual([
    { name: "look_up", inputs: { q: "again", method: "look_up" } },
  ]);
});

test("maxCalls refuses what is above it, within a turn and over turns", async () => {
  const agent = anAgent({ tools: [aTool("look_up", { maxCalls: 2 })] });
  server.script(`${agent.name}_llm`, [
    calling(["look_up", { q: "1" }]),
    calling(["look_up", { q: "2" }], ["look_up", { q: "3" }]),
    says("enough"),
  ]);
  const run = await server.run(agent);
  expect(run.tasks.filter(({ taskType }) => taskType === "look_up")).toHaveLength(2);
  const refused = run.tasks.filter(
    ({ taskType, referenceTaskName }) => taskType === "INLINE" && referenceTaskName.startsWith("call_"),
  );
  expect(refused.map(({ outputData }) => outputData["result"])).toEqual([
    { result: "Tool 'look_up' reached its maximum of 2 calls", is_error: true },
  ]);
});

test("a required tool that was not called sends the model back, with a word about it", async () => {
  const agent = anAgent({ tools: [aTool("look_up"), aTool("remember")], requiredTools: ["look_up"] });
  const llm = `${agent.name}_llm`;
  server.script(llm, [says("I am done"), calling(["look_up", { q: "x" }]), says("really done")]);
  const run = await server.run(agent);
  expect([run.status, run.output["result"]]).toEqual(["COMPLETED", "really done"]);
  expect(heard(server.asked(llm)[1]).at(-1)).toContain(
    "You must call these tools before you give your final answer: look_up",
  );
});

test("a required tool that is never called is asked for three times at most", async () => {
  const agent = anAgent({ tools: [aTool("look_up")], requiredTools: ["look_up"] });
  server.script(`${agent.name}_llm`, () => says("no"));
  const run = await server.run(agent);
  expect([run.status, tasksOf(run, `${agent.name}_llm`).length]).toEqual(["COMPLETED", 3]);
});

test("a turn of a tool loop that was cut off is gone on with; an agent without tools says that it was cut off", async () => {
  const agent = anAgent({ tools: [aTool("look_up")] });
  server.script(`${agent.name}_llm`, [says("let me", "LENGTH"), calling(["look_up", { q: "x" }]), says("done")]);
  const run = await server.run(agent);
  expect([tasksOf(run, `${agent.name}_llm`).length, run.output["result"]]).toEqual([3, "done"]);
  const plain = anAgent();
  server.script(`${plain.name}_llm`, [says("the first half", "LENGTH"), says("the second")]);
  expect((await server.run(plain)).output).toMatchObject({ result: "the first half", finishReason: "LENGTH" });
});

test("prefilled tools run first and their results are in the prompt; memory is kept and trimmed", async () => {
  const agent = anAgent({
    tools: [aTool("look_up")],
    prefillTools: [
      { toolName: "look_up", arguments: { q: "one" } },
      { toolName: "look_up", arguments: { q: "two" } },
    ],
    memory: {
      messages: [
        { role: "system", message: "always polite" },
        { role: "user", message: "old" },
        { role: "user", message: "how much is ${PRICE}?" },
        { role: "assistant", message: "ten" },
      ],
      maxMessages: 3,
    },
  });
  server.script(`${agent.name}_llm`, [says("ok")]);
  await server.run(agent);
  const messages = heard(server.asked(`${agent.name}_llm`)[0]);
  expect(messages.slice(1, 4)).toEqual(["system: always polite", "user: how much is ${PRICE}?", "assistant: ten"]);
  expect(messages[4]).toContain('## look_up(q="one")\nfound one');
  expect(messages[4]).toContain('## look_up(q="two")\nfound two');
  expect(messages[5]).toBe("user: hello");
});

test("callbacks are told of every moment of a run", async () => {
  const agent = anAgent({ tools: [aTool("look_up")] });
  const positions = ["before_agent", "before_model", "after_model", "before_tool", "after_tool", "after_agent"];
  const told: string[] = [];
  for (const position of positions) {
    server.serve(`${agent.name}_${position}`, ({ callback_position: at }) => {
      told.push(String(at));
      return {};
    });
  }
  const callbacks = positions.map((position) => ({ position, taskName: `${agent.name}_${position}` }));
  server.script(`${agent.name}_llm`, [calling(["look_up", { q: "x" }]), says("done")]);
  const run = await server.run({ ...agent, callbacks });
  expect(run.status).toBe("COMPLETED");
  expect(told).toEqual([
    "before_agent",
    "before_model",
    "after_model",
    "before_tool",
    "after_tool",
    "before_model",
    "after_model",
    "after_agent",
  ]);
});

test("a worker writes the instructions of a run", async () => {
  const agent = anAgent();
  server.serve(`${agent.name}_instructions_of`, ({ prompt }) => ({ result: `Answer "${String(prompt)}" in rhyme.` }));
  server.script(`${agent.name}_llm`, [says("ok")]);
  await server.run({ ...agent, instructions: { _worker_ref: `${agent.name}_instructions_of` } });
  expect(heard(server.asked(`${agent.name}_llm`)[0])[0]).toBe('system: Answer "hello" in rhyme.');
});

test("a signal reaches the next turn, and a requested stop ends the run after the current one", async () => {
  const agent = anAgent({ tools: [aTool("slow")] });
  const llm = `${agent.name}_llm`;
  server.script(llm, () => calling(["slow", { q: "x" }]));
  const id = await server.start(agent);
  const first = await server.client.take("slow");
  await server.client.post(`/workflow/${id}/variables`, { _signal_injection: "hurry up" });
  await server.client.complete(first, { result: "1" });
  const second = await server.client.take("slow");
  expect(heard(server.asked(llm)[1]).at(-1)).toBe("user: [SIGNALS]\nhurry up\n[/SIGNALS]\n\nhello");
  await server.client.post(`/workflow/${id}/variables`, { _stop_requested: true });
  await server.client.complete(second, { result: "2" });
  const run = await server.ended(id);
  expect([run.status, tasksOf(run, llm).length]).toEqual(["COMPLETED", 2]);
});

test("an agent that is a tool gets the request, the session and nothing else, and its answer is the result", async () => {
  const child = anAgent();
  await server.client.register(JSON.parse(JSON.stringify(compile(child).workflowDef)));
  const agent = anAgent({
    tools: [aTool("ask_child", { toolType: "agent_tool", config: { workflowName: child.name, agentConfig: child } })],
  });
  server.script(`${child.name}_llm`, [says("42")]);
  server.script(`${agent.name}_llm`, [calling(["ask_child", { request: "the answer?" }]), says("it is 42")]);
  const run = await server.run(agent);
  const call = run.tasks.find(({ taskType }) => taskType === "SUB_WORKFLOW");
  const inner = await server.client.execution(String(call?.subWorkflowId));
  expect(inner.input).toMatchObject({ prompt: "the answer?", session_id: "session-1" });
  expect([call?.outputData["result"], run.output["result"]]).toEqual(["42", "it is 42"]);
});

test("a question to a person waits for the answer", async () => {
  const agent = anAgent({ tools: [aTool("ask", { toolType: "human" })] });
  server.script(`${agent.name}_llm`, [calling(["ask", { q: "which one?" }]), says("the red one then")]);
  const id = await server.start(agent);
  const asked = await server.question(id);
  expect(asked.referenceTaskName).toMatch(/^call_/);
  expect(asked.inputData).toMatchObject({
    q: "which one?",
    response_schema: { properties: { response: { type: "string" } } },
  });
  await server.client.complete(asked, { response: "red" });
  expect((await server.ended(id)).output["result"]).toBe("the red one then");
});

test("a media tool is called with its settings under the model's arguments", async () => {
  const agent = anAgent({
    tools: [
      aTool("draw", {
        toolType: "generate_image",
        config: { taskType: "GENERATE_IMAGE", llmProvider: "openai", model: "dall-e-3", width: 100 },
      }),
    ],
  });
  const call = calling(["draw", { prompt: "a cat", width: 200 }]);
  const [{ taskReferenceName: ref }] = call["toolCalls"] as [{ taskReferenceName: string }];
  server.script(`${ref}_0`, [{ media: [] }]);
  server.script(`${agent.name}_llm`, [call, says("drawn")]);
  await server.run(agent);
  expect(server.asked(`${ref}_0`)).toMatchObject([
    { llmProvider: "openai", model: "dall-e-3", prompt: "a cat", width: 200 },
  ]);
});

test("names with hyphens work everywhere", async () => {
  const name = `my-agent-${anAgent().name}`;
  server.serve(`${name}_termination`, () => ({ should_continue: true }));
  server.script(`${name.replaceAll("-", "_")}_llm`, [calling(["look_up", { q: "x" }]), says("done")]);
  const run = await server.run({
    ...anAgent({ tools: [aTool("look_up")], termination: { type: "max_message", maxMessages: 9 } }),
    name,
  });
  expect([run.status, run.output["result"]]).toEqual(["COMPLETED", "done"]);
});
