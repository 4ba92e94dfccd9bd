import { type ConfigRecord, recordField } from "@downbeat/server";
import { postgresUrl } from "../sql/postgres-url.ts";
import { openEmbedded } from "./embedded.ts";
import { openMongo } from "./mongodb.ts";
import { openPinecone } from "./pinecone.ts";
import type { VectorStore } from "./port.ts";
import { type DistanceMetric, openPostgres } from "./postgres.ts";

export type StoreType = "sqlite" | "postgres" | "mongodb" | "pinecone";

/** The types by every name they go by. */
const types: ReadonlyMap<string, StoreType> = new Map([
  ["sqlite", "sqlite"],
  ["memory", "sqlite"],
  ["embedded", "sqlite"],
  ["postgres", "postgres"],
  ["pgvectordb", "postgres"],
  ["mongodb", "mongodb"],
  ["mongovectordb", "mongodb"],
  ["pinecone", "pinecone"],
  ["pineconedb", "pinecone"],
]);

/** Undefined for a word that names no type. */
export const storeType = (word: string): StoreType | undefined => types.get(word.toLowerCase());

/** Opens the store a record of the settings describes; `embedded` is the one without settings. */
export async function openInstance(record: ConfigRecord, type: StoreType, embedded: VectorStore): Promise<VectorStore> {
  switch (type) {
    case "sqlite": {
      const file = recordField(record, "sqlite.file");
      return file === undefined ? { ...embedded, close: async () => undefined } : openEmbedded(file);
    }
    case "postgres":
      return await openPostgres(postgresOptions(record));
    case "mongodb":
      return await openMongo({
        connectionString: required(record, "mongodb.connectionString"),
        database: required(record, "mongodb.database"),
        numCandidates: optionalCount(record, "mongodb.numCandidates"),
      });
    case "pinecone":
      return openPinecone({
        apiKey: required(
          record,
          "pinecone.apiKey",
          "Pinecone API key is not configured. Please set service.vectordb.pinecone.apiKey",
        ),
        baseUrl: (recordField(record, "pinecone.baseUrl") ?? "https://api.pinecone.io").replace(/\/+$/, ""),
        fetch: (url, init) => fetch(url, init),
      });
  }
}

function postgresOptions(record: ConfigRecord): Parameters<typeof openPostgres>[0] {
  const url = required(
    record,
    "postgres.datasourceURL",
    "Missing connection URL - please check service.vectordb.postgres.datasourceURL",
  );
  return {
    url: postgresUrl(url, recordField(record, "postgres.user"), recordField(record, "postgres.password")),
    dimensions: optionalCount(record, "postgres.dimensions") ?? 256,
    poolSize: optionalCount(record, "postgres.connectionPoolSize") ?? 5,
    indexingMethod: oneOf(record, "postgres.indexingMethod", ["hnsw", "ivfflat"]),
    distanceMetric: oneOf<DistanceMetric>(record, "postgres.distanceMetric", ["l2", "cosine", "inner_product"]),
    invertedListCount: optionalCount(record, "postgres.invertedListCount") ?? 100,
    tablePrefix: recordField(record, "postgres.tablePrefix"),
  };
}

function required(record: ConfigRecord, name: string, message?: string): string {
  const value = recordField(record, name);
  if (value !== undefined) return value;
  throw new Error(
    message ?? `Expected ${name} of vector store "${recordField(record, "name")}" to be set, got nothing`,
  );
}

function optionalCount(record: ConfigRecord, name: string): number | undefined {
  const text = recordField(record, name);
  if (text === undefined) return;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new Error(
    `Expected ${name} of vector store "${recordField(record, "name")}" to be a number above 0, got "${text}"`,
  );
}

/** The first of the words is the default. */
function oneOf<Word extends string>(record: ConfigRecord, name: string, words: readonly [Word, ...Word[]]): Word {
  const text = recordField(record, name)?.toLowerCase();
  const found = text === undefined ? words[0] : words.find((word) => word === text);
  if (found !== undefined) return found;
  throw new Error(
    `Expected ${name} of vector store "${recordField(record, "name")}" to be one of ${words.join(", ")}, got "${text}"`,
  );
}
