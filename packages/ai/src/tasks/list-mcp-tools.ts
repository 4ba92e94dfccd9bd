import type { AiTask } from "../ai-task.ts";
import { askServer } from "../mcp/ask-server.ts";
import { JsonRpcFailure } from "../mcp/direct-call.ts";
import { listTools } from "../mcp/mcp-client.ts";
import { completed } from "../results.ts";

/** LIST_MCP_TOOLS: what an MCP server can do. */
export const listMcpTools: AiTask = {
  type: "LIST_MCP_TOOLS",
  async run(call, services) {
    const tools = await askServer(call, services, {
      ask: listTools,
      failed: (url, error) =>
        `Failed to list MCP tools from ${url}: ${error instanceof JsonRpcFailure ? "JSON-RPC error: " : ""}${error.message}`,
    });
    return completed({
      tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    });
  },
};
