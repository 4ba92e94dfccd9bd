import { randomUUID } from "node:crypto";
import type {
  JSONSchema7,
  LanguageModelV4FunctionTool,
  LanguageModelV4ToolCall,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { isJsonObject, type Json, type JsonObject } from "@downbeat/engine";
import type { ToolCall, ToolSpec } from "./messages.ts";

const anything: JSONSchema7 = { type: "object", properties: {} };

/** The tools a model is offered. The server never runs them: it gives the calls back. */
export const toFunctionTools = (tools: readonly ToolSpec[]): LanguageModelV4FunctionTool[] =>
  tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    ...(description === undefined ? {} : { description }),
    inputSchema: (inputSchema as JSONSchema7 | undefined) ?? anything,
  }));

/** Providers that want to see their own notes on a call again. Others would be shown ids that only they know. */
const keepers = ["anthropic", "google", "vertex", "googleVertex"];

/** The part of a provider's notes that has to go with a call; undefined when there is none. */
export function keptMetadata(metadata: SharedV4ProviderMetadata | undefined): JsonObject | undefined {
  const kept = Object.entries(metadata ?? {}).filter(([name]) => keepers.includes(name));
  return kept.length === 0 ? undefined : (Object.fromEntries(kept) as JsonObject);
}

/** A call of a reply, as the next task takes it. */
export const toToolCall = (
  { toolCallId, toolName, providerMetadata }: LanguageModelV4ToolCall,
  given: JsonObject,
  tools: readonly ToolSpec[],
): ToolCall => {
  const kept = keptMetadata(providerMetadata);
  return {
    taskReferenceName: toolCallId === "" ? randomUUID() : toolCallId,
    name: toolName,
    type: tools.find(({ name }) => name === toolName)?.type ?? "SIMPLE",
    inputParameters: { ...given, method: toolName },
    integrationNames: {},
    ...(kept === undefined ? {} : { providerMetadata: kept }),
  };
};

/** What a model wrote, as far as it can be read; texts that hold JSON are taken for what they hold. */
export function argumentsOf(text: string): JsonObject {
  const value = parseDeep(text);
  return isJsonObject(value) ? value : {};
}

function parseDeep(value: Json): Json {
  if (typeof value === "string") {
    const text = value.trim();
    if (!/^(\{.*\}|\[.*\])$/s.test(text)) return value;
    try {
      return parseDeep(JSON.parse(text) as Json);
    } catch {
      // It only looked like JSON: a text it is.
      return value;
    }
  }
  if (Array.isArray(value)) return value.map((item) => parseDeep(item as Json));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, parseDeep(member)]));
}
