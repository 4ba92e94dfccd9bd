import type { AiTask } from "../ai-task.ts";
import { input } from "../input.ts";
import { completed } from "../results.ts";
import { readLimit, readPlace } from "../vector/place.ts";
import { readEmbedding } from "../vector/read-embedding.ts";

/** LLM_SEARCH_EMBEDDINGS: finds the documents nearest to a vector that is at hand. */
export const llmSearchEmbeddings: AiTask = {
  type: "LLM_SEARCH_EMBEDDINGS",
  aliases: ["LLM_GET_EMBEDDINGS"],
  retriesByDefault: false,
  async run({ input: from, signal }, { tools }) {
    const place = readPlace(from);
    const store = await tools.vectors.find(input.text(from, "vectorDB") ?? "");
    const search = { embedding: readEmbedding(from), limit: readLimit(from), signal };
    return completed({ result: await store.search(place, search) });
  },
};
