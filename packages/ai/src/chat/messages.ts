import { isJsonObject, type Json, type JsonObject, renderText } from "@downbeat/engine";
import { input } from "../input.ts";

export type Role = "system" | "user" | "assistant" | "tool_call" | "tool";

const roles: ReadonlySet<string> = new Set(["system", "user", "assistant", "tool_call", "tool"]);

export const isRole = (text: string): text is Role => roles.has(text);

/** One item of a conversation, as tasks carry it. */
export type Message = {
  readonly role: Role;
  /** Undefined: none was given, which is not the same as a blank one. */
  readonly message?: string;
  readonly media?: readonly string[];
  readonly mimeType?: string;
  readonly toolCalls?: readonly ToolCall[];
};

export type ToolCall = {
  /** The provider's id of the call. */
  readonly taskReferenceName: string;
  readonly name: string;
  readonly type: string;
  readonly inputParameters: JsonObject;
  readonly output?: Json;
  readonly integrationNames?: JsonObject;
  /** What the provider wants to see again with the call. */
  readonly providerMetadata?: JsonObject;
  /** What the model thought before it called: some want their own thoughts back, signed. */
  readonly reasoning?: readonly Thought[];
};

export type Thought = { readonly text: string; readonly providerMetadata: JsonObject };

export type ToolSpec = {
  readonly name: string;
  readonly type: string;
  readonly description?: string;
  readonly inputSchema?: JsonObject;
};

export function readMessage(value: Json): Message {
  if (!isJsonObject(value)) throw new Error(`Expected a message to be an object, got ${JSON.stringify(value)}`);
  const role = input.word(value, "role") ?? "";
  if (!isRole(role)) {
    throw new Error(`Expected the role of a message to be one of ${[...roles].join(", ")}, got "${role}"`);
  }
  const message = messageText(value);
  const media = input.texts(value, "media").filter((item) => item.trim() !== "");
  const mimeType = input.word(value, "mimeType");
  const toolCalls = input.list(value, "toolCalls").map(readToolCall);
  return {
    role,
    ...(message === undefined ? {} : { message }),
    ...(media.length === 0 ? {} : { media }),
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
}

/** Something other than a text comes from an expression that stood alone: it reads as it would inside a text. */
function messageText({ message }: JsonObject): string | undefined {
  if (message === undefined || message === null) return undefined;
  return typeof message === "string" ? message : renderText(message);
}

export function readToolCall(value: Json): ToolCall {
  if (!isJsonObject(value)) throw new Error(`Expected a tool call to be an object, got ${JSON.stringify(value)}`);
  const { output } = value;
  const providerMetadata = input.object(value, "providerMetadata");
  const reasoning = input.list(value, "reasoning").filter(isThought);
  return {
    taskReferenceName: input.text(value, "taskReferenceName") ?? "",
    name: input.text(value, "name") ?? "",
    type: input.word(value, "type") ?? "SIMPLE",
    inputParameters: input.object(value, "inputParameters") ?? {},
    ...(output === undefined ? {} : { output }),
    ...(providerMetadata === undefined ? {} : { providerMetadata }),
    ...(reasoning.length === 0 ? {} : { reasoning }),
  };
}

const isThought = (value: unknown): value is Thought =>
  isJsonObject(value) && typeof value["text"] === "string" && isJsonObject(value["providerMetadata"]);

export function readToolSpec(value: Json): ToolSpec {
  if (!isJsonObject(value)) throw new Error(`Expected a tool to be an object, got ${JSON.stringify(value)}`);
  const name = input.word(value, "name");
  if (name === undefined) throw new Error("Expected a tool to have a name");
  const description = input.text(value, "description");
  const inputSchema = input.object(value, "inputSchema");
  return {
    name,
    type: input.word(value, "type") ?? "SIMPLE",
    ...(description === undefined ? {} : { description }),
    ...(inputSchema === undefined ? {} : { inputSchema: plainSchema(inputSchema) }),
  };
}

const wrappers: ReadonlySet<unknown> = new Set([undefined, null, "JSON", "AVRO", "PROTOBUF"]);

/** A schema may come as itself or inside `{name, version, type: "JSON", data}`. */
export function plainSchema(schema: JsonObject): JsonObject {
  const { data, type } = schema;
  return isJsonObject(data) && wrappers.has(type) ? data : schema;
}
