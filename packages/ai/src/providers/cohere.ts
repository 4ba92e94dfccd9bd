import { lazy } from "./lazy.ts";
import type { ProviderKind } from "./provider.ts";
import { versioned } from "./urls.ts";

export const cohere: ProviderKind = {
  id: "cohere",
  aliases: [],
  block: "cohere",
  statusName: "cohere",
  isConfigured: ({ apiKey }) => apiKey !== "",
  open({ apiKey, baseUrl }, fetch) {
    const library = lazy(async () => {
      const { createCohere } = await import("@ai-sdk/cohere");
      return createCohere({
        apiKey,
        fetch,
        baseURL: versioned(baseUrl === "" ? "https://api.cohere.ai" : baseUrl, "v2"),
      });
    });
    return {
      chat: {
        model: async (id) => (await library()).languageModel(id),
        failure: { call: "Cohere Chat API call failed", api: "Cohere Chat API failed with status" },
      },
      embeddings: {
        model: async (id) => (await library()).embeddingModel(id),
        failure: { call: "Cohere Embed API call failed", api: "Cohere Embed API failed with status" },
        providerOptions: ({ dimensions }) => ({
          cohere: {
            inputType: "search_document",
            ...(dimensions === undefined ? {} : { outputDimension: dimensions }),
          },
        }),
      },
      refusals: { images: "Image generation not supported by Cohere" },
    };
  },
};
