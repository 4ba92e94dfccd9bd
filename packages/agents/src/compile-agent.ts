import { type JsonObject, normalizeWorkflowDef, type WorkflowDef } from "@downbeat/engine";
import { compileWorkflow } from "./compile/agent.ts";
import type { Compiling } from "./compile/compiling.ts";
import { inputGuardrails, isReference, subAgents, withTurns } from "./config/questions.ts";
import type { AgentConfig } from "./config/types.ts";
import { validateAgent } from "./config/validate.ts";
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
const nativeSdk = "conductor";

/** An agent as an ordinary workflow definition. Pure: nothing is stored, nothing is asked. Throws InvalidAgent. */
export function compileAgent(agent: AgentConfig, context: CompileContext = {}): CompiledAgent {
  const isFramework = context.framework !== undefined && context.framework !== "";
  const config = isFramework ? withTurns(agent, frameworkTurns) : withTurns(agent);
  validateAgent(config, { isSkill: context.framework === "skill" });
  const warnings: string[] = [];
  const compiling: Compiling = {
    contextMaxSize: context.contextMaxSize ?? 32768,
    contextMaxValueSize: context.contextMaxValueSize ?? 4096,
    agentToolVersion: (name) => context.agentToolVersion?.(name) ?? 1,
    workflowOf: (sub) => compileWorkflow(withTurns(sub, isFramework ? frameworkTurns : undefined), compiling),
    warn: (message) => {
      if (!warnings.includes(message)) warnings.push(message);
    },
  };
  warnOfIdle(config, compiling);
  const workflow = compileWorkflow(config, compiling);
  return {
    workflowDef: normalizeWorkflowDef(stamped(workflow, config, context)),
    requiredWorkers: requiredWorkers(config, workflow),
    workerDefs: workerDefs(config),
    warnings,
  };
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
  for (const agent of [...subAgents(config), config.planner, config.fallback]) {
    if (agent !== undefined) warnOfIdle(agent, compiling);
  }
}
