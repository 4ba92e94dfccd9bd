import type { JSONObject, LanguageModelV4ProviderTool } from "@ai-sdk/provider";
import type { ChatInput } from "../chat/chat-input.ts";
import { lazy } from "./lazy.ts";
import type { ChatProvider, ChatRequestParts } from "./provider.ts";

type ResponsesOptions = {
  readonly apiKey: string;
  /** With its version. */
  readonly baseURL: string;
  readonly fetch: typeof globalThis.fetch;
  readonly organization?: string;
};

/** OpenAI's own library, loaded when first used: for OpenAI and those who speak its Responses API. */
export const openaiLibrary = ({ organization = "", ...options }: ResponsesOptions) =>
  lazy(async () => {
    const { createOpenAI } = await import("@ai-sdk/openai");
    return createOpenAI({ ...options, ...(organization === "" ? {} : { organization }) });
  });

export type OpenAILibrary = ReturnType<typeof openaiLibrary>;

const failure = { call: "OpenAI Responses API call failed", api: "Responses API failed with status" };

type Features = {
  /** Provider-side search, code and files. */
  readonly hasTools: boolean;
  readonly chains: boolean;
  /** Model names are the user's own: only the request tells whether it reasons. */
  readonly hasOwnModelNames?: boolean;
  readonly user?: string;
};

/** Chat over the Responses API. */
export const responsesChat = (library: OpenAILibrary, features: Features): ChatProvider => ({
  model: async (id) => (await library()).responses(id),
  failure,
  hasJsonMode: true,
  tellsResponseId: true,
  ...(features.chains ? { chainsResponses: true } : {}),
  request: (input) => requestParts(input, features),
});

const isReasoningModel = (model: string): boolean => /^(o1|o3|o4|gpt-5)/i.test(model);

function requestParts(input: ChatInput, { hasTools, chains, hasOwnModelNames = false, user = "" }: Features) {
  const { reasoningEffort, reasoningSummary, previousResponseId } = input;
  const asksForReasoning = reasoningEffort !== undefined || reasoningSummary !== undefined;
  const isReasoning = isReasoningModel(input.model) || (hasOwnModelNames && asksForReasoning);
  const options: JSONObject = {
    ...(isReasoning ? { forceReasoning: true } : {}),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    // Left out, the library would ask for one by itself.
    ...(asksForReasoning ? { reasoningSummary: reasoningSummary ?? null } : {}),
    ...(chains && previousResponseId !== undefined ? { previousResponseId } : {}),
    ...(user === "" ? {} : { user }),
  };
  const parts: ChatRequestParts = {
    providerOptions: { openai: options },
    isReasoning,
    tools: hasTools ? ownTools(input) : [],
  };
  return parts;
}

function ownTools({ webSearch, codeInterpreter, fileSearchVectorStoreIds }: ChatInput): LanguageModelV4ProviderTool[] {
  const tools: LanguageModelV4ProviderTool[] = [];
  if (webSearch) tools.push({ type: "provider", id: "openai.web_search", name: "web_search", args: {} });
  if (codeInterpreter) {
    tools.push({ type: "provider", id: "openai.code_interpreter", name: "code_interpreter", args: {} });
  }
  if (fileSearchVectorStoreIds.length > 0) {
    const args = { vectorStoreIds: fileSearchVectorStoreIds };
    tools.push({ type: "provider", id: "openai.file_search", name: "file_search", args });
  }
  return tools;
}
