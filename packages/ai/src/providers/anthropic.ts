import type { JSONObject, LanguageModelV4ProviderTool } from "@ai-sdk/provider";
import type { ChatInput } from "../chat/chat-input.ts";
import { lazy } from "./lazy.ts";
import type { ChatRequestParts, ProviderKind, Turn } from "./provider.ts";
import { versioned } from "./urls.ts";

export const anthropic: ProviderKind = {
  id: "anthropic",
  aliases: [],
  block: "anthropic",
  statusName: "anthropic",
  isConfigured: ({ apiKey }) => apiKey !== "",
  open({ apiKey, baseUrl, more }, fetch) {
    const library = lazy(async () => {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      const baseURL = versioned(baseUrl === "" ? "https://api.anthropic.com" : baseUrl, "v1");
      return createAnthropic({ apiKey, baseURL, fetch, headers: headersOf(more) });
    });
    return {
      chat: {
        model: async (id) => (await library()).languageModel(id),
        failure: { call: "Anthropic Messages API call failed", api: "Anthropic Messages API failed with status" },
        hasOneSystemText: true,
        hasNoPrefill: true,
        request: requestParts,
      },
    };
  },
};

function headersOf({ version = "", betaVersion = "" }: Readonly<Record<string, string>>): Record<string, string> {
  return {
    ...(version === "" ? {} : { "anthropic-version": version }),
    ...(betaVersion === "" ? {} : { "anthropic-beta": betaVersion }),
  };
}

function requestParts(given: ChatInput, { hasLostThoughts }: Turn): ChatRequestParts {
  // Claude refuses to think on after a call whose thoughts it is not shown.
  const input = hasLostThoughts ? { ...given, thinkingTokenLimit: 0 } : given;
  const { maxTokens, thinkingTokenLimit: budget } = input;
  const tools: LanguageModelV4ProviderTool[] = [];
  if (input.webSearch) {
    tools.push({ type: "provider", id: "anthropic.web_search_20250305", name: "web_search", args: {} });
  }
  if (input.codeInterpreter) {
    tools.push({ type: "provider", id: "anthropic.code_execution_20250825", name: "code_execution", args: {} });
  }
  const hasBudget = budget > 0 && !thinksByItself(input.model);
  return {
    tools,
    providerOptions: { anthropic: { ...thinkingOf(input), ...effortOf(input) } },
    // The library adds the budget to what it is given, the API counts it in.
    ...(hasBudget && maxTokens > budget ? { maxOutputTokens: maxTokens - budget } : {}),
  };
}

/** Models that decide for themselves how long to think, and are only told how hard to try. */
const thinksByItself = (model: string): boolean => /opus|fable|mythos/i.test(model);

function thinkingOf({ model, thinkingTokenLimit, reasoningSummary }: ChatInput): JSONObject {
  if (thinkingTokenLimit <= 0) return {};
  if (!thinksByItself(model)) return { thinking: { type: "enabled", budgetTokens: thinkingTokenLimit } };
  return { thinking: { type: "adaptive", ...(reasoningSummary === undefined ? {} : { display: "summarized" }) } };
}

const efforts = new Set(["low", "medium", "high", "xhigh", "max"]);

function effortOf({ model, thinkingTokenLimit: budget, reasoningEffort }: ChatInput): JSONObject {
  if (reasoningEffort !== undefined) return efforts.has(reasoningEffort) ? { effort: reasoningEffort } : {};
  if (budget <= 0 || !thinksByItself(model)) return {};
  return { effort: budget < 4000 ? "low" : budget < 16_000 ? "medium" : budget < 32_000 ? "high" : "xhigh" };
}
