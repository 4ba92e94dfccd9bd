import { rmSync } from "node:fs";
import { aFolder } from "@downbeat/server/testing";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openEmbedded } from "../../src/vector/embedded.ts";
import { openMongo } from "../../src/vector/mongodb.ts";
import { openPinecone } from "../../src/vector/pinecone.ts";
import type { IndexedDocument, VectorStore } from "../../src/vector/port.ts";
import { type DistanceMetric, openPostgres } from "../../src/vector/postgres.ts";
import { serveMongo } from "../support/mongo-server.ts";
import { servePgvector } from "../support/pgvector.ts";
import { servePinecone } from "../support/pinecone-server.ts";

const signal = new AbortController().signal;
const place = { index: "docs-index", namespace: "team-a" };

let pgvector: Awaited<ReturnType<typeof servePgvector>>;
let prefixes = 0;
beforeAll(async () => {
  pgvector = await servePgvector();
});
afterAll(() => pgvector.close());

function embedded(): VectorStore {
  const folder = aFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return openEmbedded(`${folder}/vectors.db`);
}

/** Tables of its own in the database all tests share. */
const aPostgres = (distanceMetric: DistanceMetric, indexingMethod: "hnsw" | "ivfflat"): Promise<VectorStore> =>
  openPostgres({
    url: pgvector.url,
    dimensions: 3,
    poolSize: 2,
    indexingMethod,
    distanceMetric,
    invertedListCount: 1,
    tablePrefix: `rag${++prefixes}`,
  });

const stores: readonly (readonly [
  name: string,
  open: () => VectorStore | Promise<VectorStore>,
  best: "high" | "low",
])[] = [
  ["embedded", embedded, "high"],
  ["pgvector, l2, hnsw", () => aPostgres("l2", "hnsw"), "low"],
  ["pgvector, cosine, ivfflat", () => aPostgres("cosine", "ivfflat"), "low"],
  ["pgvector, inner product", () => aPostgres("inner_product", "hnsw"), "low"],
  [
    "mongodb",
    async () => openMongo({ connectionString: (await serveMongo()).url, database: "test", numCandidates: undefined }),
    "high",
  ],
  [
    "pinecone",
    async () =>
      openPinecone({ apiKey: "key", baseUrl: await servePinecone({ apiKey: "key", index: place.index }), fetch }),
    "high",
  ],
  [
    "pinecone without namespaces",
    async () =>
      openPinecone({
        apiKey: "key",
        baseUrl: await servePinecone({ apiKey: "key", index: place.index, hasNamespaces: false }),
        fetch,
      }),
    "high",
  ],
];

async function aStore(open: () => VectorStore | Promise<VectorStore>): Promise<VectorStore> {
  const store = await open();
  onTestFinished(() => store.close());
  return store;
}

const aDocument = (id: string, embedding: readonly number[], text = `text of ${id}`): IndexedDocument => ({
  id,
  parentId: `parent of ${id}`,
  text,
  embedding,
  metadata: { of: id, nested: { list: [1, "two"] } },
});

test.each(stores)("%s: the nearest documents come back whole, nearest first", async (_, open, best) => {
  const store = await aStore(open);
  await store.put(place, [aDocument("x", [1, 0, 0]), aDocument("y", [0, 1, 0]), aDocument("z", [0.6, 0.6, 0])], signal);
  const found = await store.search(place, { embedding: [0.9, 0.1, 0], limit: 2, signal });
  expect(found.map(({ docId }) => docId)).toEqual(["x", "z"]);
  expect(found[0]).toMatchObject({
    parentDocId: "parent of x",
    text: "text of x",
    metadata: { of: "x", nested: { list: [1, "two"] } },
  });
  const [first = 0, second = 0] = found.map(({ score }) => score);
  expect(best === "high" ? first > second : first < second).toBe(true);
});

test.each(stores)("%s: a document with a known id takes the place of the old one", async (_, open) => {
  const store = await aStore(open);
  await store.put(place, [aDocument("x", [1, 0, 0]), aDocument("y", [0, 1, 0])], signal);
  await store.put(place, [aDocument("x", [0, 0, 1], "new text\0")], signal);
  const found = await store.search(place, { embedding: [0, 0, 1], limit: 5, signal });
  expect(found).toHaveLength(2);
  expect(found[0]?.docId).toBe("x");
  expect(found[0]?.text).toMatch(/^new text/);
});

test.each(stores)("%s: metadata come back as they were, whatever their texts hold", async (_, open) => {
  const store = await aStore(open);
  const metadata = { path: "C:\\u0000", sign: "\0", half: "\ud83d\ude00 \" '; drop table" };
  await store.put(place, [{ ...aDocument("x", [1, 0, 0]), metadata }], signal);
  const [found] = await store.search(place, { embedding: [1, 0, 0], limit: 1, signal });
  expect(found?.metadata).toEqual(metadata);
});

test.each(stores.filter(([name]) => !name.includes("without")))(
  "%s: namespaces are apart, and an empty one gives nothing",
  async (_, open) => {
    const store = await aStore(open);
    await store.put(place, [aDocument("x", [1, 0, 0])], signal);
    const other = { ...place, namespace: "team-b" };
    expect(await store.search(other, { embedding: [1, 0, 0], limit: 5, signal })).toEqual([]);
  },
);

test.each(stores.filter(([name]) => /embedded|l2/.test(name)))(
  "%s: vectors of another length are refused",
  async (_, open) => {
    const store = await aStore(open);
    await store.put(place, [aDocument("x", [1, 0, 0])], signal);
    const message = "Embeddings must be of dimensions : 3";
    await expect(store.put(place, [aDocument("y", [1, 0])], signal)).rejects.toThrow(message);
    await expect(store.search(place, { embedding: [1], limit: 1, signal })).rejects.toThrow(message);
  },
);

test("what the embedded store holds outlives it", async () => {
  const folder = aFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const first = openEmbedded(`${folder}/deeper/vectors.db`);
  await first.put(place, [aDocument("x", [1, 2, 3])], signal);
  await first.close();
  const second = await aStore(() => openEmbedded(`${folder}/deeper/vectors.db`));
  const [found] = await second.search(place, { embedding: [1, 2, 3], limit: 1, signal });
  expect(found?.docId).toBe("x");
  expect(found?.score).toBeCloseTo(1);
});

test("a search of mongodb looks at ten times as many neighbours as it gives, and at least at a hundred", async () => {
  const { url, searches } = await serveMongo();
  const store = await aStore(() => openMongo({ connectionString: url, database: "test", numCandidates: undefined }));
  await store.search(place, { embedding: [1, 0, 0], limit: 3, signal });
  await store.search(place, { embedding: [1, 0, 0], limit: 30, signal });
  expect(searches).toMatchObject([
    { index: "docs-index", path: "embedding", queryVector: [1, 0, 0], numCandidates: 100, limit: 3 },
    { numCandidates: 300, limit: 30 },
  ]);
});

test("vectors too long for an index of pgvector are stored and searched all the same", async () => {
  const store = await aStore(() =>
    openPostgres({
      url: pgvector.url,
      dimensions: 3072,
      poolSize: 1,
      indexingMethod: "hnsw",
      distanceMetric: "cosine",
      invertedListCount: 1,
      tablePrefix: "long",
    }),
  );
  const embedding = Array.from({ length: 3072 }, (_, at) => Math.sin(at));
  await store.put(place, [aDocument("long", embedding)], signal);
  const [found] = await store.search(place, { embedding, limit: 1, signal });
  expect(found?.score).toBeCloseTo(0);
});

test("an error of pinecone is told with its answer", async () => {
  const baseUrl = await servePinecone({ apiKey: "key", index: place.index });
  const store = await aStore(() => openPinecone({ apiKey: "wrong", baseUrl, fetch }));
  await expect(store.search(place, { embedding: [1], limit: 1, signal })).rejects.toThrow(
    'Pinecone answered with status 401: {"message":"Invalid API key"}',
  );
});

test("two namespaces of one index are both indexed by pgvector", async () => {
  const store = await aStore(() => aPostgres("l2", "hnsw"));
  const index = `shared-${prefixes}`;
  await store.put({ index, namespace: "one" }, [aDocument("x", [1, 0, 0])], signal);
  await store.put({ index, namespace: "two" }, [aDocument("x", [1, 0, 0])], signal);
  const client = new pg.Client(pgvector.url);
  await client.connect();
  onTestFinished(() => client.end());
  const { rows } = await client.query(
    "select tablename from pg_indexes where indexname like $1 and indexdef like '%hnsw%' order by 1",
    [`%${index}`],
  );
  expect(rows.map(({ tablename }) => tablename)).toEqual([`rag${prefixes}_one`, `rag${prefixes}_two`]);
});
