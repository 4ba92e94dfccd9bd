import { openaiLibrary, responsesChat } from "./openai-responses.ts";
import type { ProviderKind } from "./provider.ts";
import { versioned } from "./urls.ts";

/** Models of many makers behind Hugging Face's router, which speaks the Responses API. */
export const huggingface: ProviderKind = {
  id: "huggingface",
  aliases: [],
  block: "huggingface",
  statusName: "huggingface",
  isConfigured: ({ apiKey }) => apiKey !== "",
  open({ apiKey, baseUrl }, fetch) {
    const baseURL = versioned(baseUrl === "" ? "https://router.huggingface.co" : baseUrl, "v1");
    return { chat: responsesChat(openaiLibrary({ apiKey, baseURL, fetch }), { hasTools: false, chains: false }) };
  },
};
