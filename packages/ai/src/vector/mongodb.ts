import type { JsonObject } from "@downbeat/engine";
import type { Document } from "mongodb";
import type { FoundDocument, VectorStore } from "./port.ts";

export type MongoOptions = {
  readonly connectionString: string;
  readonly database: string;
  /** How many neighbours a search looks at. */
  readonly numCandidates: number | undefined;
};

/**
 * MongoDB with vector search: a collection per namespace; the vector index must be there. The score is that of the search
 * stage, higher is better.
 */
export async function openMongo({ connectionString, database, numCandidates }: MongoOptions): Promise<VectorStore> {
  const { MongoClient } = await import("mongodb");
  const client = new MongoClient(connectionString, { serverSelectionTimeoutMS: 30_000 });
  const collectionOf = (namespace: string) => client.db(database).collection(namespace);
  return {
    async put({ namespace }, documents) {
      await collectionOf(namespace).bulkWrite(
        documents.map(({ id, parentId, text, embedding, metadata }) => ({
          updateOne: {
            filter: { doc_id: id },
            update: {
              $set: {
                doc_id: id,
                parent_doc_id: parentId,
                doc: text,
                embedding: [...embedding],
                metadata: { ...metadata },
              },
            },
            upsert: true,
          },
        })),
        { ordered: false },
      );
    },
    async search({ index, namespace }, { embedding, limit, signal }) {
      const stages = [
        {
          $vectorSearch: {
            index,
            path: "embedding",
            queryVector: [...embedding],
            numCandidates: numCandidates ?? Math.max(100, 10 * limit),
            limit,
          },
        },
        {
          $project: { _id: 0, doc_id: 1, parent_doc_id: 1, doc: 1, metadata: 1, score: { $meta: "vectorSearchScore" } },
        },
      ];
      return (await collectionOf(namespace).aggregate(stages, { signal }).toArray()).map(toFound);
    },
    close: () => client.close(),
  };
}

const toFound = ({ doc_id, parent_doc_id, doc, metadata, score }: Document): FoundDocument => ({
  docId: String(doc_id ?? ""),
  parentDocId: String(parent_doc_id ?? ""),
  text: String(doc ?? ""),
  score: Number(score),
  metadata: (metadata ?? {}) as JsonObject,
});
