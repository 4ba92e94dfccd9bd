import { randomUUID } from "node:crypto";
import type { AiTask } from "../ai-task.ts";
import { input } from "../input.ts";
import { completed } from "../results.ts";
import { readPlace } from "../vector/place.ts";
import { readEmbedding } from "../vector/read-embedding.ts";

/** LLM_STORE_EMBEDDINGS: stores a vector that is at hand. */
export const llmStoreEmbeddings: AiTask = {
  type: "LLM_STORE_EMBEDDINGS",
  async run({ input: from, signal }, { tools }) {
    const place = readPlace(from);
    const store = await tools.vectors.find(input.text(from, "vectorDB") ?? "");
    const document = {
      id: input.word(from, "id") ?? input.word(from, "docId") ?? randomUUID(),
      parentId: "",
      text: "",
      embedding: readEmbedding(from),
      metadata: input.object(from, "metadata") ?? {},
    };
    await store.put(place, [document], signal);
    return completed({ result: 1 });
  },
};
