import { OrkesClients } from "@io-orkes/conductor-javascript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AiServer, runTask, startAiServer } from "./support/ai-server.ts";
import { openaiResponse } from "./support/replies.ts";

let server: AiServer;
let prompts: ReturnType<OrkesClients["getPromptClient"]>;
beforeAll(async () => {
  server = await startAiServer();
  server.provider.answer(() => openaiResponse("Hi"));
  const clients = await OrkesClients.from({ serverUrl: server.client.base });
  prompts = clients.getPromptClient();
});
afterAll(() => server.close());

const gpt = { llmProvider: "openai", model: "gpt-4o-mini" };
const systemText = () => {
  const [first] = (server.provider.requests.at(-1)?.body["input"] ?? []) as { content: unknown }[];
  return first?.content;
};

test("the official client saves, lists, tags and removes prompts", async () => {
  await prompts.savePrompt("greet", "Says hello", "Say hello to ${name}, who is ${age}", ["openai:gpt-4o-mini"]);
  expect(await prompts.getPrompt("greet")).toMatchObject({
    name: "greet",
    version: 1,
    template: "Say hello to ${name}, who is ${age}",
    description: "Says hello",
    variables: ["name", "age"],
    integrations: ["openai:gpt-4o-mini"],
    tags: [],
  });
  await prompts.setPromptTags("greet", [{ key: "team", value: "a", type: "METADATA" }]);
  expect(await prompts.getPromptTags("greet")).toEqual([{ key: "team", value: "a", type: "METADATA" }]);
  await prompts.deletePromptTags("greet", [{ key: "team", value: "a", type: "METADATA" }]);
  expect(await prompts.getPromptTags("greet")).toEqual([]);
  expect((await prompts.getPrompts())?.map(({ name }) => name)).toEqual(["greet"]);
  await prompts.updatePrompt("greet", "Says goodbye", "Say goodbye to ${name}");
  expect(await prompts.getPrompt("greet")).toMatchObject({ template: "Say goodbye to ${name}", variables: ["name"] });
  await prompts.deletePrompt("greet");
  expect((await server.client.get("/prompts/greet")).status).toBe(404);
});

test("versions are kept, read and removed one by one", async () => {
  const save = (text: string, query: string) =>
    server.client.send("POST", `/prompts/tone?description=d${query}`, { text });
  await save("Be calm", "");
  await save("Be calm, please", "");
  await save("Be brisk", "&autoIncrement=true");
  const versions = async () =>
    (await server.client.get("/prompts/tone/versions")).json as { version: number; template: string }[];
  expect((await versions()).map(({ version, template }) => [version, template])).toEqual([
    [1, "Be calm, please"],
    [2, "Be brisk"],
  ]);
  expect((await server.client.get("/prompts/tone/versions/1")).json).toMatchObject({ template: "Be calm, please" });
  expect((await server.client.get("/prompts/tone/versions/9")).status).toBe(404);
  expect((await server.client.get("/prompts/tone/versions/x")).status).toBe(400);
  await server.client.delete("/prompts/tone/versions/1");
  expect((await versions()).map(({ version }) => version)).toEqual([2]);
  await server.client.delete("/prompts/tone/versions/2");
  expect((await server.client.get("/prompts/tone")).status).toBe(404);
});

test("tasks use a saved prompt by its name, in the version they ask for", async () => {
  await prompts.savePrompt("persona", "d", "You are ${who}");
  await server.client.send("POST", "/prompts/persona?description=d&autoIncrement=true", {
    text: "You have become ${who}",
  });
  const messages = [{ role: "user", message: "Hello" }];
  const chat = { ...gpt, messages, instructions: "persona", promptVariables: { who: "Ada" } };
  await runTask(server, "LLM_CHAT_COMPLETE", chat);
  expect(systemText()).toBe("You have become Ada");
  await runTask(server, "LLM_CHAT_COMPLETE", { ...chat, promptVersion: 1 });
  expect(systemText()).toBe("You are Ada");
  await runTask(server, "LLM_TEXT_COMPLETE", {
    ...gpt,
    promptName: "persona",
    promptVersion: 1,
    promptVariables: { who: "Bo" },
  });
  expect(systemText()).toBe("You are Bo");
  const missing = await runTask(server, "LLM_CHAT_COMPLETE", { ...chat, promptVersion: 9 });
  expect(missing.task.reasonForIncompletion).toBe(
    "Non-retryable error: No such prompt found by name: persona, version: 9",
  );
  await runTask(server, "LLM_CHAT_COMPLETE", { ...chat, instructions: "personal matters" });
  expect(systemText()).toBe("personal matters");
});

test("a prompt can be tried without being saved", async () => {
  const answer = await prompts.testPrompt({ ...gpt, prompt: "Say ${what}", promptVariables: { what: "hello" } });
  expect(answer).toBe("Hi");
  expect(server.provider.requests.at(-1)?.body["input"]).toEqual([
    { role: "user", content: [{ type: "input_text", text: "Say hello" }] },
  ]);
  const unknown = await server.client.post("/prompts/test", { llmProvider: "nobody", model: "m", prompt: "p" });
  expect([unknown.status, unknown.json]).toEqual([
    400,
    expect.objectContaining({ message: "No configuration found for: nobody" }),
  ]);
  const empty = await server.client.post("/prompts/test", gpt);
  expect(empty.status).toBe(400);
});

test("wrong bodies are a caller's mistake", async () => {
  expect((await server.client.send("POST", "/prompts/a", { text: " " })).status).toBe(400);
  expect((await server.client.post("/prompts", { name: "a" })).status).toBe(400);
  expect((await server.client.post("/prompts", [{ name: "a" }])).status).toBe(400);
  expect((await server.client.put("/prompts/a/tags", [{ key: 1 }])).status).toBe(400);
  expect((await server.client.put("/prompts/none/tags", [{ key: "k", value: "v" }])).status).toBe(404);
  expect((await server.client.post("/prompts", [{ name: "bulk", template: "T" }])).status).toBe(200);
  expect((await server.client.get("/prompts/bulk")).json).toMatchObject({ template: "T", version: 1 });
});
