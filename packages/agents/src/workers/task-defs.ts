import { isJsonObject, type Json, normalizeTaskDef, type TaskDef } from "@downbeat/engine";
import { isCodingAgent, isInstructionsWorker, isReference, isWorkerRef, subAgents } from "../config/questions.ts";
import { toolNumber } from "../config/tool-kinds.ts";
import type { AgentConfig, ToolConfig } from "../config/types.ts";

export type WorkerDef = {
  readonly def: TaskDef;
  /** A worker that somebody else serves: registered only where no definition of it is. */
  readonly isExternal: boolean;
};

/** The task definitions a deployed agent's workers need, one of a name. */
export function workerDefs(config: AgentConfig): readonly WorkerDef[] {
  const byName = new Map<string, WorkerDef>();
  for (const worker of defsOf(config)) if (!byName.has(worker.def.name)) byName.set(worker.def.name, worker);
  return [...byName.values()].filter(({ def }) => def.name !== "");
}

function defsOf(config: AgentConfig): readonly WorkerDef[] {
  if (isReference(config)) return [];
  const own = config.credentials ?? [];
  const guardrails = [...(config.guardrails ?? []), ...(config.tools ?? []).flatMap((tool) => tool.guardrails ?? [])];
  const inside = [...subAgents(config), config.planner, config.fallback].filter((agent) => agent !== undefined);
  const workers = [
    config.stopWhen?.taskName,
    ...guardrails.filter(({ guardrailType }) => guardrailType === "custom").map(({ taskName }) => taskName),
    ...(config.callbacks ?? []).map(({ taskName }) => taskName),
    config.gate?.taskName,
    isInstructionsWorker(config.instructions) ? config.instructions._worker_ref : undefined,
    config.router !== undefined && isWorkerRef(config.router) ? config.router.taskName : undefined,
    ...(config.handoffs ?? []).filter(({ type }) => type === "on_condition").map(({ taskName }) => taskName),
    ...graphWorkers(config),
  ];
  return [
    ...(config.tools ?? []).filter(isWorkerTool).map((tool) => toolDef(tool, own)),
    ...(isCodingAgent(config) && (config.tools ?? []).length === 0 ? [workerDef(config.name, own)] : []),
    ...workers.flatMap((name) => (name === undefined ? [] : [workerDef(name, own)])),
    ...(config.termination === undefined ? [] : [workerDef(`${config.name}_termination`, [])]),
    ...(config.strategy === "manual" ? [workerDef(`${config.name}_process_selection`, [])] : []),
    ...guardrails
      .filter(({ guardrailType }) => guardrailType === "external")
      .map(({ name }) => ({ ...workerDef(name, own), isExternal: true })),
    ...inside.flatMap(defsOf),
  ];
}

const isWorkerTool = ({ toolType }: ToolConfig): boolean => toolType === "worker" || toolType === "cli";

/** A tool may be called again after a failure, so it has to be idempotent. */
function workerDef(
  name: string,
  credentials: readonly string[],
  settings: { readonly [field: string]: Json } = {},
): WorkerDef {
  const def = normalizeTaskDef({
    name,
    retryCount: 2,
    retryLogic: "LINEAR_BACKOFF",
    retryDelaySeconds: 2,
    timeoutSeconds: 0,
    timeoutPolicy: "RETRY",
    responseTimeoutSeconds: 3600,
    runtimeMetadata: credentials,
    ...settings,
  });
  return { def, isExternal: false };
}

function toolDef(tool: ToolConfig, agentCredentials: readonly string[]): WorkerDef {
  const config = tool.config ?? {};
  const named = config["credentials"];
  const credentials = Array.isArray(named) ? named.map(String) : agentCredentials;
  const timeoutSeconds = Math.max(tool.timeoutSeconds ?? 0, 0);
  return workerDef(tool.name, credentials, {
    retryCount: tool.retryCount ?? toolNumber(config["retryCount"]) ?? 2,
    retryDelaySeconds: tool.retryDelaySeconds ?? toolNumber(config["retryDelaySeconds"]) ?? 2,
    timeoutSeconds,
    responseTimeoutSeconds: timeoutSeconds > 0 ? Math.min(timeoutSeconds, 3600) : 3600,
  });
}

/** Workers of a graph's nodes and routers. */
function graphWorkers({ metadata }: AgentConfig): readonly string[] {
  const graph = metadata?.["_graph_structure"];
  if (!isJsonObject(graph)) return [];
  const refs = [
    "_worker_ref",
    "_llm_prep_ref",
    "_llm_finish_ref",
    "_subgraph_prep_ref",
    "_subgraph_finish_ref",
    "_router_ref",
  ];
  return ["nodes", "conditional_edges"]
    .flatMap((key) => (Array.isArray(graph[key]) ? (graph[key] as readonly Json[]) : []))
    .filter(isJsonObject)
    .filter((part) => part["_human_node"] !== true)
    .flatMap((part) => {
      // A node with a model or a graph inside has no worker of its own, only one before and one after.
      const isSplit = part["_llm_node"] === true || part["_subgraph_node"] === true;
      return refs.filter((ref) => !(isSplit && ref === "_worker_ref")).map((ref) => part[ref]);
    })
    .filter((name) => typeof name === "string");
}
