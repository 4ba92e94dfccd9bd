import {
  generateAudioTask,
  generateImageTask,
  LLMProvider,
  llmChatCompleteTask,
  llmGenerateEmbeddingsTask,
  llmTextCompleteTask,
  Role,
  withPromptVariables,
} from "@io-orkes/conductor-javascript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AiServer, startAiServer } from "./support/ai-server.ts";
import { openaiResponse } from "./support/replies.ts";

let server: AiServer;
beforeAll(async () => {
  server = await startAiServer();
});
afterAll(() => server.close());

test("tasks made with the official builders run", async () => {
  server.provider.answer(({ path }) => {
    if (path.endsWith("/embeddings")) return { json: { data: [{ index: 0, embedding: [1] }] } };
    if (path.endsWith("/generations"))
      return { json: { created: 1, data: [{ b64_json: "iVBORw0=" }, { b64_json: "iVBORw0=" }] } };
    if (path.endsWith("/speech")) return { bytes: Buffer.from("ID3") };
    return openaiResponse("Hi");
  });
  const { OPEN_AI } = LLMProvider;
  const chat = llmChatCompleteTask("chat", OPEN_AI, "gpt-4o", {
    messages: [
      { role: Role.SYSTEM, message: "Be kind." },
      { role: Role.USER, message: "Hello" },
    ],
    stopWords: ["END"],
    maxTokens: 10,
    temperature: 0.1,
  });
  const text = withPromptVariables(llmTextCompleteTask("text", OPEN_AI, "gpt-4o", "a literal prompt"), { name: "Ada" });
  const tasks = [
    chat,
    text,
    llmGenerateEmbeddingsTask("vector", OPEN_AI, "e", "a text", { dimensions: 4 }),
    generateImageTask("image", OPEN_AI, "gpt-image-1", "A tide", { imageCount: 2 } as never),
    generateAudioTask("audio", OPEN_AI, "tts-1", { text: "Hello", voice: "nova" }),
  ];
  await server.client.register({ name: "built", version: 1, ownerEmail: "test@example.com", tasks });
  const execution = await server.client.ended(await server.client.start("built"));
  expect(execution.status).toBe("COMPLETED");
  const [said, , vector, image] = execution.tasks;
  expect(said?.outputData["result"]).toBe("Hi");
  expect(vector?.outputData).toEqual({ result: [1] });
  expect(image?.outputData["media"]).toHaveLength(2);
});

test("every provider the official client names is known", async () => {
  server.provider.answer(() => ({ status: 400, json: {} }));
  for (const llmProvider of Object.values(LLMProvider)) {
    const messages = [{ role: "user", message: "Hello" }];
    const task = { ...llmChatCompleteTask("chat", llmProvider, "m", { messages } as never), retryCount: 0 };
    await server.client.register({ name: "named", version: 1, ownerEmail: "test@example.com", tasks: [task] });
    const { tasks } = await server.client.ended(await server.client.start("named"));
    expect([llmProvider, tasks[0]?.reasonForIncompletion]).toEqual([
      llmProvider,
      expect.not.stringContaining("No configuration found"),
    ]);
  }
});
