import type { AiTask } from "../ai-task.ts";
import { embed } from "../embeddings/embed.ts";
import { TerminalError } from "../errors.ts";
import { input } from "../input.ts";
import { completed } from "../results.ts";

/** LLM_GENERATE_EMBEDDINGS: a text as a vector. */
export const llmGenerateEmbeddings: AiTask = {
  type: "LLM_GENERATE_EMBEDDINGS",
  async run({ input: from, signal }, { providers }) {
    const text = input.text(from, "text") ?? "";
    if (text.trim() === "") throw new TerminalError("No input text provided to generate embeddings");
    const result = await embed(providers, {
      llmProvider: input.word(from, "llmProvider"),
      model: input.word(from, "model") ?? "",
      baseUrl: input.word(from, "baseUrl"),
      text,
      dimensions: input.integer(from, "dimensions"),
      signal,
    });
    return completed({ result });
  },
};
