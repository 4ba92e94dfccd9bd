import { isJsonObject, type JsonObject } from "@downbeat/engine";
import { subAgents } from "../config/questions.ts";
import type { AgentConfig } from "../config/types.ts";

/**
 * Names of the workers a run may need: those of the workflow itself, those inside it in order, then tools, condition
 * workers and callbacks of every agent, and the guardrail workers.
 */
export function requiredWorkers(config: AgentConfig, workflow: JsonObject): readonly string[] {
  return [...new Set([...simpleTaskNames(workflow), ...agentWorkers(config)])];
}

/** Names of the SIMPLE tasks of a definition, with those of the definitions inside it. */
function simpleTaskNames(workflow: JsonObject): readonly string[] {
  return [...new Set(namesIn(workflow["tasks"]))];
}

function namesIn(tasks: unknown): readonly string[] {
  return listOf(tasks).flatMap((task) => {
    const definition = isJsonObject(task["subWorkflowParam"])
      ? task["subWorkflowParam"]["workflowDefinition"]
      : undefined;
    return [
      ...(task["type"] === "SIMPLE" ? [String(task["name"])] : []),
      ...Object.values(isJsonObject(task["decisionCases"]) ? task["decisionCases"] : {}).flatMap(namesIn),
      ...namesIn(task["defaultCase"]),
      ...(Array.isArray(task["forkTasks"]) ? task["forkTasks"] : []).flatMap(namesIn),
      ...namesIn(task["loopOver"]),
      ...(isJsonObject(definition) ? namesIn(definition["tasks"]) : []),
    ];
  });
}

const listOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

function agentWorkers(config: AgentConfig): readonly string[] {
  const guardrails = [...(config.guardrails ?? []), ...(config.tools ?? []).flatMap((tool) => tool.guardrails ?? [])];
  const inside = [...subAgents(config), config.planner, config.fallback].filter((agent) => agent !== undefined);
  return [
    ...(config.tools ?? []).filter(({ toolType }) => toolType === "worker").map(({ name }) => name),
    ...(config.handoffs ?? []).flatMap(({ type, taskName }) => (type === "on_condition" && taskName ? [taskName] : [])),
    ...(config.callbacks ?? []).map(({ taskName }) => taskName),
    ...guardrails.flatMap(({ guardrailType, taskName }) => (guardrailType === "custom" && taskName ? [taskName] : [])),
    ...inside.flatMap(agentWorkers),
  ].filter((name) => name !== "");
}
