import { ollamaEmbeddings, ollamaModel } from "./ollama-model.ts";
import type { ProviderKind } from "./provider.ts";

/** Models on one's own machine. Needs no key, so it is always there to be tried. */
export const ollama: ProviderKind = {
  id: "ollama",
  aliases: [],
  block: "ollama",
  statusName: "ollama",
  isConfigured: () => true,
  open({ baseUrl, more }, fetch) {
    const options = { url: `${ollamaUrl(baseUrl).replace(/\/api$/, "")}/api`, headers: headersOf(more), fetch };
    return {
      chat: {
        model: async (id) => ollamaModel(options, id),
        failure: { call: "Ollama API call failed", api: "Ollama API failed with status" },
        hasJsonMode: true,
      },
      embeddings: {
        model: async (id) => ollamaEmbeddings(options, id),
        failure: { call: "Ollama embed API call failed", api: "Ollama API failed with status" },
      },
    };
  },
};

/** OLLAMA_HOST may be a bare host and port. */
export function ollamaUrl(baseUrl: string): string {
  const url = baseUrl === "" ? "http://localhost:11434" : baseUrl;
  return (/^https?:\/\//i.test(url) ? url : `http://${url}`).replace(/\/+$/, "");
}

function headersOf({ authHeaderName = "", authHeader = "" }: Readonly<Record<string, string>>): Record<string, string> {
  return authHeader === "" ? {} : { [authHeaderName === "" ? "Authorization" : authHeaderName]: authHeader };
}
