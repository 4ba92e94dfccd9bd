import { lazy } from "./lazy.ts";
import type { ProviderKind } from "./provider.ts";
import { versioned } from "./urls.ts";

export const mistral: ProviderKind = {
  id: "mistral",
  aliases: [],
  block: "mistral",
  statusName: "mistral",
  isConfigured: ({ apiKey }) => apiKey !== "",
  open({ apiKey, baseUrl }, fetch) {
    const library = lazy(async () => {
      const { createMistral } = await import("@ai-sdk/mistral");
      return createMistral({
        apiKey,
        fetch,
        baseURL: versioned(baseUrl === "" ? "https://api.mistral.ai" : baseUrl, "v1"),
      });
    });
    return {
      chat: {
        model: async (id) => (await library()).languageModel(id),
        failure: { call: "Mistral API call failed", api: "Mistral API failed with status" },
        hasJsonMode: true,
      },
      embeddings: {
        model: async (id) => (await library()).embeddingModel(id),
        failure: { call: "Mistral embeddings API call failed", api: "Mistral embeddings API failed with status" },
      },
    };
  },
};
