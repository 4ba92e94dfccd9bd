import { isCodingAgent, subAgents } from "../config/questions.ts";
import type { AgentConfig } from "../config/types.ts";

/** What an agent can do, in words that searches use; with those of all agents inside it, in the order they are met. */
export function capabilitiesOf(config: AgentConfig): readonly string[] {
  const inside = [...subAgents(config), config.planner, config.fallback].filter((sub) => sub !== undefined);
  return [...new Set([...ownCapabilities(config, inside.length > 0), ...inside.flatMap(capabilitiesOf)])];
}

function ownCapabilities(config: AgentConfig, hasAgents: boolean): readonly string[] {
  const hasTools = (config.tools ?? []).length > 0 || isCodingAgent(config);
  if (hasAgents && hasTools) return ["tool-calling", "multi-agent-hybrid"];
  if (hasAgents) return [`multi-agent-${config.strategy.replaceAll("_", "-")}`];
  return [hasTools ? "tool-calling" : "simple"];
}
