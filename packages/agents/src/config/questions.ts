import type { AgentConfig, GuardrailConfig, InstructionsWorker, PromptTemplate, WorkerRef } from "./types.ts";

/** Questions about an agent that more than one part of the compiler asks. */

const nativeTurns = 25;

/** Fills in maxTurns, through all sub-agents: `absent` where it is not given, 25 where it makes no sense. */
export function withTurns(config: AgentConfig, absent: number = nativeTurns): AgentConfig {
  const given = config.maxTurns ?? absent;
  return {
    ...config,
    maxTurns: given > 0 ? given : nativeTurns,
    ...(config.agents === undefined ? {} : { agents: config.agents.map((sub) => withTurns(sub, absent)) }),
    ...(config.planner === undefined ? {} : { planner: withTurns(config.planner, absent) }),
    ...(config.fallback === undefined ? {} : { fallback: withTurns(config.fallback, absent) }),
  };
}

export const turnsOf = (config: AgentConfig): number => config.maxTurns ?? nativeTurns;

/** The name as a reference name may hold it. */
export const refName = (name: string): string => name.replace(/[^A-Za-z0-9_]/g, "_");

/** A name inside a reference name that keeps it as it is: only what an expression could not read is replaced. */
export const refPart = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, "_");

export const subAgents = (config: AgentConfig): readonly AgentConfig[] => config.agents ?? [];

export const isPassthrough = (config: AgentConfig): boolean => config.metadata?.["_framework_passthrough"] === true;

/** A sequence that is gone through `maxTurns` times. */
export const isRepeated = (config: AgentConfig): boolean =>
  config.metadata?.["_repeat"] === true && subAgents(config).every(({ gate }) => gate === undefined);

/** Names of the agent's tools by which it ends the loop around it. */
export const exitTools = ({ tools = [] }: AgentConfig): readonly string[] =>
  tools.filter(({ toolType }) => toolType === "exit_loop").map(({ name }) => name);

/** Whether the agent, or one of a team it goes through, may end the loop around it. A loop inside ends only itself. */
export function mayExitLoop(config: AgentConfig): boolean {
  if (subAgents(config).length === 0 || config.strategy === "handoff") return exitTools(config).length > 0;
  const goesThrough = config.strategy === "sequential" || config.strategy === "parallel";
  const isPlain = goesThrough && !isRepeated(config) && outputGuardrails(config).length === 0;
  return isPlain && subAgents(config).some(mayExitLoop);
}

export const isGraph = (config: AgentConfig): boolean => {
  const graph = config.metadata?.["_graph_structure"];
  return typeof graph === "object" && graph !== null && !Array.isArray(graph);
};

/** A coding agent that lives in a worker of its own. */
export const isCodingAgent = (config: AgentConfig): boolean =>
  config.model === "claude-code" || (config.model ?? "").startsWith("claude-code/");

/** A sub-agent that is only a name: a workflow of that name runs. */
export const isReference = (config: AgentConfig): boolean =>
  config.external ||
  ((config.model ?? "").trim() === "" &&
    subAgents(config).length === 0 &&
    config.planner === undefined &&
    !isPassthrough(config) &&
    !isGraph(config));

export const isWorkerRef = (router: AgentConfig | WorkerRef): router is WorkerRef => "taskName" in router;

export function isTemplate(instructions: AgentConfig["instructions"]): instructions is PromptTemplate {
  return typeof instructions === "object" && !("_worker_ref" in instructions);
}

export function isInstructionsWorker(instructions: AgentConfig["instructions"]): instructions is InstructionsWorker {
  return typeof instructions === "object" && "_worker_ref" in instructions;
}

/** Instructions as text; empty when a template or a worker gives them. */
export const instructionsText = ({ instructions }: AgentConfig): string =>
  typeof instructions === "string" ? instructions : "";

/** How others are told what this agent is for. */
export function describeAgent(config: AgentConfig): string {
  const words = [config.description, instructionsText(config), config.name];
  return words.find((text) => text !== undefined && text.trim() !== "") ?? config.name;
}

/** Whose model an agent's calls go to: its own, or of an agent without one the first sub-agent's that has one. */
export function modelOwner(config: AgentConfig): AgentConfig | undefined {
  if ((config.model ?? "").trim() !== "") return config;
  const inside = [config.planner, ...subAgents(config)].filter((sub) => sub !== undefined);
  return inside.map(modelOwner).find((owner) => owner !== undefined);
}

export const modelOf = (config: AgentConfig): string | undefined => modelOwner(config)?.model;

export const outputGuardrails = (config: AgentConfig): readonly GuardrailConfig[] =>
  (config.guardrails ?? []).filter(({ position }) => position === "output");

/** Those that look at the prompt. The SDKs run function ones without a worker by themselves, before the start. */
export const inputGuardrails = (config: AgentConfig): readonly GuardrailConfig[] =>
  (config.guardrails ?? []).filter(
    ({ position, guardrailType, taskName }) =>
      position === "input" && !(guardrailType === "custom" && (taskName ?? "") === ""),
  );
