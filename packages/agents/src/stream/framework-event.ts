import type { Json, JsonObject } from "@downbeat/engine";
import type { AgentEvent } from "./agent-event.ts";

/** What a framework's worker reports, as an event of the run; undefined for types that are not taken. */
export function readFrameworkEvent(body: JsonObject, executionId: string, now: number): AgentEvent | undefined {
  const members = membersOf(body);
  if (members === undefined) return undefined;
  const given = Object.entries(members).filter((entry): entry is [string, Json] => {
    const [, value] = entry;
    return value !== undefined && value !== null;
  });
  return { type: String(body["type"]), ...Object.fromEntries(given), executionId, timestamp: now };
}

function membersOf(body: JsonObject): { readonly [name: string]: Json | undefined } | undefined {
  const { content, toolName, args, result, prompt } = body;
  const target = body["subWorkflowId"] ?? body["agentId"] ?? "unknown";
  switch (body["type"]) {
    case "thinking":
      return { content };
    case "tool_call":
      return { toolName, args };
    case "tool_result":
      return { toolName, result };
    case "context_condensed": {
      const { trigger, messagesBefore, messagesAfter, exchangesCondensed } = body;
      return { content: trigger, messagesBefore, messagesAfter, exchangesCondensed };
    }
    case "subagent_start":
      return { target, content: prompt };
    case "subagent_stop":
      return { target, result };
    default:
      return undefined;
  }
}
