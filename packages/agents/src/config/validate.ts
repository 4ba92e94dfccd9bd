import { InvalidAgent } from "../invalid-agent.ts";
import { checkNames } from "./check-names.ts";
import { checkPlanExecute } from "./check-plan-execute.ts";
import { checkSwarm } from "./check-swarm.ts";
import { parseModel } from "./model-name.ts";
import { readPattern } from "./pattern.ts";
import {
  isCodingAgent,
  isGraph,
  isPassthrough,
  isReference,
  isWorkerRef,
  modelOf,
  refName,
  subAgents,
} from "./questions.ts";
import { readAgentConfig } from "./read.ts";
import type { AgentConfig } from "./types.ts";

export type ValidateOptions = {
  /** A skill keeps the name of its package, which may hold dots. */
  readonly isSkill?: boolean;
};

/** Throws InvalidAgent with the first thing that keeps this from being an agent. Looks through all agents inside. */
export function validateAgent(config: AgentConfig, options: ValidateOptions = {}): void {
  checkName(config, options);
  checkAgent(config, options);
}

/** The order is the interface's: who sends two mistakes hears of the same one from every server. */
function checkAgent(config: AgentConfig, options: ValidateOptions): void {
  checkNames(config);
  if (isPassthrough(config)) {
    if ((config.tools ?? []).length === 0) {
      throw new InvalidAgent(`Passthrough agent '${config.name}' must have exactly one worker tool defined.`);
    }
    return;
  }
  if (isGraph(config)) {
    checkGraph(config);
    return;
  }
  if (config.external) {
    throw new InvalidAgent(
      `Cannot compile external agent '${config.name}' directly. External agents are compiled as SubWorkflowTask references.`,
    );
  }
  if (isCodingAgent(config)) return;
  checkSlots(config);
  checkTeam(config, options);
  checkModel(config);
  checkPatterns(config);
  checkPrefills(config);
  checkAgentTools(config, options);
}

const agentName = /^[a-zA-Z_][a-zA-Z0-9_-]*$/;
const skillName = /^[a-zA-Z_][a-zA-Z0-9_.-]*$/;

function checkName({ name }: AgentConfig, { isSkill = false }: ValidateOptions): void {
  if (!(isSkill ? skillName : agentName).test(name)) throw new InvalidAgent(`Invalid agent name '${name}'`);
}

function checkSlots(config: AgentConfig): void {
  const hasSlots = config.planner !== undefined || config.fallback !== undefined;
  if (hasSlots && config.strategy !== "plan_execute") {
    throw new InvalidAgent(
      `Named slots \`\`planner=\`\` and \`\`fallback=\`\` are only valid with \`\`strategy=Strategy.PLAN_EXECUTE\`\`. Agent '${config.name}' has strategy='${config.strategy}'. Either set \`\`strategy=Strategy.PLAN_EXECUTE\`\` or pass the sub-agents via \`\`agents=[…]\`\` instead.`,
    );
  }
}

function checkTeam(config: AgentConfig, options: ValidateOptions): void {
  const agents = subAgents(config);
  if (config.strategy === "plan_execute") checkPlanExecute(config);
  if (new Set(agents.map(({ name }) => name)).size < agents.length) {
    throw new InvalidAgent(`Duplicate agent names in '${config.name}'. Each sub-agent must have a unique name.`);
  }
  if (config.strategy === "handoff" || config.strategy === "router") checkReserved(config);
  if (config.strategy === "handoff" && (config.tools ?? []).length > 0) checkTransferNames(config);
  if (config.strategy === "swarm" && agents.length > 0) checkSwarm(config);
  if (config.strategy === "sequential") checkGates(config);
  const inside = [...agents, config.planner, config.fallback].filter((agent) => agent !== undefined);
  for (const agent of inside) checkSubAgent(agent, options);
}

function checkSubAgent(agent: AgentConfig, options: ValidateOptions): void {
  // A reference may name any workflow.
  if (isReference(agent)) return;
  checkName(agent, options);
  checkAgent(agent, options);
}

function checkReserved(config: AgentConfig): void {
  const reserved = subAgents(config).find(({ name }) => name.toLowerCase() === "done");
  if (reserved !== undefined) {
    throw new InvalidAgent(
      `Sub-agent name '${reserved.name}' in '${config.name}' is reserved: the coordinator uses DONE as its completion signal. Rename the agent.`,
    );
  }
}

/** Transfer tools carry the names of sub-agents as a reference name holds them. */
function checkTransferNames(config: AgentConfig): void {
  const names = subAgents(config).map(({ name }) => name);
  const alike = names.filter((name) => names.some((other) => other !== name && refName(other) === refName(name)));
  if (alike.length > 0) {
    throw new InvalidAgent(
      `Sub-agents of '${config.name}' differ only in characters a tool's name cannot hold: ${alike.join(", ")}`,
    );
  }
}

function checkGates(config: AgentConfig): void {
  for (const { gate } of subAgents(config)) {
    if (gate === undefined || (gate.taskName ?? "") !== "") continue;
    if (gate.type !== "text_contains") throw new InvalidAgent(`Unknown gate type: ${gate.type ?? "null"}`);
  }
}

/** Only who calls a model needs one: a pipeline's parent does not. */
function checkModel(config: AgentConfig): void {
  const hasTeam = subAgents(config).length > 0 || config.planner !== undefined;
  if (!hasTeam || callsModel(config)) {
    const { provider } = parseModel(config.model);
    if (
      config.metadata?.["_builtin_web_search"] === true &&
      !["openai", "anthropic"].includes(provider.toLowerCase())
    ) {
      throw new InvalidAgent(`Provider-native web search requires an OpenAI or Anthropic model; got '${provider}'`);
    }
  }
  for (const guardrail of config.guardrails ?? []) {
    if (guardrail.guardrailType === "llm") parseModel(guardrail.model ?? modelOf(config));
  }
  if ((config.guardrails ?? []).some(({ onFail }) => onFail === "human")) parseModel(modelOf(config));
}

function callsModel(config: AgentConfig): boolean {
  switch (config.strategy) {
    case "swarm":
      return true;
    case "handoff":
      return true;
    case "router": {
      const { router } = config;
      if (router !== undefined && !isWorkerRef(router)) parseModel(router.model ?? config.model);
      return config.synthesize !== false || router === undefined;
    }
    default:
      return false;
  }
}

function checkGraph(config: AgentConfig): void {
  const structure = JSON.stringify(config.metadata?.["_graph_structure"]);
  if (structure.includes('"_llm_node":true') || structure.includes('"_human_node":true')) parseModel(config.model);
}

/** A tool that waits for somebody cannot run before the model does. */
function checkPrefills({ name, prefillTools = [], tools = [] }: AgentConfig): void {
  for (const { toolName } of prefillTools) {
    const tool = tools.find((one) => one.name === toolName);
    if (tool !== undefined && ["human", "pull_workflow_messages", "exit_loop", "mcp", "api"].includes(tool.toolType)) {
      throw new InvalidAgent(
        `prefillTools of '${name}' names '${toolName}', a tool of type ${tool.toolType}, which cannot be called before the model`,
      );
    }
  }
}

function checkPatterns({ guardrails = [], tools = [] }: AgentConfig): void {
  for (const { name, patterns = [] } of [...guardrails, ...tools.flatMap((tool) => tool.guardrails ?? [])]) {
    for (const pattern of patterns) readPattern(pattern, name);
  }
}

/** Agents that serve as tools are agents too. */
function checkAgentTools(config: AgentConfig, options: ValidateOptions): void {
  for (const tool of config.tools ?? []) {
    const inner = tool.toolType === "agent_tool" ? tool.config?.["agentConfig"] : undefined;
    // A framework's agent is read by its own rules first, by whoever registers it.
    if (inner === undefined || inner === null || isForeign(inner)) continue;
    checkSubAgent(readAgentConfig(inner, `tools[${tool.name}].config.agentConfig`), options);
  }
}

const isForeign = (agent: unknown): boolean =>
  typeof agent === "object" && agent !== null && ("_framework" in agent || "framework" in agent);
