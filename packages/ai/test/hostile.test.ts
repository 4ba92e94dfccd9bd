import { Validator } from "@seriousme/openapi-schema-validator";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AiServer, oneTask, startAiServer } from "./support/ai-server.ts";
import { anthropicMessage, chatCompletion, geminiContent, openaiResponse } from "./support/replies.ts";

let server: AiServer;
beforeAll(async () => {
  server = await startAiServer({ settings: { "service.ai.max-retries": "0" } });
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

const types = ["LLM_CHAT_COMPLETE", "LLM_TEXT_COMPLETE", "LLM_GENERATE_EMBEDDINGS", "GENERATE_IMAGE", "GENERATE_AUDIO"];
const providers = ["openai", "anthropic", "gemini", "mistral", "cohere", "ollama", "bedrock", "stabilityai"];
const fields = [
  "messages",
  "tools",
  "instructions",
  "prompt",
  "userInput",
  "text",
  "participants",
  "promptVariables",
  "temperature",
  "maxTokens",
  "stopWords",
  "jsonOutput",
  "outputSchema",
  "inputSchema",
  "thinkingTokenLimit",
  "previousResponseId",
  "headers",
  "baseUrl",
  "n",
  "width",
  "outputFormat",
];

/** JSON, with something like a conversation in it now and then. Expressions are the engine's matter. */
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }).filter((json) => !JSON.stringify(json).includes("${")),
  fc.array(
    fc.record(
      {
        role: fc.constantFrom("user", "system", "assistant", "tool_call", "tool", "nobody"),
        message: fc.oneof(fc.string(), fc.constant(null)),
        media: fc.array(fc.string(), { maxLength: 2 }),
        toolCalls: fc.array(fc.record({ taskReferenceName: fc.string(), name: fc.string() }), { maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
    { maxLength: 4 },
  ),
);

test("whatever a task is given, it ends and says why", async () => {
  const answers = [
    openaiResponse("{}"),
    anthropicMessage("x"),
    geminiContent("x"),
    chatCompletion("x"),
    { json: [] },
    { bytes: Buffer.from("no JSON") },
  ];
  let at = 0;
  server.provider.answer(() => answers[at++ % answers.length] ?? {});
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...types),
      fc.constantFrom(...providers),
      fc.dictionary(fc.constantFrom(...fields), value),
      async (type, llmProvider, input) => {
        const def = oneTask(type, { llmProvider, model: "m", given: "${workflow.input.given}" }, { retryCount: 0 });
        const [task] = def["tasks"] as { inputParameters: Record<string, unknown> }[];
        // Through expressions, so that nothing in the data is read as one.
        for (const field of Object.keys(input)) {
          if (task !== undefined) task.inputParameters[field] = `\${workflow.input.given.${field}}`;
        }
        await server.client.register(def);
        const execution = await server.client.ended(await server.client.start(String(def["name"]), { given: input }));
        const last = execution.tasks.at(-1);
        expect(execution.status === "COMPLETED" || (last?.reasonForIncompletion ?? "") !== "").toBe(true);
      },
    ),
    { numRuns: 60 },
  );
}, 120_000);

test("the routes are part of a valid OpenAPI document", async () => {
  const response = await fetch(`${server.client.base.replace(/\/api$/, "")}/api-docs`);
  const document = (await response.json()) as { paths: Record<string, unknown> };
  const { errors } = await new Validator().validate(document);
  expect(errors ?? []).toEqual([]);
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining(["/api/providers/status", "/api/prompts", "/api/prompts/{name}/versions/{version}"]),
  );
});
