import { InvalidAgent } from "../invalid-agent.ts";
import { subAgents } from "./questions.ts";
import type { AgentConfig, HandoffConfig } from "./types.ts";

/** The handover rules of a swarm, and the names of its tools. */
export function checkSwarm(config: AgentConfig): void {
  const members = [config, ...subAgents(config)];
  const names = members.map(({ name }) => name);
  for (const rule of config.handoffs ?? []) checkRule(rule, names);
  const transfers = new Set(names.flatMap((from) => names.map((to) => `${from}_transfer_to_${to}`)));
  for (const { name } of members.flatMap(({ tools = [] }) => tools)) {
    if (transfers.has(name)) {
      throw new InvalidAgent(`SWARM tool name collides with compiler-owned transfer control: ${name}`);
    }
  }
}

function checkRule(
  { type, target, text, toolName, resultContains, taskName }: HandoffConfig,
  names: readonly string[],
): void {
  const isBlank = (value: string | undefined): boolean => (value ?? "").trim() === "";
  if (type !== "on_tool_result" && type !== "on_text_mention" && type !== "on_condition") {
    throw new InvalidAgent("SWARM handoff type must be on_tool_result, on_text_mention, or on_condition");
  }
  if (!names.includes(target ?? "")) {
    throw new InvalidAgent(`SWARM handoff target must name a swarm agent: ${target ?? "null"}`);
  }
  if (type === "on_tool_result" && (isBlank(toolName) || isBlank(resultContains))) {
    throw new InvalidAgent("on_tool_result requires toolName and resultContains");
  }
  if (type === "on_text_mention" && isBlank(text)) throw new InvalidAgent("on_text_mention requires text");
  if (type === "on_condition" && isBlank(taskName)) throw new InvalidAgent("on_condition requires a nonblank taskName");
}
