import { afterAll, beforeAll, expect, test } from "vitest";
import { serveOpenAi } from "../support/openai-server.ts";
import { servePgvector } from "../support/pgvector.ts";
import { aToolServer, hasFixtures, readFixture, startToolServer, type ToolServer } from "../support/tool-server.ts";

const model = { embeddingModelProvider: "openai", embeddingModel: "words" };
const place = { index: "docs", namespace: "team" };

test("texts are indexed and found with no vector store configured", async () => {
  const { settings } = await serveOpenAi();
  const { runTask } = await aToolServer(settings);
  for (const [docId, text] of [
    ["tides", "The tide tables of Bergen harbour"],
    ["bread", "How to bake bread with rye flour"],
  ]) {
    const indexed = await runTask("LLM_INDEX_TEXT", { ...model, ...place, docId, text, metadata: { lang: "en" } });
    expect(indexed).toMatchObject({ status: "COMPLETED", outputData: {} });
  }
  const found = await runTask("LLM_SEARCH_INDEX", { ...model, ...place, query: "tide tables please", maxResults: 1 });
  expect(found).toMatchObject({ status: "COMPLETED" });
  expect(found.outputData["result"]).toEqual([
    {
      docId: "tides",
      parentDocId: "tides",
      text: "The tide tables of Bergen harbour",
      score: expect.closeTo(0.6, 5),
      metadata: { lang: "en" },
    },
  ]);
});

test("vectors at hand are stored and found, under the old name of the search too", async () => {
  const { runTask } = await aToolServer();
  const vectorDB = "default";
  const stored = { ...place, vectorDB, embeddings: [1, 0], docId: "one" };
  expect((await runTask("LLM_STORE_EMBEDDINGS", stored)).outputData).toEqual({ result: 1 });
  const unnamed = await runTask("LLM_STORE_EMBEDDINGS", { ...place, vectorDB, embeddings: [0, 1] });
  expect(unnamed.status).toBe("COMPLETED");
  for (const type of ["LLM_SEARCH_EMBEDDINGS", "LLM_GET_EMBEDDINGS"]) {
    const { outputData } = await runTask(type, { ...place, vectorDB, embeddings: [2, 0.1], llmMaxResults: 5 });
    expect(outputData["result"]).toMatchObject([
      { docId: "one", parentDocId: "", text: "", metadata: {} },
      { docId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    ]);
  }
});

let misconfigured: ToolServer;
beforeAll(async () => {
  misconfigured = await startToolServer({
    "service.vectordb.instances": JSON.stringify([
      { name: "broken-pg", type: "postgres" },
      { name: "cone", type: "Pinecone" },
    ]),
  });
});
afterAll(() => misconfigured.close());

test.each([
  [
    "LLM_INDEX_TEXT",
    { ...model, ...place, text: "a" },
    "FAILED_WITH_TERMINAL_ERROR",
    "Non-retryable error: docId is empty",
  ],
  [
    "LLM_INDEX_TEXT",
    { ...model, ...place, docId: "d" },
    "FAILED_WITH_TERMINAL_ERROR",
    "Non-retryable error: No input text provided to generate embeddings",
  ],
  [
    "LLM_SEARCH_INDEX",
    { ...model, ...place, query: "q", vectorDB: "nowhere" },
    "FAILED_WITH_TERMINAL_ERROR",
    "Non-retryable error: VectorDB not found: nowhere",
  ],
  [
    "LLM_SEARCH_INDEX",
    { ...model, index: "docs", namespace: 'x"; drop table y', query: "q" },
    "FAILED",
    "Task execution failed: Invalid namespace",
  ],
  ["LLM_SEARCH_INDEX", { ...model, index: "docs", query: "q" }, "FAILED", "Task execution failed: Invalid namespace"],
  [
    "LLM_SEARCH_INDEX",
    { ...model, index: "a b", namespace: "n", query: "q" },
    "FAILED",
    "Task execution failed: Invalid index name",
  ],
  [
    "LLM_SEARCH_EMBEDDINGS",
    { ...place, embeddings: [1, "two"] },
    "FAILED_WITH_TERMINAL_ERROR",
    'Non-retryable error: Expected embeddings to be a list of numbers, got "two" in it',
  ],
  [
    "LLM_SEARCH_INDEX",
    { ...place, query: "q", embeddingModelProvider: "openai", embeddingModel: "m" },
    "FAILED_WITH_TERMINAL_ERROR",
    "Non-retryable error: No configuration found for: openai",
  ],
  [
    "LLM_SEARCH_EMBEDDINGS",
    { ...place, vectorDB: "broken-pg", embeddings: [1] },
    "FAILED",
    "Task execution failed: Missing connection URL - please check service.vectordb.postgres.datasourceURL",
  ],
  [
    "LLM_SEARCH_EMBEDDINGS",
    { ...place, vectorDB: "pineconedb", embeddings: [1] },
    "FAILED",
    "Task execution failed: Pinecone API key is not configured. Please set service.vectordb.pinecone.apiKey",
  ],
])("%s of %j is %s", async (type, input, status, reasonForIncompletion) => {
  expect(await misconfigured.runTask(type, input)).toMatchObject({ status, reasonForIncompletion });
});

test("a long text is stored in chunks when a size is given, and whole when none is", async () => {
  const { settings, texts } = await serveOpenAi();
  const { runTask } = await aToolServer(settings);
  const text = Array.from({ length: 40 }, (_, at) => `Sentence number ${at} speaks of apples.`).join(" ");
  await runTask("LLM_INDEX_TEXT", { ...model, ...place, docId: "whole", text });
  expect(texts).toEqual([text]);
  await runTask("LLM_INDEX_TEXT", { ...model, index: "docs", docId: "cut", text, chunkSize: 300, chunkOverlap: 40 });
  expect(texts.length).toBeGreaterThan(5);
  const { outputData } = await runTask("LLM_SEARCH_INDEX", {
    ...model,
    index: "docs",
    namespace: "cut",
    query: "number",
    maxResults: 100,
  });
  const found = outputData["result"] as { docId: string; parentDocId: string; text: string }[];
  expect(found.length).toBe(texts.length - 2);
  expect(new Set(found.map(({ parentDocId }) => parentDocId))).toEqual(new Set(["cut"]));
  expect(found.map(({ docId }) => docId)).toContain("cut-0");
});

test.runIf(hasFixtures)("the fixtures of semantic search and RAG run on pgvector", { timeout: 60_000 }, async () => {
  const { settings } = await serveOpenAi();
  const pgvector = await servePgvector();
  try {
    const instance = {
      name: "postgres-prod",
      type: "postgres",
      postgres: {
        datasourceURL: `jdbc:${pgvector.url}`,
        dimensions: 256,
        distanceMetric: "cosine",
        connectionPoolSize: 1,
      },
    };
    const big = { ...instance, postgres: { ...instance.postgres, dimensions: 1536 } };
    const small = await aToolServer({ ...settings, "service.vectordb.instances": JSON.stringify([instance]) });
    const search = await small.run(readFixture("05-semantic-search"));
    expect(search.status).toBe("COMPLETED");
    expect(search.tasks[1]?.outputData["result"]).toMatchObject([
      { docId: "doc_001", parentDocId: "doc_001", text: "Conductor is a workflow orchestration platform" },
    ]);
    const large = await aToolServer({ ...settings, "service.vectordb.instances": JSON.stringify([big]) });
    const rag = await large.run(readFixture("07-rag-complete"));
    expect(rag.status).toBe("COMPLETED");
    const found = rag.tasks.find(({ referenceTaskName }) => referenceTaskName === "search_ref");
    expect(found?.outputData["result"]).toMatchObject([
      { docId: "features-002", metadata: { category: "features" } },
      {},
      {},
    ]);
    // The model was given what was found.
    expect(JSON.stringify(rag.tasks.at(-1)?.outputData)).toContain("pgvector");
  } finally {
    await pgvector.close();
  }
});
