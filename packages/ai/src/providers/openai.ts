import { openaiEmbeddings, openaiImages, openaiSpeech } from "./openai-media.ts";
import { openaiLibrary, responsesChat } from "./openai-responses.ts";
import { openaiVideo } from "./openai-video.ts";
import type { ProviderKind } from "./provider.ts";
import { versioned } from "./urls.ts";

export const openai: ProviderKind = {
  id: "openai",
  aliases: [],
  block: "openai",
  statusName: "openai",
  isConfigured: ({ apiKey }) => apiKey !== "",
  open({ apiKey, baseUrl, more }, fetch) {
    const baseURL = versioned(baseUrl === "" ? "https://api.openai.com" : baseUrl, "v1");
    const library = openaiLibrary({ apiKey, baseURL, fetch, organization: more["organizationId"] ?? "" });
    return {
      chat: responsesChat(library, { hasTools: true, chains: true }),
      embeddings: openaiEmbeddings(library),
      images: openaiImages(library),
      speech: openaiSpeech(library),
      video: openaiVideo({ apiKey, baseURL, fetch }),
    };
  },
};
