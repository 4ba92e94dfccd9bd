import { lazy } from "./lazy.ts";
import type { ChatProvider, ProviderKind } from "./provider.ts";
import { versioned } from "./urls.ts";

type CompatibleOptions = {
  readonly name: string;
  readonly apiKey: string;
  readonly baseURL: string;
  readonly fetch: typeof globalThis.fetch;
};

/** Chat over the Chat Completions API, which many speak. */
function completionsChat({ name, apiKey, baseURL, fetch }: CompatibleOptions): ChatProvider {
  const library = lazy(async () => {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    return createOpenAICompatible({ name, baseURL, fetch, includeUsage: true, ...(apiKey === "" ? {} : { apiKey }) });
  });
  return {
    model: async (id) => (await library()).chatModel(id),
    failure: { call: "Chat Completions API call failed", api: "Chat Completions API failed with status" },
  };
}

const hasKey: ProviderKind["isConfigured"] = ({ apiKey }) => apiKey !== "";

export const grok: ProviderKind = {
  id: "Grok",
  aliases: ["xai"],
  block: "grok",
  statusName: "grok",
  isConfigured: hasKey,
  open({ apiKey, baseUrl }, fetch) {
    const baseURL = versioned(baseUrl === "" ? "https://api.x.ai" : baseUrl, "v1");
    return { chat: completionsChat({ name: "grok", apiKey, baseURL, fetch }) };
  },
};

export const perplexity: ProviderKind = {
  id: "perplexity",
  aliases: [],
  block: "perplexity",
  statusName: "perplexity",
  isConfigured: hasKey,
  open({ apiKey, baseUrl }, fetch) {
    const baseURL = (baseUrl === "" ? "https://api.perplexity.ai" : baseUrl).replace(/\/+$/, "");
    return { chat: completionsChat({ name: "perplexity", apiKey, baseURL, fetch }) };
  },
};

export const litellm: ProviderKind = {
  id: "litellm",
  aliases: [],
  block: "litellm",
  isConfigured: ({ baseUrl }) => baseUrl !== "",
  open({ apiKey, baseUrl }, fetch) {
    const baseURL = versioned(baseUrl === "" ? "http://localhost:4000" : baseUrl, "v1");
    return { chat: completionsChat({ name: "litellm", apiKey, baseURL, fetch }) };
  },
};
