import { afterAll, beforeAll, expect, test } from "vitest";
import { type AiServer, startAiServer } from "./support/ai-server.ts";
import { anthropicMessage, geminiContent, openaiCalls, openaiResponse } from "./support/replies.ts";

type Json = Record<string, unknown>;

let server: AiServer;
beforeAll(async () => {
  server = await startAiServer({ settings: { "service.ai.max-retries": "0" } });
});
afterAll(() => server.close());

const userText = (text: string) => ({ role: "user", content: [{ type: "input_text", text }] });

/** A loop of so many turns over a chat task and what comes after it. */
const loopOf = (name: string, turns: number, input: Json, ...after: readonly Json[]): Json => ({
  name,
  version: 1,
  ownerEmail: "test@example.com",
  tasks: [
    {
      name: "loop",
      taskReferenceName: "loop",
      type: "DO_WHILE",
      evaluatorType: "graaljs",
      loopCondition: `$.loop['iteration'] < ${turns}`,
      inputParameters: { loop: "${loop.output}" },
      loopOver: [
        {
          name: "llm",
          taskReferenceName: "llm",
          type: "LLM_CHAT_COMPLETE",
          inputParameters: {
            llmProvider: "openai",
            model: "gpt-4o",
            messages: [{ role: "user", message: "Begin" }],
            ...input,
          },
        },
        ...after,
      ],
    },
  ],
});

async function run(def: Json) {
  await server.client.register(def);
  const before = server.provider.requests.length;
  const execution = await server.client.ended(await server.client.start(String(def["name"])));
  return { execution, bodies: server.provider.requests.slice(before).map(({ body }) => body) };
}

test("a later turn of a loop sees what was said in the earlier ones", async () => {
  let turn = 0;
  server.provider.answer(() => openaiResponse(`turn ${++turn}`));
  const { execution, bodies } = await run(loopOf("loop_says", 3, {}));
  expect(execution.status).toBe("COMPLETED");
  expect(bodies[2]?.["input"]).toEqual([
    userText("Begin"),
    { role: "assistant", content: "turn 1" },
    { role: "assistant", content: "turn 2" },
    userText("Please continue where you left off."),
  ]);
  const last = execution.tasks.filter(({ taskType }) => taskType === "LLM_CHAT_COMPLETE").at(-1);
  expect(last?.inputData["messages"]).toEqual([
    { role: "user", message: "Begin" },
    { role: "assistant", message: "turn 1" },
    { role: "assistant", message: "turn 2" },
    { role: "user", message: "Please continue where you left off." },
  ]);
});

test("tools that were called come back with what they gave", async () => {
  let turn = 0;
  server.provider.answer(() =>
    ++turn === 1 ? openaiCalls({ id: "call_1", name: "lookup", args: '{"key":"a"}' }) : openaiResponse("done"),
  );
  const tool = {
    name: "lookup",
    taskReferenceName: "call_1",
    type: "JSON_JQ_TRANSFORM",
    inputParameters: { queryExpression: '{found: "b"}' },
  };
  const { execution, bodies } = await run(loopOf("loop_calls", 2, { tools: [{ name: "lookup" }] }, tool));
  expect(execution.status).toBe("COMPLETED");
  expect(bodies[1]?.["input"]).toEqual([
    userText("Begin"),
    { type: "function_call", call_id: "call_1", name: "lookup", arguments: '{"key":"a"}' },
    { type: "function_call_output", call_id: "call_1", output: '{"found":"b"}' },
  ]);
});

test("a turn that was cut off is shown to go on from, and long conversations are condensed", async () => {
  let turn = 0;
  server.provider.answer(() => {
    turn += 1;
    const cut = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
    return openaiResponse(`words of turn ${turn} `.repeat(20), turn === 8 ? cut : {});
  });
  const { execution, bodies } = await run(loopOf("loop_cut", 9, {}));
  expect(execution.status).toBe("COMPLETED");
  const last = execution.tasks.filter(({ taskType }) => taskType === "LLM_CHAT_COMPLETE").at(-1);
  expect(last?.inputData["_condensation"]).toEqual({
    trigger: "token limit hit",
    messagesBefore: 9,
    messagesAfter: 7,
    exchangesCondensed: 3,
  });
  const input = bodies[8]?.["input"] as { role: string; content: unknown }[];
  expect(input[0]).toEqual(userText("Begin"));
  expect(input[1]?.content).toMatch(/^\[Earlier conversation condensed\]\n- assistant: words of turn 1/);
  expect(JSON.stringify(input.at(-1))).toContain("You were saying:\\n\\nwords of turn 8");
});

test("previousResponseId and Claude leave the assistant's own words out", async () => {
  let turn = 0;
  server.provider.answer(({ path }) =>
    path === "/v1/messages" ? anthropicMessage("hm") : openaiResponse(`t${++turn}`),
  );
  const chained = await run(loopOf("loop_chained", 2, { previousResponseId: "resp_0" }));
  expect(chained.bodies[1]).toMatchObject({ previous_response_id: "resp_0", input: [userText("Begin")] });
  const claude = await run(loopOf("loop_claude", 2, { llmProvider: "anthropic", model: "claude-sonnet-4-20250514" }));
  expect(claude.bodies[1]?.["messages"]).toEqual([{ role: "user", content: [{ type: "text", text: "Begin" }] }]);
});

test("tasks named as participants speak in their roles", async () => {
  server.provider.answer(() => openaiResponse("Hi"));
  const chat = (ref: string, more: Json) => ({
    name: ref,
    taskReferenceName: ref,
    type: "LLM_CHAT_COMPLETE",
    inputParameters: { llmProvider: "openai", model: "gpt-4o", messages: [{ role: "user", message: ref }], ...more },
  });
  const { bodies } = await run({
    name: "participants",
    version: 1,
    ownerEmail: "test@example.com",
    tasks: [
      chat("one", {}),
      chat("two", { participants: { one: "user" } }),
      chat("three", { participants: ["one"] }),
      {
        name: "call",
        taskReferenceName: "http",
        type: "HTTP",
        inputParameters: { http_request: { uri: `${server.provider.url}/tool`, method: "GET" } },
      },
      chat("four", { participants: { http: "tool" } }),
    ],
  });
  const four = bodies.at(-1)?.["input"] as { type: string; name: string; output: string }[];
  expect(four.slice(1).map(({ type, name }) => [type, name])).toEqual([
    ["function_call", "call"],
    ["function_call_output", undefined],
  ]);
  expect(JSON.parse(four[2]?.output ?? "")).toMatchObject({ response: { statusCode: 200 } });
  expect(bodies[1]?.["input"]).toEqual([userText("two"), userText("Hi")]);
  expect(bodies[2]?.["input"]).toEqual([
    userText("three"),
    { role: "assistant", content: "Hi" },
    userText("Please continue where you left off."),
  ]);
});

test("Claude is shown its own signed thoughts with the calls they led to, and thinks on", async () => {
  let turn = 0;
  const content = [
    { type: "thinking", thinking: "I should look it up.", signature: "signed" },
    { type: "tool_use", id: "call_1", name: "lookup", input: { key: "a" } },
  ];
  server.provider.answer(() =>
    ++turn === 1 ? anthropicMessage("", { content, stop_reason: "tool_use" }) : anthropicMessage("done"),
  );
  const tool = {
    name: "lookup",
    taskReferenceName: "call_1",
    type: "JSON_JQ_TRANSFORM",
    inputParameters: { queryExpression: '{found: "b"}' },
  };
  const claude = {
    llmProvider: "anthropic",
    model: "claude-sonnet-4-20250514",
    thinkingTokenLimit: 2000,
    tools: [{ name: "lookup" }],
  };
  const { execution, bodies } = await run(loopOf("loop_thinks", 2, claude, tool));
  expect(execution.status).toBe("COMPLETED");
  expect(bodies[1]?.["thinking"]).toEqual({ type: "enabled", budget_tokens: 2000 });
  expect(bodies[1]?.["messages"]).toEqual([
    { role: "user", content: [{ type: "text", text: "Begin" }] },
    { role: "assistant", content },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: '{"found":"b"}' }] },
  ]);
});

test("Gemini is shown the signature of its call again", async () => {
  let turn = 0;
  const part = { functionCall: { name: "lookup", args: { key: "a" } }, thoughtSignature: "signed" };
  server.provider.answer(() => (++turn === 1 ? geminiContent("", [part]) : geminiContent("done")));
  const loop = loopOf("loop_signs", 2, {
    llmProvider: "gemini",
    model: "gemini-3-pro-preview",
    tools: [{ name: "lookup" }],
  });
  // The call's id is made up here, so its task is found through a dynamic fork, as an agent runs it.
  const [{ loopOver }] = loop["tasks"] as [{ loopOver: Json[] }];
  loopOver.push(
    {
      name: "calls",
      taskReferenceName: "calls",
      type: "JSON_JQ_TRANSFORM",
      inputParameters: {
        toolCalls: "${llm.output.toolCalls}",
        queryExpression:
          '(.toolCalls // []) as $c | {tasks: [$c[] | {name, taskReferenceName, type: "JSON_JQ_TRANSFORM"}], inputs: ([$c[] | {key: .taskReferenceName, value: {queryExpression: "{found: 1}"}}] | from_entries)}',
      },
    },
    {
      name: "fork",
      taskReferenceName: "fork",
      type: "FORK_JOIN_DYNAMIC",
      inputParameters: { tasks: "${calls.output.result.tasks}", inputs: "${calls.output.result.inputs}" },
      dynamicForkTasksParam: "tasks",
      dynamicForkTasksInputParamName: "inputs",
    },
    { name: "join", taskReferenceName: "join", type: "JOIN" },
  );
  const { execution, bodies } = await run(loop);
  expect(execution.status).toBe("COMPLETED");
  expect(bodies[1]?.["contents"]).toEqual([
    { role: "user", parts: [{ text: "Begin" }] },
    {
      role: "model",
      parts: [
        { functionCall: { id: expect.any(String), name: "lookup", args: { key: "a" } }, thoughtSignature: "signed" },
      ],
    },
    {
      role: "user",
      parts: [
        {
          functionResponse: {
            id: expect.any(String),
            name: "lookup",
            response: { name: "lookup", content: { found: 1 } },
          },
        },
      ],
    },
  ]);
});
