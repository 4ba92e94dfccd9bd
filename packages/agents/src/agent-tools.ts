import { isJsonObject, type JsonObject } from "@downbeat/engine";
import { toolText } from "./config/tool-kinds.ts";
import type { AgentConfig, ToolConfig } from "./config/types.ts";

export type AgentTool = {
  readonly toolName: string;
  /** The workflow that a call of the tool runs. */
  readonly workflowName: string;
  /** The agent as it was sent: it may be another framework's. */
  readonly agentConfig: JsonObject;
};

/**
 * The agents that serve an agent as tools, its sub-agents' among them, and the agent with the names of their workflows
 * filled in. Whoever registers an agent registers these first, each with its own agent tools before it.
 */
export function liftAgentTools(config: AgentConfig): {
  readonly config: AgentConfig;
  readonly children: readonly AgentTool[];
} {
  const children: AgentTool[] = [];
  return { config: lift(config, children), children };
}

function lift(config: AgentConfig, children: AgentTool[]): AgentConfig {
  const tools = config.tools?.map((tool) => named(tool, children));
  const agents = config.agents?.map((agent) => lift(agent, children));
  return {
    ...config,
    ...(tools === undefined ? {} : { tools }),
    ...(agents === undefined ? {} : { agents }),
    ...(config.planner === undefined ? {} : { planner: lift(config.planner, children) }),
    ...(config.fallback === undefined ? {} : { fallback: lift(config.fallback, children) }),
  };
}

function named(tool: ToolConfig, children: AgentTool[]): ToolConfig {
  const agentConfig = tool.config?.["agentConfig"];
  if (tool.toolType !== "agent_tool" || !isJsonObject(agentConfig)) return tool;
  const workflowName =
    toolText(agentConfig["name"]) ?? toolText(tool.config?.["workflowName"]) ?? `${tool.name}_agent_wf`;
  children.push({ toolName: tool.name, workflowName, agentConfig });
  return { ...tool, config: { ...tool.config, workflowName } };
}
