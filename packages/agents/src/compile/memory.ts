import type { JsonObject } from "@downbeat/engine";
import type { AgentConfig } from "../config/types.ts";
import { literalObject } from "./expression.ts";

/** The remembered messages that still fit: system ones stay, of the others the last. */
export function memoryMessages({ memory }: AgentConfig): readonly JsonObject[] {
  if (memory === undefined) return [];
  const messages = memory.messages.map(asMessage);
  const limit = memory.maxMessages;
  if (limit === undefined || limit <= 0 || messages.length <= limit) return messages.map(literalObject);
  const isSystem = (message: JsonObject): boolean => message["role"] === "system";
  const system = messages.filter(isSystem);
  const rest = messages.filter((message) => !isSystem(message));
  const room = Math.max(limit - system.length, 0);
  return [...system, ...rest.slice(rest.length - Math.min(room, rest.length))].map(literalObject);
}

/** The SDKs also say `content`, which the model task refuses. */
function asMessage(message: JsonObject): JsonObject {
  const { content, ...rest } = message;
  return message["message"] === undefined && content !== undefined ? { ...rest, message: content } : message;
}
