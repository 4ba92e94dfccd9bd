import type { AiTask } from "../ai-task.ts";
import { TerminalError } from "../errors.ts";
import { input } from "../input.ts";
import { completed } from "../results.ts";
import { embedText } from "../vector/index-text.ts";
import { readLimit, readPlace } from "../vector/place.ts";

/** LLM_SEARCH_INDEX: embeds a query and finds the nearest documents. */
export const llmSearchIndex: AiTask = {
  type: "LLM_SEARCH_INDEX",
  async run({ input: from, signal }, services) {
    const query = input.text(from, "query") ?? "";
    if (query.trim() === "") throw new TerminalError("No input text provided to generate embeddings");
    const place = readPlace(from);
    const store = await services.tools.vectors.find(input.text(from, "vectorDB") ?? "");
    const embedding = await embedText(from, query, services, signal);
    return completed({ result: await store.search(place, { embedding, limit: readLimit(from), signal }) });
  },
};
