import type { AiTask } from "../ai-task.ts";
import { completed } from "../results.ts";
import { indexText } from "../vector/index-text.ts";

/** LLM_INDEX_TEXT: embeds a text and stores it in a vector store. */
export const llmIndexText: AiTask = {
  type: "LLM_INDEX_TEXT",
  async run(call, services) {
    await indexText(call, services);
    return completed({});
  },
};
