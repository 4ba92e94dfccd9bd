import type { JsonObject } from "@downbeat/engine";
import type { Call } from "./call.ts";

/** A call of a tool on its MCP server. */
export function mcpCall({ name, tool: { config }, args, plain, withSecrets }: Call): JsonObject {
  return {
    name: "call_mcp_tool",
    type: "CALL_MCP_TOOL",
    inputParameters: {
      mcpServer: config["mcpServer"] ?? null,
      method: plain(name),
      arguments: plain(args),
      headers: withSecrets((config["headers"] ?? {}) as JsonObject),
    },
  };
}
