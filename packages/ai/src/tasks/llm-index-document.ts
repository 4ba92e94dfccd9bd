import type { AiTask } from "../ai-task.ts";
import { completed } from "../results.ts";
import { indexText } from "../vector/index-text.ts";

/** LLM_INDEX_DOCUMENT: LLM_INDEX_TEXT by the name under which documents at a URL are indexed. */
export const llmIndexDocument: AiTask = {
  type: "LLM_INDEX_DOCUMENT",
  async run(call, services) {
    await indexText(call, services);
    return completed({});
  },
};
