import type { JsonObject } from "@downbeat/engine";
import { input } from "../input.ts";
import { isRole, type Message, plainSchema, type Role, readMessage, readToolSpec, type ToolSpec } from "./messages.ts";

const DEFAULT_MAX_TOKENS = 8192;

/** The messages that the definition gave, beside those that the model was shown: a rerun begins with these again. */
export const GIVEN_MESSAGES = "_givenMessages";

/** What a chat task asks for, with defaults. */
export type ChatInput = Sampling & {
  readonly llmProvider: string | undefined;
  readonly model: string;
  readonly baseUrl: string | undefined;
  readonly messages: readonly Message[];
  readonly userInput: string | undefined;
  readonly instructions: string | undefined;
  readonly tools: readonly ToolSpec[];
  /** Undefined: a reply that is an object is parsed all the same. */
  readonly jsonOutput: boolean | undefined;
  readonly inputSchema: JsonObject | undefined;
  readonly outputSchema: JsonObject | undefined;
  /** Roles by reference name. */
  readonly participants: ReadonlyMap<string, Role>;
  readonly webSearch: boolean;
  readonly codeInterpreter: boolean;
  readonly fileSearchVectorStoreIds: readonly string[];
  readonly googleSearchRetrieval: boolean;
  readonly thinkingTokenLimit: number;
  readonly reasoningEffort: string | undefined;
  readonly reasoningSummary: string | undefined;
  readonly previousResponseId: string | undefined;
  /** The model's window as the caller knows it; undefined for the built-in table. */
  readonly contextWindow: number | undefined;
  /** Sent when media are loaded. */
  readonly headers: Readonly<Record<string, string>>;
};

export type Sampling = {
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly topK: number | undefined;
  readonly frequencyPenalty: number | undefined;
  readonly presencePenalty: number | undefined;
  readonly stop: readonly string[];
  readonly maxTokens: number;
};

export function readChatInput(from: JsonObject): ChatInput {
  const inputSchema = input.object(from, "inputSchema");
  const outputSchema = input.object(from, "outputSchema");
  return {
    ...readSampling(from),
    llmProvider: input.word(from, "llmProvider"),
    model: input.word(from, "model") ?? "",
    baseUrl: input.word(from, "baseUrl"),
    messages: input.list(from, Array.isArray(from[GIVEN_MESSAGES]) ? GIVEN_MESSAGES : "messages").map(readMessage),
    userInput: input.text(from, "userInput"),
    instructions: input.text(from, "instructions") ?? input.text(from, "prompt"),
    tools: input.list(from, "tools").map(readToolSpec),
    jsonOutput: input.flag(from, "jsonOutput"),
    inputSchema: inputSchema && plainSchema(inputSchema),
    outputSchema: outputSchema && plainSchema(outputSchema),
    participants: readParticipants(from),
    webSearch: input.flag(from, "webSearch") ?? false,
    codeInterpreter: input.flag(from, "codeInterpreter") ?? false,
    fileSearchVectorStoreIds: input.texts(from, "fileSearchVectorStoreIds"),
    googleSearchRetrieval: input.flag(from, "googleSearchRetrieval") ?? false,
    thinkingTokenLimit: input.integer(from, "thinkingTokenLimit") ?? 0,
    reasoningEffort: input.word(from, "reasoningEffort")?.toLowerCase(),
    reasoningSummary: input.word(from, "reasoningSummary"),
    previousResponseId: input.word(from, "previousResponseId"),
    contextWindow: positive(input.integer(from, "contextWindowBudget")),
    headers: readHeaders(from),
  };
}

export function readSampling(from: JsonObject): Sampling {
  const stopSequences = input.texts(from, "stopSequences");
  return {
    temperature: input.number(from, "temperature"),
    topP: input.number(from, "topP"),
    topK: input.integer(from, "topK"),
    frequencyPenalty: input.number(from, "frequencyPenalty"),
    presencePenalty: input.number(from, "presencePenalty"),
    stop: stopSequences.length > 0 ? stopSequences : input.texts(from, "stopWords"),
    maxTokens: positive(input.integer(from, "maxTokens")) ?? DEFAULT_MAX_TOKENS,
  };
}

const positive = (value: number | undefined): number | undefined =>
  value !== undefined && value > 0 ? value : undefined;

/** A map of roles by reference name; a bare list of names means the assistant's. */
function readParticipants(from: JsonObject): ReadonlyMap<string, Role> {
  const given = from["participants"];
  if (Array.isArray(given)) return new Map(given.map((ref) => [String(ref), "assistant"]));
  const roles = new Map<string, Role>();
  for (const [ref, role] of Object.entries(input.object(from, "participants") ?? {})) {
    const name = String(role).toLowerCase();
    if (!isRole(name)) throw new Error(`Expected the role of participant "${ref}" to be a message role, got "${role}"`);
    roles.set(ref, name);
  }
  return roles;
}

function readHeaders(from: JsonObject): Readonly<Record<string, string>> {
  const headers = Object.entries(input.object(from, "headers") ?? {});
  return Object.fromEntries(headers.map(([name, value]) => [name, String(value)]));
}
