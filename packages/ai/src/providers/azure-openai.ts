import { openaiEmbeddings, openaiImages } from "./openai-media.ts";
import { openaiLibrary, responsesChat } from "./openai-responses.ts";
import type { ProviderKind } from "./provider.ts";

/** OpenAI's models as a service of Azure: the same API below the resource's own address. `model` is the deployment. */
export const azureOpenai: ProviderKind = {
  id: "azure_openai",
  aliases: ["azureopenai"],
  block: "azureopenai",
  statusName: "azureopenai",
  isConfigured: ({ apiKey, baseUrl }) => apiKey !== "" && baseUrl !== "",
  open({ apiKey, baseUrl, more }, fetch) {
    const library = openaiLibrary({ apiKey, baseURL: azureUrl(baseUrl), fetch: withApiKey(apiKey, fetch) });
    const chat = responsesChat(library, {
      hasTools: false,
      chains: true,
      hasOwnModelNames: true,
      user: more["user"] ?? "",
    });
    const defaultModel = more["deploymentName"] ?? "";
    return {
      chat: defaultModel === "" ? chat : { ...chat, defaultModel },
      embeddings: openaiEmbeddings(library),
      images: openaiImages(library),
    };
  },
};

function azureUrl(endpoint: string): string {
  const plain = endpoint.replace(/\/+$/, "");
  return /\/openai(\/|$)/.test(plain) ? plain.replace(/\/openai$/, "/openai/v1") : `${plain}/openai/v1`;
}

/** Azure reads the key from a header of its own. */
const withApiKey =
  (apiKey: string, fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers);
    headers.delete("authorization");
    headers.set("api-key", apiKey);
    return fetch(input, { ...init, headers });
  };
