import { randomUUID } from "node:crypto";
import type { JSONObject, LanguageModelV4ProviderTool } from "@ai-sdk/provider";
import type { ChatInput } from "../chat/chat-input.ts";
import { geminiImages } from "./gemini-images.ts";
import { geminiVideo } from "./gemini-video.ts";
import { lazy } from "./lazy.ts";
import type { ChatRequestParts, ProviderKind, ProviderSettings } from "./provider.ts";
import { versioned } from "./urls.ts";

/** Google's models: with a key at Google AI, without one in a project of Google Cloud. */
export const gemini: ProviderKind = {
  id: "vertex_ai",
  aliases: ["google_gemini", "gemini"],
  block: "gemini",
  statusName: "gemini",
  isConfigured: ({ apiKey, more }) => apiKey !== "" || (more["projectId"] ?? "") !== "",
  open(settings, fetch) {
    const library = settings.apiKey === "" ? cloudLibrary(settings, fetch) : keyLibrary(settings, fetch);
    return {
      chat: {
        model: async (id) => (await library()).languageModel(id),
        defaultModel: "gemini-2.5-flash",
        failure: { call: "Gemini generateContent failed", api: "Gemini API error" },
        hasOneSystemText: true,
        request: requestParts,
      },
      embeddings: {
        model: async (id) => (await library()).embeddingModel(id),
        failure: { call: "Gemini embedContent failed", api: "Gemini API error" },
        hasDimensions: true,
      },
      images: geminiImages({ library, settings, fetch, keyUrl: keyUrl(settings) }),
      speech: {
        model: async (id) => (await library()).speechModel(id),
        failure: { call: "Gemini generateAudio failed", api: "Gemini API error" },
        mimeType: (format) => (format === "pcm" ? "audio/pcm" : "audio/wav"),
      },
      video: geminiVideo({ model: async (id) => (await library()).videoModel(id), fetch }),
    };
  },
};

const keyUrl = ({ baseUrl }: ProviderSettings): string =>
  versioned(baseUrl === "" ? "https://generativelanguage.googleapis.com" : baseUrl, "v1beta");

const keyLibrary = (settings: ProviderSettings, fetch: typeof globalThis.fetch) =>
  lazy(async () => {
    const { createGoogle } = await import("@ai-sdk/google");
    return createGoogle({ apiKey: settings.apiKey, baseURL: keyUrl(settings), fetch, generateId: randomUUID });
  });

const cloudLibrary = ({ baseUrl, more }: ProviderSettings, fetch: typeof globalThis.fetch) =>
  lazy(async () => {
    const { createGoogleVertex } = await import("@ai-sdk/google-vertex");
    const keyFilename = more["credentialsFile"] ?? "";
    return createGoogleVertex({
      // Left out, a key in the environment would be used in the place of the project's identity.
      apiKey: "",
      project: more["projectId"] ?? "",
      location: more["location"] ?? "us-central1",
      fetch,
      generateId: randomUUID,
      ...(baseUrl === "" ? {} : { baseURL: baseUrl }),
      ...(keyFilename === "" ? {} : { googleAuthOptions: { keyFilename } }),
    });
  });

function requestParts(input: ChatInput): ChatRequestParts {
  const tools: LanguageModelV4ProviderTool[] = [];
  if (input.webSearch || input.googleSearchRetrieval) {
    tools.push({ type: "provider", id: "google.google_search", name: "google_search", args: {} });
  }
  if (input.codeInterpreter) {
    tools.push({ type: "provider", id: "google.code_execution", name: "code_execution", args: {} });
  }
  const thinkingConfig = {
    ...(input.thinkingTokenLimit > 0 ? { thinkingBudget: input.thinkingTokenLimit } : {}),
    ...(input.reasoningSummary === undefined ? {} : { includeThoughts: true }),
  };
  const options: JSONObject = Object.keys(thinkingConfig).length === 0 ? {} : { thinkingConfig };
  return { tools, providerOptions: { google: options, vertex: options } };
}
