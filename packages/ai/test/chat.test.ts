import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AiServer, runTask, startAiServer } from "./support/ai-server.ts";
import type { Answer } from "./support/local-provider.ts";
import { anthropicMessage, geminiContent, openaiCalls, openaiResponse } from "./support/replies.ts";

type Json = Record<string, unknown>;

let server: AiServer;
beforeAll(async () => {
  server = await startAiServer({
    settings: { "service.ai.max-retries": "0" },
    env: { SERVICE_SECRET_PIN: "4711" },
  });
});
afterAll(() => server.close());

const gpt = { llmProvider: "openai", model: "gpt-4o-mini" };
const hello = { messages: [{ role: "user", message: "Hello" }] };

/** Runs one chat task against the given answers, the last of which is given for ever; with what was sent. */
async function chat(input: Json, answers: readonly Answer[] = [openaiResponse("Hi")], more: Json = {}) {
  let at = 0;
  server.provider.answer(() => answers[Math.min(at++, answers.length - 1)] ?? {});
  const before = server.provider.requests.length;
  const result = await runTask(server, "LLM_CHAT_COMPLETE", { ...gpt, ...input }, more);
  return { ...result, requests: server.provider.requests.slice(before) };
}

const userText = (text: string) => ({ role: "user", content: [{ type: "input_text", text }] });

describe("the conversation", () => {
  test("instructions come first, blank messages are dropped, userInput is used when there are no messages", async () => {
    const first = await chat({
      instructions: "Be kind.",
      messages: [
        { role: "system", message: " " },
        { role: "user", message: "One" },
        { role: "assistant", message: "" },
        { role: "user", message: "Two" },
      ],
    });
    expect(first.requests[0]?.body["input"]).toEqual([
      { role: "system", content: "Be kind." },
      userText("One"),
      userText("Two"),
    ]);
    const second = await chat({ prompt: "Be kind.", userInput: "One" });
    expect(second.requests[0]?.body["input"]).toEqual([{ role: "system", content: "Be kind." }, userText("One")]);
  });

  test("an assistant's last word is followed by a request to go on", async () => {
    const { requests, task } = await chat({
      messages: [
        { role: "user", message: "Count" },
        { role: "assistant", message: "One, two" },
      ],
    });
    expect(requests[0]?.body["input"]).toEqual([
      userText("Count"),
      { role: "assistant", content: "One, two" },
      userText("Please continue where you left off."),
    ]);
    expect(task.inputData["messages"]).toHaveLength(3);
  });

  test("a message that is an object reads as the interface writes objects", async () => {
    const { requests } = await chat({ messages: [{ role: "user", message: { a: 1, b: ["x", null] } }] });
    expect(requests[0]?.body["input"]).toEqual([userText("{a=1, b=[x, null]}")]);
  });

  test("a message without text fails the task with the interface's words", async () => {
    const { task } = await chat({ messages: [{ role: "user", content: "Hello" }] }, [], { retryCount: 0 });
    expect([task.status, task.reasonForIncompletion]).toEqual([
      "FAILED",
      "Task execution failed: Content must not be null for SYSTEM or USER messages",
    ]);
  });

  test("nothing to answer ends the workflow", async () => {
    const { execution, task } = await chat({ messages: [{ role: "user", message: "" }] });
    expect(execution.status).toBe("FAILED");
    expect(task.reasonForIncompletion).toMatch(/^No non-empty user prompt or media was available for the LLM call\./);
  });

  test("a role nobody knows ends the workflow", async () => {
    const { task } = await chat({ messages: [{ role: "USER", message: "Hello" }] });
    expect(task.status).toBe("FAILED_WITH_TERMINAL_ERROR");
    expect(task.reasonForIncompletion).toMatch(/^Error preparing chat completion task input: .*"USER"/);
  });

  test("prompt variables are filled in where they have a value", async () => {
    server.provider.answer(() => openaiResponse("Hi"));
    // Expressions of the definition are resolved before: what is left to fill comes in through them.
    await runTask(
      server,
      "LLM_CHAT_COMPLETE",
      {
        ...gpt,
        instructions: "${workflow.input.instructions}",
        messages: [{ role: "user", message: "${workflow.input.question}" }],
        promptVariables: { "persona.name": "Ada", age: 36, data: { a: 1 } },
      },
      {},
      { instructions: "You are ${persona.name}, ${age} and ${missing}.", question: "Data: ${data}" },
    );
    expect(server.provider.requests.at(-1)?.body["input"]).toEqual([
      { role: "system", content: "You are Ada, 36 and ${missing}." },
      userText('Data: {"a":1}'),
    ]);
  });

  test("a secret in a message is sent, and never stored", async () => {
    const { requests, execution } = await chat({
      messages: [
        { role: "user", message: "The pin is ${workflow.secrets.PIN}" },
        { role: "assistant", message: "I see" },
      ],
    });
    expect(requests[0]?.body["input"]).toContainEqual(userText("The pin is 4711"));
    expect(JSON.stringify(execution)).not.toContain("4711");
  });

  test("pictures are sent as bytes, whichever way they come", async () => {
    const { requests } = await chat({
      messages: [
        { role: "user", message: "Look", media: ["data:image/png;base64,iVBORw0="] },
        { role: "user", media: ["iVBORw0="], mimeType: "image/jpeg" },
      ],
    });
    expect(requests[0]?.body["input"]).toEqual([
      {
        role: "user",
        content: [
          { type: "input_text", text: "Look" },
          { type: "input_image", image_url: "data:image/png;base64,iVBORw0=" },
        ],
      },
      { role: "user", content: [{ type: "input_image", image_url: "data:image/jpeg;base64,iVBORw0=" }] },
    ]);
  });

  test("media of this machine are refused", async () => {
    const files = await chat({ messages: [{ role: "user", media: ["/etc/passwd.txt"] }] });
    expect(files.task.reasonForIncompletion).toContain("Access denied: path is not under any allowed directory");
    const web = await chat({ messages: [{ role: "user", media: [`${server.provider.url}/a.png`] }] }, [], {
      retryCount: 0,
    });
    expect(web.task.reasonForIncompletion).toContain("Access denied: loopback address is blocked");
    expect(web.requests).toEqual([]);
  });

  test("a temperature that the model does not take is left out the second time", async () => {
    const refusal: Answer = { status: 400, json: { error: { message: "Unsupported parameter: temperature" } } };
    const { requests, task } = await chat({ ...hello, temperature: 0 }, [refusal, openaiResponse("Hi")]);
    expect(requests.map(({ body }) => body["temperature"])).toEqual([0, undefined]);
    expect(task.retryCount).toBe(0);
    expect(task.outputData["result"]).toBe("Hi");
  });
});

describe("structured output", () => {
  test("a reply that is an object is parsed, unless that is not wanted", async () => {
    const reply = [openaiResponse(' {"method": "add", "arguments": {"a": 1}} ')];
    expect((await chat(hello, reply)).task.outputData["result"]).toEqual({ method: "add", arguments: { a: 1 } });
    expect((await chat({ ...hello, jsonOutput: false }, reply)).task.outputData["result"]).toContain('{"method"');
    expect((await chat(hello, [openaiResponse("[1]")])).task.outputData["result"]).toBe("[1]");
  });

  test("jsonOutput asks for JSON, says the word, and fails when it gets something else", async () => {
    const good = await chat({ ...hello, jsonOutput: true }, [openaiResponse('{"a":1}')]);
    expect(good.requests[0]?.body["text"]).toEqual({ format: { type: "json_object" } });
    expect(good.requests[0]?.body["input"]).toContainEqual(
      userText("Formatting instruction: return the response as json."),
    );
    expect(good.task.outputData["result"]).toEqual({ a: 1 });
    const fenced = await chat({ ...hello, jsonOutput: true }, [openaiResponse('```json\n{"a":1}\n```')], {
      retryCount: 0,
    });
    expect(fenced.task.status).toBe("FAILED");
    const reason = fenced.task.reasonForIncompletion?.replace("Task execution failed: ", "") ?? "";
    expect(JSON.parse(reason)).toEqual({ error: expect.any(String), response: '```json\n{"a":1}\n```' });
  });

  test("a reply that breaks the outputSchema is asked for again at once, three times by default", async () => {
    const outputSchema = { type: "object", properties: { a: { type: "number" } }, required: ["a"] };
    const bad = openaiResponse('{"b":1}');
    const good = await chat({ ...hello, jsonOutput: true, outputSchema }, [bad, bad, openaiResponse('{"a":1}')]);
    expect(good.execution.status).toBe("COMPLETED");
    expect(good.execution.tasks.map(({ status }) => status)).toEqual(["FAILED", "FAILED", "COMPLETED"]);
    expect(good.execution.tasks[0]?.reasonForIncompletion).toBe(
      "Task execution failed: Output does not confirm to the schema.  errors: Schema validation failed value must have required property 'a'",
    );
    const wrapped = { name: "s", version: 1, type: "JSON", data: outputSchema };
    const never = await chat({ ...hello, outputSchema: wrapped }, [bad]);
    expect(never.execution.status).toBe("FAILED");
    expect(never.requests).toHaveLength(4);
  });

  test("an input that breaks the inputSchema never reaches the model", async () => {
    const inputSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const { task, requests } = await chat({ ...hello, inputSchema, promptVariables: { town: "Bergen" } });
    expect(task.status).toBe("FAILED_WITH_TERMINAL_ERROR");
    expect(task.reasonForIncompletion).toContain("must have required property 'city'");
    expect(requests).toEqual([]);
  });
});

describe("tools", () => {
  const inputSchema = { type: "object", properties: { location: { type: "string" } }, required: ["location"] };
  const tools = [{ name: "get_weather", type: "HTTP", inputSchema }];

  test("calls come back as tasks take them", async () => {
    const { task } = await chat({ ...hello, tools }, [
      openaiCalls(
        { id: "call_9f2", name: "get_weather", args: '{"location":"Bergen","when":"{\\"day\\":1}"}' },
        { id: "call_9f3", name: "other", args: "no JSON" },
      ),
    ]);
    expect(task.outputData).toEqual({
      result: [],
      media: [],
      finishReason: "TOOL_CALLS",
      tokenUsed: 18,
      promptTokens: 11,
      completionTokens: 7,
      responseId: "resp_1",
      toolCalls: [
        {
          taskReferenceName: "call_9f2",
          name: "get_weather",
          type: "HTTP",
          inputParameters: { location: "Bergen", when: { day: 1 }, method: "get_weather" },
          integrationNames: {},
        },
        {
          taskReferenceName: "call_9f3",
          name: "other",
          type: "SIMPLE",
          inputParameters: { method: "other" },
          integrationNames: {},
        },
      ],
    });
  });

  test("arguments that do not fit the tool's schema fail the task, which is tried again", async () => {
    const bad = openaiCalls({ id: "c", name: "get_weather", args: "{}" });
    const { task } = await chat({ ...hello, tools }, [bad], { retryCount: 0 });
    expect([task.status, task.reasonForIncompletion]).toEqual([
      "FAILED",
      "Task execution failed: Arguments for tool \"get_weather\" do not fit its inputSchema: value must have required property 'location'",
    ]);
  });

  test("a text that only looks like JSON stays a text where the schema wants one", async () => {
    const call = openaiCalls({ id: "c", name: "get_weather", args: '{"location":"[Bergen]"}' });
    const { task } = await chat({ ...hello, tools }, [call]);
    expect(task.outputData["toolCalls"]).toMatchObject([{ inputParameters: { location: "[Bergen]" } }]);
  });

  test("parallel calls of Gemini get ids of their own", async () => {
    const part = { functionCall: { name: "get_weather", args: { location: "Bergen" } } };
    const { task } = await chat({ llmProvider: "gemini", model: "gemini-2.5-flash", ...hello, tools }, [
      geminiContent("", [part, part]),
    ]);
    const [one, other] = task.outputData["toolCalls"] as { taskReferenceName: string }[];
    expect(one?.taskReferenceName).not.toBe(other?.taskReferenceName);
  });
});

describe("why it stopped, and what it thought", () => {
  test("finish reasons are the interface's words", async () => {
    const cut = openaiResponse("Hi", { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
    expect((await chat(hello, [cut])).task.outputData["finishReason"]).toBe("LENGTH");
    const claude = { llmProvider: "anthropic", model: "claude-3-5-sonnet-20241022", ...hello };
    for (const [said, word] of [
      ["stop_sequence", "STOP_SEQUENCE"],
      ["max_tokens", "LENGTH"],
      ["refusal", "CONTENT_FILTER"],
      ["end_turn", "STOP"],
    ]) {
      const { task } = await chat({ ...claude, stopWords: ["END"] }, [anthropicMessage("Hi", { stop_reason: said })]);
      expect(task.outputData["finishReason"]).toBe(word);
    }
    expect(server.provider.requests.at(-1)?.body["stop_sequences"]).toEqual(["END"]);
  });

  test("reasoning of OpenAI", async () => {
    const summary = {
      type: "reasoning",
      id: "rs_1",
      summary: [
        { type: "summary_text", text: "First." },
        { type: "summary_text", text: "Then." },
      ],
    };
    const message = {
      type: "message",
      id: "m",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "42", annotations: [] }],
    };
    const usage = { input_tokens: 5, output_tokens: 30, output_tokens_details: { reasoning_tokens: 20 } };
    const { task, requests } = await chat(
      { model: "o3", ...hello, reasoningEffort: "high", reasoningSummary: "auto", temperature: 0.4 },
      [openaiResponse("", { output: [summary, message], usage })],
    );
    expect(requests[0]?.body["reasoning"]).toEqual({ effort: "high", summary: "auto" });
    expect(requests[0]?.body["temperature"]).toBeUndefined();
    expect(task.outputData).toMatchObject({
      result: "42",
      reasoning: "First.\n\nThen.",
      reasoningTokens: 20,
      tokenUsed: 35,
    });
  });

  test("tokens of the provider's cache are told, of those of the prompt", async () => {
    const usage = { input_tokens: 50, input_tokens_details: { cached_tokens: 40 }, output_tokens: 7 };
    const gptTask = (await chat(hello, [openaiResponse("Hi", { usage })])).task;
    expect(gptTask.outputData).toMatchObject({ promptTokens: 50, completionTokens: 7, cacheReadTokens: 40 });
    const claudeUsage = {
      input_tokens: 5,
      cache_read_input_tokens: 30,
      cache_creation_input_tokens: 15,
      output_tokens: 7,
    };
    const claude = { llmProvider: "anthropic", model: "claude-sonnet-4-20250514", ...hello };
    const claudeTask = (await chat(claude, [anthropicMessage("Hi", { usage: claudeUsage })])).task;
    expect(claudeTask.outputData).toMatchObject({
      promptTokens: 50,
      completionTokens: 7,
      cacheReadTokens: 30,
      cacheWriteTokens: 15,
    });
  });

  test("reasoning of Claude: a budget, or an effort for models that think by themselves", async () => {
    const content = [
      { type: "thinking", thinking: "Hm.", signature: "s" },
      { type: "text", text: "42" },
    ];
    const budget = {
      llmProvider: "anthropic",
      model: "claude-sonnet-4-20250514",
      ...hello,
      thinkingTokenLimit: 2000,
      maxTokens: 5000,
    };
    const silent = await chat(budget, [anthropicMessage("", { content })]);
    expect(silent.requests[0]?.body).toMatchObject({
      thinking: { type: "enabled", budget_tokens: 2000 },
      max_tokens: 5000,
    });
    expect(silent.task.outputData["reasoning"]).toBeUndefined();
    const opus = await chat(
      { ...budget, model: "claude-opus-4-6", thinkingTokenLimit: 10_000, maxTokens: 20_000, reasoningSummary: "auto" },
      [anthropicMessage("", { content })],
    );
    expect(opus.requests[0]?.body).toMatchObject({
      thinking: { type: "adaptive" },
      output_config: { effort: "medium" },
    });
    expect(opus.task.outputData["reasoning"]).toBe("Hm.");
  });

  test("what a provider would not take is left out, and the task's log says so", async () => {
    const linesOf = async (taskId: string) =>
      ((await server.client.get(`/tasks/${taskId}/log`)).json as { log: string }[] | undefined)?.map(
        ({ log }) => log,
      ) ?? [];
    const plain = await chat(hello);
    expect(await linesOf(plain.task.taskId)).toEqual([]);
    const openai = await chat({ ...hello, stopWords: ["END"], topK: 3 });
    expect(openai.requests[0]?.body).not.toHaveProperty("stop");
    expect(await linesOf(openai.task.taskId)).toEqual([
      "Not sent to the model: topK",
      "Not sent to the model: stopSequences",
    ]);
    const tools = [{ name: "get_weather", inputSchema: { type: "object" } }];
    const gemini = await chat({ llmProvider: "gemini", model: "gemini-2.5-flash", ...hello, tools, webSearch: true }, [
      geminiContent("Hi"),
    ]);
    expect(await linesOf(gemini.task.taskId)).toEqual([
      "Not sent to the model: combination of function and provider-defined tools",
    ]);
  });

  test("tools that Anthropic and OpenAI run themselves", async () => {
    const claude = await chat(
      { llmProvider: "anthropic", model: "claude-sonnet-4-20250514", ...hello, webSearch: true, codeInterpreter: true },
      [anthropicMessage("Hi")],
    );
    expect(claude.requests[0]?.body["tools"]).toEqual([
      { type: "web_search_20250305", name: "web_search" },
      { type: "code_execution_20250825", name: "code_execution" },
    ]);
    expect(claude.requests[0]?.headers["anthropic-beta"]).toContain("code-execution-2025-08-25");
    const files = await chat({ ...hello, fileSearchVectorStoreIds: ["vs_1"] });
    expect(files.requests[0]?.body["tools"]).toEqual([{ type: "file_search", vector_store_ids: ["vs_1"] }]);
    const gemini = await chat(
      { llmProvider: "gemini", ...hello, model: "gemini-2.5-flash", googleSearchRetrieval: true },
      [geminiContent("Hi")],
    );
    expect(gemini.requests[0]?.body["tools"]).toEqual([{ googleSearch: {} }]);
  });
});

test("LLM_TEXT_COMPLETE runs its prompt as the system's text", async () => {
  server.provider.answer(() => openaiResponse("A tide."));
  const input = { ...gpt, prompt: "${workflow.input.prompt}", promptVariables: { what: "tide" }, topP: 0.5 };
  const { task } = await runTask(server, "LLM_TEXT_COMPLETE", input, {}, { prompt: "Say ${what}" });
  expect(server.provider.requests.at(-1)?.body).toEqual({
    model: "gpt-4o-mini",
    input: [{ role: "system", content: "Say tide" }, userText("use the instructions given to generate the response.")],
    top_p: 0.5,
    max_output_tokens: 8192,
  });
  expect(task.outputData).toMatchObject({ result: "A tide.", tokenUsed: 18 });
});
