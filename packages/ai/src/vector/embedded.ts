import { Helper } from "../helpers/helper.ts";
import { inThread } from "../helpers/thread.ts";
import type { FoundDocument, IndexedDocument, Place, VectorStore } from "./port.ts";

/** What the store's thread is asked. */
export type EmbeddedRequest =
  | { readonly kind: "put"; readonly place: Place; readonly documents: readonly IndexedDocument[] }
  | { readonly kind: "search"; readonly place: Place; readonly embedding: readonly number[]; readonly limit: number };

/**
 * Vectors in a SQLite file, searched exactly, in a thread of their own: a search over many of them must not hold up the
 * server.
 */
export function openEmbedded(file: string): VectorStore {
  const script = new URL("./embedded-thread.ts", import.meta.url);
  const thread = new Helper<EmbeddedRequest, unknown>(inThread(script, { file }));
  return {
    async put(place, documents) {
      await thread.call({ kind: "put", place, documents });
    },
    // Not given up with its task: it takes a moment, and to stop it would stop the others in the thread.
    search: async (place, { embedding, limit }) =>
      (await thread.call({ kind: "search", place, embedding, limit })) as FoundDocument[],
    close: () => thread.close(),
  };
}
