import { isJsonObject, type JsonObject } from "@downbeat/engine";
import { isDiscovered, isKnownKind, taskTypeOf, toolNumber, toolText } from "../config/tool-kinds.ts";
import type { AgentConfig, ToolConfig } from "../config/types.ts";
import type { Dispatch } from "../scripts/calls/call.ts";
import type { Compiling } from "./compiling.ts";
import { authoredValue, markedHeaders } from "./expression.ts";

export const toolsOf = (config: AgentConfig): readonly ToolConfig[] => config.tools ?? [];
export const ownTools = (config: AgentConfig): readonly ToolConfig[] =>
  toolsOf(config).filter((tool) => !isDiscovered(tool));
export const discoveredTools = (config: AgentConfig): readonly ToolConfig[] => toolsOf(config).filter(isDiscovered);

/** A tool as the model is told of it. */
export const toolSpec = (tool: ToolConfig): JsonObject => ({
  name: tool.name,
  type: taskTypeOf(tool),
  ...(tool.description === undefined ? {} : { description: tool.description }),
  selfDescribing: true,
  ...(tool.inputSchema === undefined ? {} : { inputSchema: tool.inputSchema }),
  ...(tool.outputSchema === undefined ? {} : { outputSchema: tool.outputSchema }),
  ...(tool.maxCalls === undefined ? {} : { maxCalls: tool.maxCalls }),
  configParams: { selfDescribing: true },
});

/** How each of an agent's own tools is called. */
export function dispatchTable(config: AgentConfig, compiling: Compiling): { readonly [tool: string]: Dispatch } {
  return Object.fromEntries(ownTools(config).map((tool) => [tool.name, dispatchOf(config, tool, compiling)]));
}

function dispatchOf(agent: AgentConfig, tool: ToolConfig, compiling: Compiling): Dispatch {
  if (!isKnownKind(tool.toolType)) {
    compiling.warn(
      `Tool '${tool.name}' of '${agent.name}' has the unknown type '${tool.toolType}'; it is called as a worker`,
    );
  }
  const config = tool.config ?? {};
  const shared = {
    retryCount: tool.retryCount ?? toolNumber(config["retryCount"]) ?? 2,
    retryDelaySeconds: tool.retryDelaySeconds ?? toolNumber(config["retryDelaySeconds"]) ?? 2,
    ...(tool.timeoutSeconds === undefined || tool.timeoutSeconds <= 0 ? {} : { timeoutSeconds: tool.timeoutSeconds }),
    ...(tool.maxCalls === undefined ? {} : { maxCalls: tool.maxCalls }),
    optional: true,
    config: {},
  };
  switch (tool.toolType) {
    case "cli":
      return {
        ...shared,
        kind: "worker",
        target: "SIMPLE",
        config: { allowedCommands: config["allowedCommands"] ?? [] },
      };
    case "http":
      return { ...shared, kind: "http", target: "HTTP", config: httpConfig(config) };
    case "agent_tool": {
      const target = toolText(config["workflowName"]) ?? `${tool.name}_agent_wf`;
      const version = compiling.agentToolVersion(target);
      return { ...shared, kind: "agent", target, version, optional: config["optional"] !== false };
    }
    case "human":
      return {
        ...shared,
        kind: "human",
        target: "HUMAN",
        optional: false,
        retryCount: 0,
        displayName: `${agent.name} — ${tool.name}`,
        description: tool.description ?? "",
      };
    case "pull_workflow_messages":
      return { ...shared, kind: "messages", target: "PULL_WORKFLOW_MESSAGES", optional: false, retryCount: 0, config };
    case "generate_image":
    case "generate_audio":
    case "generate_video":
    case "generate_pdf":
    case "rag_index":
    case "rag_search":
      return { ...shared, kind: "system", target: toolText(config["taskType"]) ?? taskTypeOf(tool), config };
    case "exit_loop":
      return { ...shared, kind: "exit", target: "INLINE", retryCount: 0 };
    case "sandbox_code":
    case "sandbox_command":
      return { ...shared, kind: "sandbox", target: taskTypeOf(tool), config };
    default:
      return { ...shared, kind: "worker", target: "SIMPLE" };
  }
}

/** Only what a call needs: names of credentials do not travel into a script. */
function httpConfig(config: JsonObject): JsonObject {
  const kept = ["url", "method", "accept", "contentType", "pathTemplate"].flatMap((key) =>
    config[key] === undefined ? [] : [[key, authoredValue(config[key])] as const],
  );
  const inQuery = Array.isArray(config["queryParams"]) ? config["queryParams"].map(String) : [];
  return {
    ...Object.fromEntries(kept),
    headers: headersOf(config),
    ...(inQuery.length === 0 ? {} : { places: Object.fromEntries(inQuery.map((name) => [name, "query"])) }),
  };
}

export const headersOf = (config: JsonObject): JsonObject =>
  isJsonObject(config["headers"]) ? markedHeaders(config["headers"]) : {};
