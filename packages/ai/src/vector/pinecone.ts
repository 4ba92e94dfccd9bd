import type { JsonObject } from "@downbeat/engine";
import type { FoundDocument, VectorStore } from "./port.ts";

export type PineconeOptions = {
  readonly apiKey: string;
  /** Where indexes are asked for. */
  readonly baseUrl: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
};

const API_VERSION = "2025-04";
const UPSERT_BATCH = 100;

/** Pinecone over its REST interface: the index must be there. The score is the similarity, higher is better. */
export function openPinecone({ apiKey, baseUrl, fetch }: PineconeOptions): VectorStore {
  const hosts = new Map<string, string>();

  async function call<Answer>(url: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(url, {
      ...init,
      headers: { "Api-Key": apiKey, "X-Pinecone-API-Version": API_VERSION, "Content-Type": "application/json" },
    });
    const text = await response.text();
    if (!response.ok) throw new PineconeError(`Pinecone answered with status ${response.status}: ${text}`);
    return JSON.parse(text) as Answer;
  }

  async function hostOf(index: string, signal: AbortSignal): Promise<string> {
    const known = hosts.get(index);
    if (known !== undefined) return known;
    const { host } = await call<{ host: string }>(`${baseUrl}/indexes/${encodeURIComponent(index)}`, { signal });
    const url = /^https?:/i.test(host) ? host : `https://${host}`;
    hosts.set(index, url);
    return url;
  }

  const post = async <Answer>(index: string, path: string, body: object, signal: AbortSignal): Promise<Answer> =>
    call<Answer>(`${await hostOf(index, signal)}${path}`, { method: "POST", body: JSON.stringify(body), signal });

  return {
    async put({ index, namespace }, documents, signal) {
      const vectors = documents.map(({ id, parentId, text, embedding, metadata }) => ({
        id,
        values: embedding,
        metadata: { parentDocId: parentId, text, metadata: JSON.stringify(metadata) },
      }));
      for (let at = 0; at < vectors.length; at += UPSERT_BATCH) {
        const batch = vectors.slice(at, at + UPSERT_BATCH);
        await inNamespace(namespace, (name) =>
          post(index, "/vectors/upsert", { vectors: batch, namespace: name }, signal),
        );
      }
    },
    async search({ index, namespace }, { embedding, limit, signal }) {
      const query = { vector: embedding, topK: limit, includeMetadata: true, includeValues: false };
      const { matches = [] } = await inNamespace(namespace, (name) =>
        post<{ matches?: readonly Match[] }>(index, "/query", { ...query, namespace: name }, signal),
      );
      return matches.map(toFound);
    },
    close: async () => undefined,
  };
}

/** Its message is the answer of the other side. */
class PineconeError extends Error {}

/** Small plans have no namespaces: everything lies in the one without a name. */
async function inNamespace<Answer>(namespace: string, call: (name: string) => Promise<Answer>): Promise<Answer> {
  try {
    return await call(namespace);
  } catch (error) {
    if (error instanceof PineconeError && error.message.includes("feature 'Namespaces'")) return await call("");
    throw error;
  }
}

type Match = {
  readonly id: string;
  readonly score?: number;
  readonly metadata?: { readonly parentDocId?: string; readonly text?: string; readonly metadata?: string };
};

const toFound = ({ id, score = 0, metadata = {} }: Match): FoundDocument => ({
  docId: id,
  parentDocId: metadata.parentDocId ?? "",
  text: metadata.text ?? "",
  score,
  metadata: readMetadata(metadata.metadata),
});

/** Records that others wrote may hold anything. */
function readMetadata(text: string | undefined): JsonObject {
  try {
    return JSON.parse(text ?? "{}") as JsonObject;
  } catch {
    return { metadata: text ?? null };
  }
}
