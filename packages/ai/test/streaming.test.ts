import { afterAll, beforeAll, expect, test } from "vitest";
import { type AiServer, oneTask, runTask, startAiServer } from "./support/ai-server.ts";
import { openaiResponse } from "./support/replies.ts";

let server: AiServer;
beforeAll(async () => {
  server = await startAiServer();
});
afterAll(() => server.close());

const input = { llmProvider: "openai", model: "gpt-4o-mini", messages: [{ role: "user", message: "Hello" }] };

const event = (type: string, data: Record<string, unknown>): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

const item = { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] };
const usage = {
  input_tokens: 11,
  output_tokens: 7,
  total_tokens: 18,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 },
};
const events = [
  event("response.created", { response: { id: "resp_1", created_at: 1, model: "gpt-4o-mini" } }),
  event("response.output_item.added", { output_index: 0, item }),
  event("response.output_text.delta", { item_id: "msg_1", output_index: 0, content_index: 0, delta: "Hel" }),
  event("response.output_text.delta", { item_id: "msg_1", output_index: 0, content_index: 0, delta: "lo!" }),
  event("response.output_item.done", {
    output_index: 0,
    item: { ...item, status: "completed", content: [{ type: "output_text", text: "Hello!", annotations: [] }] },
  }),
  event("response.completed", { response: { id: "resp_1", incomplete_details: null, usage } }),
];

/** Reads server-sent events until one says that it is over. */
async function readUntil(url: string, isOver: (text: string) => boolean, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { signal });
  let text = "";
  if (response.body === null) throw new Error("Expected a stream, got none");
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (isOver(text)) break;
  }
  return text;
}

test("whoever watches hears the tokens; the stored result is the same", async () => {
  server.provider.answer(({ body }) => (body["stream"] === true ? { events } : openaiResponse("Hello!")));
  const def = oneTask("LLM_CHAT_COMPLETE", input);
  const wait = { name: "wait", taskReferenceName: "wait", type: "HUMAN" };
  await server.client.register({ ...def, tasks: [wait, ...(def["tasks"] as unknown[])] });
  const quiet = await server.client.start("one_llm_chat_complete");
  const watched = await server.client.start("one_llm_chat_complete");
  const signal = AbortSignal.timeout(10_000);
  const told = readUntil(
    `${server.client.base}/workflow/${watched}/stream`,
    (text) =>
      text.includes('"status":"COMPLETED","correlation') || /event: workflow\n.*\n.*"status":"COMPLETED"/.test(text),
    signal,
  );
  await server.client.until(watched, ({ tasks }) => tasks.length > 0);
  for (const id of [quiet, watched]) await server.client.post(`/tasks/${id}/wait/COMPLETED`, {});
  const [one, other] = [await server.client.ended(quiet), await server.client.ended(watched)];
  const text = await told;
  const tokens = [...text.matchAll(/event: token\ndata: (.*)\n/g)].map(
    ([, data = ""]) => JSON.parse(data) as Record<string, unknown>,
  );
  expect(tokens).toEqual(
    ["Hel", "lo!"].map((delta) => ({
      workflowId: watched,
      taskId: other.tasks[1]?.taskId,
      referenceTaskName: "task",
      kind: "text",
      delta,
    })),
  );
  expect(other.tasks[1]?.outputData).toEqual(one.tasks[1]?.outputData);
  expect(server.provider.requests.map(({ body }) => body["stream"])).toEqual([undefined, true]);
});

test("a reply that comes in pieces is put together, tool calls and all", async () => {
  const always = await startAiServer({ settings: { "service.ai.streaming": "always" } });
  try {
    const line = (message: unknown, more: Record<string, unknown> = {}) =>
      `${JSON.stringify({ model: "m", message, done: false, ...more })}\n`;
    always.provider.answer(() => ({
      events: [
        line({ role: "assistant", content: "", thinking: "Hm, " }),
        line({ role: "assistant", content: "", thinking: "yes." }),
        // A line may come in two parts.
        line({ role: "assistant", content: "Let me " }).slice(0, 20),
        line({ role: "assistant", content: "Let me " }).slice(20),
        line({ role: "assistant", content: "look." }),
        line({
          role: "assistant",
          content: "",
          tool_calls: [{ function: { name: "look", arguments: { where: "here" } } }],
        }),
        line(
          { role: "assistant", content: "" },
          { done: true, done_reason: "stop", prompt_eval_count: 3, eval_count: 4 },
        ),
      ],
    }));
    const asked = { ...input, llmProvider: "ollama", reasoningSummary: "auto", tools: [{ name: "look" }] };
    const { task } = await runTask(always, "LLM_CHAT_COMPLETE", asked);
    expect(task.outputData).toEqual({
      result: [],
      media: [],
      finishReason: "TOOL_CALLS",
      tokenUsed: 7,
      promptTokens: 3,
      completionTokens: 4,
      reasoning: "Hm, yes.",
      toolCalls: [
        {
          taskReferenceName: expect.any(String),
          name: "look",
          type: "SIMPLE",
          inputParameters: { where: "here", method: "look" },
          integrationNames: {},
        },
      ],
    });
    always.provider.answer(() => ({ events: [line({ role: "assistant", content: "Half a" })] }));
    const cut = await runTask(always, "LLM_CHAT_COMPLETE", { ...input, llmProvider: "ollama" }, { retryCount: 0 });
    expect([cut.task.status, cut.task.reasonForIncompletion]).toEqual([
      "FAILED",
      "Task execution failed: Ollama API call failed: The stream of the reply ended before the reply did",
    ]);
  } finally {
    await always.close();
  }
});

test("whoever watches a run may want to hear the runs inside it from their beginning", async () => {
  server.provider.answer(({ body }) => (body["stream"] === true ? { events } : openaiResponse("Hello!")));
  const inner = { ...oneTask("LLM_CHAT_COMPLETE", input), name: "inner_chat" };
  await server.client.register(inner);
  const wait = { name: "wait", taskReferenceName: "wait", type: "HUMAN" };
  const sub = { name: "sub", taskReferenceName: "sub", type: "SUB_WORKFLOW", subWorkflowParam: { name: "inner_chat" } };
  await server.client.register({ ...inner, name: "outer_chat", tasks: [wait, sub] });
  const [quiet, watched] = [await server.client.start("outer_chat"), await server.client.start("outer_chat")];
  const watching = new AbortController();
  const stream = await fetch(`${server.client.base}/workflow/${watched}/stream`, { signal: watching.signal });
  expect(stream.status).toBe(200);
  const before = server.provider.requests.length;
  for (const id of [quiet, watched]) {
    await server.client.post(`/tasks/${id}/wait/COMPLETED`, {});
    await server.client.ended(id);
  }
  watching.abort();
  expect(server.provider.requests.slice(before).map(({ body }) => body["stream"])).toEqual([undefined, true]);
});
