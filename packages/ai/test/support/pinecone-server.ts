import { serveJson } from "./http-server.ts";
import { cosine } from "./mongo-server.ts";

type Vector = { readonly id: string; readonly values: readonly number[]; readonly metadata: unknown };

/** A server that speaks Pinecone's REST interface, with one index; without namespaces when told so. */
export async function servePinecone({
  apiKey,
  index,
  hasNamespaces = true,
}: {
  apiKey: string;
  index: string;
  hasNamespaces?: boolean;
}): Promise<string> {
  const vectors = new Map<string, Map<string, Vector>>();
  const origin: string = await serveJson(({ method, path, headers, body }) => {
    if (headers["api-key"] !== apiKey) return { status: 401, body: { message: "Invalid API key" } };
    if (headers["x-pinecone-api-version"] === undefined) return { status: 400, body: { message: "No version" } };
    if (method === "GET") {
      return path === `/indexes/${index}` ? { body: { name: index, host: origin } } : { status: 404, body: {} };
    }
    const {
      namespace,
      vectors: given = [],
      vector = [],
      topK = 0,
    } = body as {
      namespace: string;
      vectors?: Vector[];
      vector?: number[];
      topK?: number;
    };
    if (namespace !== "" && !hasNamespaces) {
      return { status: 400, body: { message: "Starter plans do not support feature 'Namespaces'" } };
    }
    const stored = vectors.get(namespace) ?? new Map<string, Vector>();
    vectors.set(namespace, stored);
    if (path === "/vectors/upsert") {
      for (const one of given) stored.set(one.id, one);
      return { body: { upsertedCount: given.length } };
    }
    const matches = [...stored.values()]
      .map(({ id, values, metadata }) => ({ id, score: cosine(vector, values), values: [], metadata }))
      .toSorted((one, other) => other.score - one.score)
      .slice(0, topK);
    return { body: { matches, namespace } };
  });
  return origin;
}
