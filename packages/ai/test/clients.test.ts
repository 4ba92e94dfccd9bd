import { python, runPython } from "@downbeat/server/testing/python";
import {
  callMcpToolTask,
  generateAudioTask,
  generateImageTask,
  getDocumentTask,
  LLMProvider,
  listMcpToolsTask,
  llmChatCompleteTask,
  llmGenerateEmbeddingsTask,
  llmIndexDocumentTask,
  llmIndexTextTask,
  llmQueryEmbeddingsTask,
  llmSearchEmbeddingsTask,
  llmSearchIndexTask,
  llmStoreEmbeddingsTask,
  llmTextCompleteTask,
  OrkesClients,
  Role,
  withPromptVariable,
  withPromptVariables,
} from "@io-orkes/conductor-javascript";
import { expect, onTestFinished, test } from "vitest";
import { serveHttp } from "./support/http-server.ts";
import { startLocalProvider } from "./support/local-provider.ts";
import { serveMcp } from "./support/mcp-server.ts";
import { wordVector } from "./support/openai-server.ts";
import { openaiResponse } from "./support/replies.ts";
import { allowing, aToolServer } from "./support/tool-server.ts";

/** A server with a provider that says what it is told, a document to read and tools to call. */
async function startAll() {
  const provider = await startLocalProvider();
  onTestFinished(provider.close);
  provider.answer(({ path, body }) => {
    if (path.endsWith("/generations")) return { json: { created: 1, data: [{ b64_json: "iVBORw0=" }] } };
    if (path.endsWith("/speech")) return { bytes: Buffer.from("ID3") };
    if (!path.endsWith("/embeddings")) return openaiResponse(JSON.stringify(body));
    const { input, dimensions = 256 } = body as { input: readonly string[]; dimensions?: number };
    return { json: { data: input.map((text, index) => ({ index, embedding: wordVector(text, dimensions) })) } };
  });
  const documents = await serveHttp((_, response) => {
    response.writeHead(200, { "content-type": "text/plain" }).end("How to bake bread");
  });
  const { origin: tools } = await serveMcp("stateless");
  const server = await aToolServer({
    "service.ai.openai.api-key": "key",
    "service.ai.openai.base-url": provider.url,
    "service.document-access-policy.disabled": "true",
    ...allowing(documents, tools),
  });
  return { ...server, document: `${documents}/bread.txt`, mcpServer: `${tools}/mcp` };
}

const { OPEN_AI } = LLMProvider;
const words = { provider: OPEN_AI, model: "words" };
const team = { namespace: "team" };

test("the JavaScript builders: models, documents, vectors and tools", async () => {
  const { client, run, document, mcpServer } = await startAll();
  const prompts = (await OrkesClients.from({ serverUrl: client.base })).getPromptClient();
  await prompts.savePrompt("js_persona", "d", "You are ${who}, ${what}");
  const text = llmTextCompleteTask("text", OPEN_AI, "gpt-4o-mini", "js_persona");
  const place = ["default", "docs", words] as const;
  const { status, tasks } = await run({
    name: "js_built",
    tasks: [
      llmChatCompleteTask("chat", OPEN_AI, "gpt-4o-mini", { messages: [{ role: Role.USER, message: "Hello" }] }),
      withPromptVariables(withPromptVariable(text, "who", "Ada"), { what: "a poet" }),
      llmGenerateEmbeddingsTask("vector", OPEN_AI, "words", "tide tables", { dimensions: 16 }),
      generateImageTask("image", OPEN_AI, "gpt-image-1", "A tide"),
      generateAudioTask("audio", OPEN_AI, "tts-1", { text: "Hello", voice: "nova" }),
      llmIndexTextTask("one", ...place, "The tide tables of Bergen", "tides", team),
      llmIndexDocumentTask("two", ...place, document, "text/plain", { ...team, docId: "bread" }),
      llmSearchIndexTask("found", ...place, "how to bake bread", { ...team, maxResults: 1 }),
      llmStoreEmbeddingsTask("three", "default", "raw", [1, 0], { ...team, docId: "east" }),
      llmSearchEmbeddingsTask("near", "default", "raw", [0.9, 0.1], team),
      llmQueryEmbeddingsTask("also", "default", "raw", [0.9, 0.1], team),
      getDocumentTask("document", document, { mediaType: "text/plain" }),
      listMcpToolsTask("tools", mcpServer),
      callMcpToolTask("called", mcpServer, "get_weather", { inputParameters: { location: "Bergen" } }),
    ],
  });
  const output = (ref: string) => tasks.find(({ referenceTaskName }) => referenceTaskName === ref)?.outputData;
  expect([status, tasks.at(-1)?.reasonForIncompletion]).toEqual(["COMPLETED", undefined]);
  expect(JSON.stringify(output("chat")?.["result"])).toContain("Hello");
  expect(JSON.stringify(output("text")?.["result"])).toContain("You are Ada, a poet");
  expect(output("vector")?.["result"]).toHaveLength(16);
  expect(output("image")?.["media"]).toHaveLength(1);
  expect(output("audio")?.["media"]).toHaveLength(1);
  expect(output("found")?.["result"]).toMatchObject([{ parentDocId: "bread" }]);
  expect(output("near")?.["result"]).toMatchObject([{ docId: "east" }]);
  expect(output("also")?.["result"]).toMatchObject([{ docId: "east" }]);
  expect(output("document")?.["result"]).toBe("How to bake bread");
  expect(output("tools")?.["tools"]).toMatchObject([{ name: "get_weather" }, { name: "say" }, { name: "break" }]);
  expect(output("called")?.["structuredContent"]).toEqual({ degrees: 21 });
}, 60_000);

test.skipIf(python === undefined)(
  "the Python client: prompts, models, documents, vectors and tools",
  async () => {
    const { client, document, mcpServer } = await startAll();
    const script = new URL("python_ai.py", import.meta.url);
    const lines = await runPython(script, [client.base, document, mcpServer]);
    const checks = lines.map((line) => JSON.parse(line) as { readonly name: string; readonly error: string | null });
    expect(checks.filter(({ error }) => error !== null)).toEqual([]);
    expect(checks.map(({ name }) => name.split(":")[0])).toEqual([
      "prompts",
      "prompts",
      "models",
      "vectors",
      "documents and tools",
    ]);
  },
  160_000,
);
