import { type JsonObject, normalizeWorkflowDef, validateWorkflowDef, type WorkflowDef } from "@downbeat/engine";
import { compileWorkflow } from "./compile/agent.ts";
import type { Compiling } from "./compile/compiling.ts";
import { inputGuardrails, isReference, subAgents, withTurns } from "./config/questions.ts";
import { isDiscovered } from "./config/tool-kinds.ts";
import type { AgentConfig } from "./config/types.ts";
import { validateAgent } from "./config/validate.ts";
import { InvalidAgent } from "./invalid-agent.ts";
import { requiredWorkers } from "./workers/required-workers.ts";
import { type WorkerDef, workerDefs } from "./workers/task-defs.ts";

export type CompileContext = {
  /** The framework the agent comes from; absent for a native one. */
  readonly framework?: string;
  /** What the caller sent, kept with the definition: rawConfig of a framework's agent, else agentConfig. */
  readonly agentDef?: JsonObject;
  /** Characters of agent state in a prompt, and of one value of it. */
  readonly contextMaxSize?: number;
  readonly contextMaxValueSize?: number;
  /** The version under which an agent that serves as a tool was registered; 1 when nothing is said. */
  readonly agentToolVersion?: (workflowName: string) => number | undefined;
};

export type CompiledAgent = {
  readonly workflowDef: WorkflowDef;
  readonly requiredWorkers: readonly string[];
  /** Task definitions of the workers, to be registered with the agent. */
  readonly workerDefs: readonly WorkerDef[];
  /** What has no effect or was understood otherwise than it was said. */
  readonly warnings: readonly string[];
};

const frameworkTurns = 100;
const mostSubAgents = 500;
const nativeSdk = "conductor";

/** An agent as an ordinary workflow definition. Pure: nothing is stored, nothing is asked. Throws InvalidAgent. */
export function compileAgent(agent: AgentConfig, context: CompileContext = {}): CompiledAgent {
  const isFramework = context.framework !== undefined && context.framework !== "";
  const config = isFramework ? withTurns(agent, frameworkTurns) : withTurns(agent);
  validateAgent(config, { isSkill: context.framework === "skill" });
  const warnings: string[] = [];
  let subAgentCount = 0;
  const compiling: Compiling = {
    contextMaxSize: context.contextMaxSize ?? 32768,
    contextMaxValueSize: context.contextMaxValueSize ?? 4096,
    agentToolVersion: (name) => context.agentToolVersion?.(name) ?? 1,
    workflowOf: (sub) => {
      // Some agents stand in more than one place of a workflow, so what is nested deep can grow beyond all bounds.
      if (++subAgentCount > mostSubAgents) {
        throw new InvalidAgent(
          `Agent '${config.name}' would hold more than ${mostSubAgents} sub-agents when it is compiled: nest them less deep, or name some of them as external agents`,
        );
      }
      return compileWorkflow(withTurns(sub, isFramework ? frameworkTurns : undefined), compiling);
    },
    warn: (message) => {
      if (!warnings.includes(message)) warnings.push(message);
    },
  };
  warnOfIdle(config, compiling);
  const workflow = compileWorkflow(config, compiling);
  return {
    workflowDef: checked(config, normalizeWorkflowDef(stamped(workflow, config, context))),
    requiredWorkers: requiredWorkers(config, workflow),
    workerDefs: workerDefs(config),
    warnings,
  };
}

/** What a graph or a framework brought may be beyond what is checked before: the engine has the last word. */
function checked(config: AgentConfig, def: WorkflowDef): WorkflowDef {
  const [problem] = validateWorkflowDef(def, { prefix: "", strict: true });
  if (problem === undefined) return def;
  throw new InvalidAgent(`Agent '${config.name}' does not make a valid workflow: ${problem.path} ${problem.message}`);
}

function stamped(workflow: JsonObject, config: AgentConfig, context: CompileContext): JsonObject {
  const normalized = config as unknown as JsonObject;
  return {
    ...workflow,
    metadata: {
      ...(workflow["metadata"] as JsonObject),
      agent_sdk: context.framework ?? nativeSdk,
      agentDef: context.agentDef ?? normalized,
      normalizedAgentDef: normalized,
    },
  };
}

/** Tells of settings that nothing comes of. */
function warnOfIdle(config: AgentConfig, compiling: Compiling): void {
  if (isReference(config)) return;
  const dropped = (config.guardrails ?? []).filter(
    (guardrail) => guardrail.position === "input" && !inputGuardrails(config).includes(guardrail),
  );
  for (const { name } of dropped) {
    compiling.warn(
      `Guardrail '${name}' of '${config.name}' looks at the input but has no taskName; its SDK runs it before the start`,
    );
  }
  const tools = config.tools ?? [];
  const canBeDiscovered = tools.some(isDiscovered);
  for (const name of config.requiredTools ?? []) {
    if (!canBeDiscovered && !tools.some((tool) => tool.name === name)) {
      compiling.warn(`requiredTools of '${config.name}' names '${name}', which is none of its tools`);
    }
  }
  const inside = [...subAgents(config), config.planner, config.fallback].filter((agent) => agent !== undefined);
  if (inside.length > 0) {
    for (const field of idleInTeam(config)) {
      compiling.warn(`'${field}' of '${config.name}' has no effect on a team of strategy ${config.strategy}`);
    }
  }
  for (const agent of inside) warnOfIdle(agent, compiling);
}

const hasFinalCall = ({ strategy, synthesize }: AgentConfig): boolean =>
  (strategy === "handoff" || strategy === "router") && synthesize !== false;

/** Settings of a single agent that a team's parent does not use. */
function idleInTeam(config: AgentConfig): readonly string[] {
  const { strategy, tools = [] } = config;
  // Who works beside its team uses them all.
  if (strategy === "swarm" || (strategy === "handoff" && tools.length > 0)) return [];
  const isRotation = strategy === "round_robin" || strategy === "random" || strategy === "manual";
  const fields = [
    ...(strategy === "plan_execute" ? [] : (["tools"] as const)),
    ...(isRotation ? [] : (["stopWhen", "termination"] as const)),
    ...(hasFinalCall(config) ? [] : (["outputType"] as const)),
    ...(["memory", "prefillTools", "requiredTools"] as const),
  ];
  return fields.filter((field) => {
    const value = config[field];
    return value !== undefined && !(Array.isArray(value) && value.length === 0);
  });
}
