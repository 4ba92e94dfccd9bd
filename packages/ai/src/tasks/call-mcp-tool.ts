import { isJsonObject, type Json, type JsonObject } from "@downbeat/engine";
import type { AiTask } from "../ai-task.ts";
import { TerminalError } from "../errors.ts";
import { input } from "../input.ts";
import { askServer } from "../mcp/ask-server.ts";
import { callTool } from "../mcp/mcp-client.ts";
import { completed } from "../results.ts";

/** CALL_MCP_TOOL: one call of a tool. A tool that reports a mistake has answered: the task completes. */
export const callMcpTool: AiTask = {
  type: "CALL_MCP_TOOL",
  async run(call, services) {
    const method = input.word(call.input, "method");
    if (method === undefined) throw new TerminalError("Missing required input parameter 'method'");
    const { content, isError, structuredContent } = await askServer(call, services, {
      ask: (server) => callTool(server, method, argumentsOf(call.input)),
      failed: (url, error) => `Failed to call MCP tool '${method}' on ${url}: ${error.message}`,
    });
    return completed({
      content: Array.isArray(content) ? content.map(withParsed) : [],
      isError: isError === true,
      structuredContent,
    });
  },
};

/** Fields of the task itself: everything else may be an argument. */
const ownFields: ReadonlySet<string> = new Set([
  "mcpServer",
  "method",
  "headers",
  "arguments",
  "llmProvider",
  "model",
  "prompt",
  "promptVersion",
  "promptVariables",
  "temperature",
  "topP",
  "topK",
  "frequencyPenalty",
  "presencePenalty",
  "stopWords",
  "stopSequences",
  "maxTokens",
  "maxResults",
  "integrationName",
  "integrationNames",
  "allowRawPrompts",
  "baseUrl",
]);

/** Under `arguments`, or beside the task's own fields, as some clients write them. */
function argumentsOf(from: JsonObject): JsonObject {
  if (isJsonObject(from["arguments"])) return from["arguments"];
  return Object.fromEntries(Object.entries(from).filter(([name]) => !ownFields.has(name)));
}

/** A text that is JSON is there as such too, so that expressions reach into it. */
function withParsed(item: Json): Json {
  if (!isJsonObject(item) || item["type"] !== "text" || typeof item["text"] !== "string") return item;
  return { ...item, parsed: parse(item["text"]) };
}

function parse(text: string): Json {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
