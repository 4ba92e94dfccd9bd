import type {
  EmbeddingModelV4,
  JSONObject,
  LanguageModelV4,
  LanguageModelV4ProviderTool,
  SpeechModelV4,
} from "@ai-sdk/provider";
import type { ChatInput } from "../chat/chat-input.ts";

/** What is known of one configured provider. An empty text is an absent value. */
export type ProviderSettings = {
  /** What tasks call it. */
  readonly name: string;
  readonly apiKey: string;
  readonly baseUrl: string;
  /** Longest call, all tries together. */
  readonly timeoutMs: number;
  /** Calls under way at once; 0 for the server's own limit. */
  readonly maxConcurrentCalls: number;
  /** Settings that only this kind has, in camel case. */
  readonly more: Readonly<Record<string, string>>;
};

/** A provider as the server knows it before it is used. */
export type ProviderKind = {
  readonly id: string;
  readonly aliases: readonly string[];
  /** Its part of the configuration: `service.ai.<block>.`. */
  readonly block: string;
  /** How the status route spells it; undefined for those it does not list. */
  readonly statusName?: string;
  readonly isConfigured: (settings: ProviderSettings) => boolean;
  /** Loads nothing: what a provider needs is imported when a model of it is first used. */
  readonly open: (settings: ProviderSettings, fetch: typeof globalThis.fetch) => Provider;
};

/** What a provider can do; what is absent it cannot. */
export type Provider = {
  readonly chat?: ChatProvider;
  readonly embeddings?: EmbeddingProvider;
  readonly images?: ImageProvider;
  readonly speech?: SpeechProvider;
  readonly video?: VideoProvider;
  /** The words it refuses with, where they differ from the usual ones. */
  readonly refusals?: { readonly chat?: string; readonly embeddings?: string; readonly images?: string };
};

export type ProviderOptions = Record<string, JSONObject>;

export type ChatProvider = {
  readonly model: (id: string) => Promise<LanguageModelV4>;
  readonly defaultModel?: string;
  readonly failure: FailureWords;
  /** One place for system text, before the conversation: several are joined. */
  readonly hasOneSystemText?: true;
  /** The conversation may not end with, or be continued from, the assistant's own words. */
  readonly hasNoPrefill?: true;
  /** Can be told to answer in JSON. */
  readonly hasJsonMode?: true;
  /** Keeps responses that the next call may refer to. */
  readonly chainsResponses?: true;
  readonly tellsResponseId?: true;
  /** What a request says in the provider's own words. */
  readonly request?: (input: ChatInput, turn: Turn) => ChatRequestParts;
};

/** Where in the conversation the request stands. */
export type Turn = {
  /** It answers tool calls before which the model's thoughts are not known any more. */
  readonly hasLostThoughts: boolean;
};

export type ChatRequestParts = {
  readonly providerOptions?: ProviderOptions;
  /** Tools that the provider runs itself. */
  readonly tools?: readonly LanguageModelV4ProviderTool[];
  /** Sampling does not apply to this model: temperature, topP and stop are left out. */
  readonly isReasoning?: boolean;
  /** Instead of the input's maxTokens. */
  readonly maxOutputTokens?: number;
};

export type EmbeddingProvider = {
  readonly model: (id: string) => Promise<EmbeddingModelV4>;
  readonly failure: FailureWords;
  readonly providerOptions?: (request: { readonly dimensions?: number }) => ProviderOptions;
  /** Takes a number of dimensions. */
  readonly hasDimensions?: true;
};

export type ImageRequest = {
  readonly prompt: string;
  readonly width: number;
  readonly height: number;
  readonly size: string | undefined;
  readonly n: number;
  readonly style: string | undefined;
  readonly outputFormat: string;
};

export type ImageProvider = {
  readonly failure: FailureWords;
  readonly generate: (request: ImageRequest, model: string, signal: AbortSignal) => Promise<GeneratedImages>;
};

export type GeneratedImages = {
  readonly images: readonly GeneratedFile[];
  readonly promptTokens: number;
  readonly completionTokens: number;
};

/** Bytes and what they are; no type when the provider does not say. */
export type GeneratedFile = { readonly bytes: Uint8Array; readonly mimeType?: string };

/** Made, and kept by the provider at an address that could not be read from here. */
export type RemoteFile = { readonly location: string; readonly mimeType: string };

export type SpeechProvider = {
  readonly model: (id: string) => Promise<SpeechModelV4>;
  readonly failure: FailureWords;
  /** The type of the bytes for a wanted format. */
  readonly mimeType: (format: string) => string;
};

export type VideoRequest = {
  readonly prompt: string;
  readonly image: GeneratedFile | undefined;
  readonly durationSeconds: number;
  readonly size: string;
  readonly fps: number;
  readonly n: number;
  readonly aspectRatio: string | undefined;
  readonly resolution: string | undefined;
  readonly negativePrompt: string | undefined;
  readonly personGeneration: string | undefined;
  readonly generateAudio: boolean | undefined;
  readonly seed: number | undefined;
};

/** Videos take minutes: a job is handed in, then asked about. */
export type VideoProvider = {
  /** Gives the id of the job. */
  readonly submit: (request: VideoRequest, model: string, signal: AbortSignal) => Promise<string>;
  readonly check: (jobId: string, model: string, signal: AbortSignal) => Promise<VideoState>;
};

export type VideoState =
  | { readonly kind: "working"; readonly status: string }
  | { readonly kind: "done"; readonly files: readonly (GeneratedFile | RemoteFile)[] }
  | { readonly kind: "failed"; readonly reason: string };

/** `<call>: <api> <status>: <body>` is the reason of a refused call. */
export type FailureWords = { readonly call: string; readonly api: string };
