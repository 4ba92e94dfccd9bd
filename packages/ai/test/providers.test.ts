import type { MessageCreateParamsNonStreaming } from "@anthropic-ai/sdk/resources/messages";
import type { GenerateContentParameters } from "@google/genai";
import type { ChatRequest as OllamaRequest } from "ollama";
import type { ChatCompletionCreateParamsNonStreaming } from "openai/resources/chat/completions";
import type { ResponseCreateParamsNonStreaming } from "openai/resources/responses/responses";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AiServer, runTask, startAiServer } from "./support/ai-server.ts";
import type { Answer } from "./support/local-provider.ts";
import {
  anthropicMessage,
  bedrockConverse,
  chatCompletion,
  cohereChat,
  geminiContent,
  ollamaChat,
  openaiResponse,
} from "./support/replies.ts";

let server: AiServer;
beforeAll(async () => {
  server = await startAiServer({ settings: { "service.ai.max-retries": "0" } });
});
afterAll(() => server.close());

const tool = {
  name: "get_weather",
  description: "The weather of a place",
  inputSchema: { type: "object" as const, properties: { place: { type: "string" } }, required: ["place"] },
};

/** A conversation with everything in it: system, question, a finished tool call, and tools to call. */
const conversation = {
  messages: [
    { role: "system", message: "Be brief." },
    { role: "user", message: "Is it raining in Bergen?" },
    {
      role: "tool_call",
      toolCalls: [
        {
          taskReferenceName: "call_71",
          name: "get_weather",
          inputParameters: { place: "Bergen", method: "get_weather" },
        },
      ],
    },
    {
      role: "tool",
      toolCalls: [
        {
          taskReferenceName: "call_71",
          name: "get_weather",
          inputParameters: { place: "Bergen" },
          output: { rain: true },
        },
      ],
    },
  ],
  tools: [tool],
  temperature: 0.5,
  topP: 0.9,
  maxTokens: 100,
};

type Expected = {
  readonly provider: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly reply: (text: string) => Answer;
  readonly body: Record<string, unknown>;
};

const responsesBody = {
  model: "a-model",
  input: [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "input_text", text: "Is it raining in Bergen?" }] },
    { type: "function_call", call_id: "call_71", name: "get_weather", arguments: '{"place":"Bergen"}' },
    { type: "function_call_output", call_id: "call_71", output: '{"rain":true}' },
  ],
  tools: [
    {
      type: "function",
      name: "get_weather",
      description: "The weather of a place",
      parameters: tool.inputSchema,
      strict: false,
    },
  ],
  tool_choice: "auto",
  temperature: 0.5,
  top_p: 0.9,
  max_output_tokens: 100,
} satisfies ResponseCreateParamsNonStreaming;

const completionsBody = {
  model: "a-model",
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Is it raining in Bergen?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "call_71", type: "function", function: { name: "get_weather", arguments: '{"place":"Bergen"}' } },
      ],
    },
    { role: "tool", tool_call_id: "call_71", content: '{"rain":true}' },
  ],
  tools: [
    {
      type: "function",
      function: { name: "get_weather", description: "The weather of a place", parameters: tool.inputSchema },
    },
  ],
  tool_choice: "auto",
  temperature: 0.5,
  top_p: 0.9,
  max_tokens: 100,
} satisfies ChatCompletionCreateParamsNonStreaming;

const anthropicBody = {
  model: "a-model",
  max_tokens: 100,
  system: [{ type: "text", text: "Be brief." }],
  messages: [
    { role: "user", content: [{ type: "text", text: "Is it raining in Bergen?" }] },
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "call_71", name: "get_weather", input: { place: "Bergen" } }],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "call_71", content: '{"rain":true}' }] },
  ],
  tools: [{ name: "get_weather", description: "The weather of a place", input_schema: tool.inputSchema }],
  tool_choice: { type: "auto" },
} satisfies MessageCreateParamsNonStreaming;
// Older models take them; the types of the vendor's library describe the newest.
const anthropicSampling = { temperature: 0.5, top_p: 0.9 };

const geminiBody = {
  systemInstruction: { parts: [{ text: "Be brief." }] },
  contents: [
    { role: "user", parts: [{ text: "Is it raining in Bergen?" }] },
    { role: "model", parts: [{ functionCall: { id: "call_71", name: "get_weather", args: { place: "Bergen" } } }] },
    {
      role: "user",
      parts: [
        {
          functionResponse: {
            id: "call_71",
            name: "get_weather",
            response: { name: "get_weather", content: { rain: true } },
          },
        },
      ],
    },
  ],
  generationConfig: { maxOutputTokens: 100, temperature: 0.5, topP: 0.9 },
  tools: [
    {
      functionDeclarations: [
        { name: "get_weather", description: "The weather of a place", parametersJsonSchema: tool.inputSchema },
      ],
    },
  ],
  toolConfig: { functionCallingConfig: { mode: "AUTO" } },
} satisfies { contents: GenerateContentParameters["contents"] } & Record<string, unknown>;

const ollamaBody = {
  model: "a-model",
  stream: false,
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Is it raining in Bergen?" },
    {
      role: "assistant",
      content: "",
      tool_calls: [{ function: { name: "get_weather", arguments: { place: "Bergen" } } }],
    },
    { role: "tool", tool_name: "get_weather", content: '{"rain":true}' },
  ],
  tools: completionsBody.tools,
  options: { num_predict: 100, temperature: 0.5, top_p: 0.9 },
} satisfies OllamaRequest;

const bedrockBody = {
  system: [{ text: "Be brief." }],
  messages: [
    { role: "user", content: [{ text: "Is it raining in Bergen?" }] },
    {
      role: "assistant",
      content: [{ toolUse: { toolUseId: "call_71", name: "get_weather", input: { place: "Bergen" } } }],
    },
    { role: "user", content: [{ toolResult: { toolUseId: "call_71", content: [{ text: '{"rain":true}' }] } }] },
  ],
  inferenceConfig: { maxTokens: 100, temperature: 0.5, topP: 0.9 },
  toolConfig: {
    toolChoice: { auto: {} },
    tools: [
      {
        toolSpec: {
          name: "get_weather",
          description: "The weather of a place",
          inputSchema: { json: tool.inputSchema },
        },
      },
    ],
  },
};

const cohereBody = {
  model: "a-model",
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Is it raining in Bergen?" },
    {
      role: "assistant",
      tool_calls: [
        { id: "call_71", type: "function", function: { name: "get_weather", arguments: '{"place":"Bergen"}' } },
      ],
    },
    { role: "tool", tool_call_id: "call_71", content: '{"rain":true}' },
  ],
  tools: completionsBody.tools,
  max_tokens: 100,
  temperature: 0.5,
  p: 0.9,
};

const mistralBody = {
  model: "a-model",
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "Is it raining in Bergen?" }] },
    { ...completionsBody.messages[2], content: "" },
    { role: "tool", name: "get_weather", tool_call_id: "call_71", content: '{"rain":true}' },
  ],
  tools: completionsBody.tools,
  tool_choice: "auto",
  max_tokens: 100,
  temperature: 0.5,
  top_p: 0.9,
};

const bearer = (block: string) => ({ authorization: `Bearer key-${block}` });

const providers: readonly Expected[] = [
  {
    provider: "openai",
    path: "/v1/responses",
    headers: bearer("openai"),
    reply: openaiResponse,
    body: responsesBody,
  },
  {
    provider: "azure_openai",
    path: "/openai/v1/responses",
    headers: { "api-key": "key-azureopenai", authorization: undefined },
    reply: openaiResponse,
    body: responsesBody,
  },
  {
    provider: "huggingface",
    path: "/v1/responses",
    headers: bearer("huggingface"),
    reply: openaiResponse,
    body: responsesBody,
  },
  {
    provider: "anthropic",
    path: "/v1/messages",
    headers: { "x-api-key": "key-anthropic" },
    reply: anthropicMessage,
    body: { ...anthropicBody, ...anthropicSampling },
  },
  {
    provider: "vertex_ai",
    path: "/v1beta/models/a-model:generateContent",
    headers: { "x-goog-api-key": "key-gemini" },
    reply: geminiContent,
    body: geminiBody,
  },
  {
    provider: "bedrock",
    path: "/model/a-model/converse",
    headers: {
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIDTEST\/\d{8}\/us-east-1\/bedrock\/aws4_request/,
      ),
    },
    reply: bedrockConverse,
    body: bedrockBody,
  },
  {
    provider: "mistral",
    path: "/v1/chat/completions",
    headers: bearer("mistral"),
    reply: chatCompletion,
    body: mistralBody,
  },
  { provider: "cohere", path: "/v2/chat", headers: bearer("cohere"), reply: cohereChat, body: cohereBody },
  {
    provider: "Grok",
    path: "/v1/chat/completions",
    headers: bearer("grok"),
    reply: chatCompletion,
    body: completionsBody,
  },
  {
    provider: "perplexity",
    path: "/chat/completions",
    headers: bearer("perplexity"),
    reply: chatCompletion,
    body: completionsBody,
  },
  {
    provider: "litellm",
    path: "/v1/chat/completions",
    headers: { authorization: "Bearer key-litellm" },
    reply: chatCompletion,
    body: completionsBody,
  },
  { provider: "ollama", path: "/api/chat", headers: { authorization: undefined }, reply: ollamaChat, body: ollamaBody },
];

describe("each chat provider is spoken to in its own words", () => {
  test.each(providers)("$provider", async ({ provider, path, headers, reply, body }) => {
    server.provider.answer(() => reply("Yes, it rains."));
    const before = server.provider.requests.length;
    const { task } = await runTask(server, "LLM_CHAT_COMPLETE", {
      llmProvider: provider,
      model: "a-model",
      ...conversation,
    });
    const [request] = server.provider.requests.slice(before);
    expect(request?.path).toBe(path);
    for (const [name, value] of Object.entries(headers)) expect(request?.headers[name]).toEqual(value);
    expect(request?.body).toEqual(body);
    expect(task.status).toBe("COMPLETED");
    expect(task.outputData).toMatchObject({
      result: "Yes, it rains.",
      finishReason: "STOP",
      tokenUsed: 18,
      promptTokens: 11,
      completionTokens: 7,
    });
  });
});

describe("what a provider refuses is told in the interface's words", () => {
  const refusals = [
    ["openai", "OpenAI Responses API call failed: Responses API failed with status 401"],
    ["azure_openai", "OpenAI Responses API call failed: Responses API failed with status 401"],
    ["anthropic", "Anthropic Messages API call failed: Anthropic Messages API failed with status 401"],
    ["google_gemini", "Gemini generateContent failed: Gemini API error 401"],
    ["Grok", "Chat Completions API call failed: Chat Completions API failed with status 401"],
    ["ollama", "Ollama API call failed: Ollama API failed with status 401"],
  ] as const;
  test.each(refusals)("%s", async (llmProvider, words) => {
    server.provider.answer(({ headers }) => ({
      status: 401,
      json: { error: { message: `no such key: ${headers.authorization}` } },
    }));
    const more = { retryCount: 0 };
    const input = { llmProvider, model: "a-model", messages: [{ role: "user", message: "Hello" }] };
    const { execution, task } = await runTask(server, "LLM_CHAT_COMPLETE", input, more);
    expect(execution.status).toBe("FAILED");
    expect(task.status).toBe("FAILED");
    expect(task.reasonForIncompletion).toContain(`Task execution failed: ${words}: `);
    expect(task.reasonForIncompletion).not.toContain("key-");
  });
});

describe("what a provider cannot do is said", () => {
  const cases = [
    ["LLM_CHAT_COMPLETE", "stabilityai", "Chat completion is not supported by the Stability AI provider"],
    ["LLM_GENERATE_EMBEDDINGS", "stabilityai", "Embeddings are not supported by the Stability AI provider"],
    ["LLM_GENERATE_EMBEDDINGS", "anthropic", "Not supported"],
    ["LLM_GENERATE_EMBEDDINGS", "bedrock", "Unsupported model a-model"],
    ["GENERATE_IMAGE", "cohere", "Image generation not supported by Cohere"],
    ["GENERATE_IMAGE", "mistral", "Image generation not supported by the model yet"],
    ["GENERATE_AUDIO", "cohere", "Audio generation not supported by this provider"],
    ["GENERATE_VIDEO", "cohere", "Video generation not supported by this provider"],
  ] as const;
  test.each(cases)("%s by %s", async (type, llmProvider, words) => {
    const input = { llmProvider, model: "a-model", prompt: "p", text: "t", messages: [{ role: "user", message: "m" }] };
    const { task } = await runTask(server, type, input, { retryCount: 0 });
    expect([task.status, task.reasonForIncompletion]).toEqual(["FAILED", expect.stringContaining(words)]);
  });
});

describe("embeddings", () => {
  const cases = [
    [
      "openai",
      "/v1/embeddings",
      { model: "e", input: ["a text"], encoding_format: "float", dimensions: 8 },
      { data: [{ index: 0, embedding: [1, 2] }] },
    ],
    [
      "mistral",
      "/v1/embeddings",
      { model: "e", input: ["a text"], encoding_format: "float" },
      { data: [{ embedding: [1, 2] }] },
    ],
    [
      "vertex_ai",
      "/v1beta/models/e:embedContent",
      { model: "models/e", content: { parts: [{ text: "a text" }] }, outputDimensionality: 8 },
      { embedding: { values: [1, 2] } },
    ],
    [
      "cohere",
      "/v2/embed",
      {
        model: "e",
        texts: ["a text"],
        embedding_types: ["float"],
        input_type: "search_document",
        output_dimension: 256,
      },
      { embeddings: { float: [[1, 2]] }, meta: { billed_units: { input_tokens: 3 } } },
    ],
    ["ollama", "/api/embed", { model: "e", input: ["a text"] }, { embeddings: [[1, 2]] }],
  ] as const;
  test.each(cases)("%s", async (llmProvider, path, body, reply) => {
    server.provider.answer(() => ({ json: reply }));
    const before = server.provider.requests.length;
    const dimensions = llmProvider === "cohere" ? 256 : 8;
    const { task } = await runTask(server, "LLM_GENERATE_EMBEDDINGS", {
      llmProvider,
      model: "e",
      text: "a text",
      dimensions,
    });
    expect(task.outputData).toEqual({ result: [1, 2] });
    const [request] = server.provider.requests.slice(before);
    expect(request?.path).toBe(path);
    expect(request?.body).toEqual(body);
  });

  test("of Cohere's models on Bedrock", async () => {
    server.provider.answer(() => ({ json: { embeddings: [[1, 2]] } }));
    const input = { llmProvider: "aws_bedrock", model: "cohere.embed-english-v3", text: "a text" };
    const { task } = await runTask(server, "LLM_GENERATE_EMBEDDINGS", input);
    expect(task.outputData).toEqual({ result: [1, 2] });
    expect(server.provider.requests.at(-1)?.body).toEqual({ input_type: "search_document", texts: ["a text"] });
  });

  test("of nothing are refused", async () => {
    const { task } = await runTask(server, "LLM_GENERATE_EMBEDDINGS", { llmProvider: "openai", model: "e", text: " " });
    expect([task.status, task.reasonForIncompletion]).toEqual([
      "FAILED_WITH_TERMINAL_ERROR",
      "Non-retryable error: No input text provided to generate embeddings",
    ]);
  });
});
