import { isJsonObject, type Json, type JsonObject, type WorkflowDef, type WorkflowTask } from "@downbeat/engine";
import { type Runtime, startOrFind } from "@downbeat/server";
import { parseModel } from "../config/model-name.ts";
import type { AgentConfig } from "../config/types.ts";
import { requiredWorkers } from "../workers/required-workers.ts";
import type { Agents } from "./agents.ts";
import { type AgentStartRequest, assertHasWork, namedAgent } from "./start-request.ts";

export type Started = {
  readonly executionId: string;
  readonly agentName: string;
  readonly requiredWorkers: readonly string[];
};

/** Starts runs of agents, deployed ones and those a request describes. */
export class Starts {
  readonly #runtime: Runtime;
  readonly #agents: Agents;

  constructor(runtime: Runtime, agents: Agents) {
    this.#runtime = runtime;
    this.#agents = agents;
  }

  async start(asked: AgentStartRequest): Promise<Started> {
    assertHasWork(asked);
    const request = await this.#agents.settle(asked);
    const { def, config, workers } = await this.#agentOf(request);
    const settled = withOverrides(def, request);
    const key = request.idempotencyKey;
    const { id } = await startOrFind(
      this.#runtime,
      {
        name: def.name,
        version: def.version,
        ...(settled === def && request.agentConfig === undefined && request.framework === undefined
          ? {}
          : { workflowDef: settled }),
        input: runInput(request),
        ...(key === undefined || key === ""
          ? {}
          : { correlationId: key, idempotencyKey: key, idempotencyStrategy: "RETURN_EXISTING" }),
        ...(request.runId === undefined || request.runId === ""
          ? {}
          : { taskToDomain: domains(request.runId, config, workers) }),
      },
      {},
    );
    return { executionId: id, agentName: def.name, requiredWorkers: workers };
  }

  async #agentOf(request: AgentStartRequest): Promise<{
    readonly def: WorkflowDef;
    readonly config: AgentConfig;
    readonly workers: readonly string[];
  }> {
    const named = namedAgent(request, "Agent start requires agentName or inline agent construction details");
    if (named === undefined) {
      const described = this.#agents.describe(request);
      const { def, compiled } = await this.#agents.register(described, true);
      return { def, config: described.config, workers: compiled.requiredWorkers };
    }
    const def = this.#agents.find(named);
    const { config } = this.#agents.describeDeployed(def);
    return { def, config, workers: requiredWorkers(config, def as unknown as JsonObject) };
  }
}

/** The workflow input of a run. */
export const runInput = (
  request: Pick<AgentStartRequest, "prompt" | "media" | "context" | "sessionId" | "rawConfig" | "static_plan">,
): JsonObject => ({
  // First, because runs are found by it and search looks at the beginning of an input.
  session_id: request.sessionId ?? "",
  prompt: request.prompt ?? "",
  media: request.media,
  context: request.context,
  cwd: typeof request.rawConfig?.["cwd"] === "string" ? request.rawConfig["cwd"] : ".",
  ...(request.static_plan === undefined ? {} : { static_plan: request.static_plan }),
});

/** What a call says for itself: another model, another time limit. The stored definition stays. Throws InvalidAgent. */
function withOverrides(def: WorkflowDef, { model, timeoutSeconds = 0 }: AgentStartRequest): WorkflowDef {
  const timed: WorkflowDef = timeoutSeconds > 0 ? { ...def, timeoutSeconds, timeoutPolicy: "TIME_OUT_WF" } : def;
  if (model === undefined || model === "") return timed;
  const { provider, model: name } = parseModel(model);
  const change = (task: WorkflowTask): WorkflowTask => ({
    ...task,
    ...(task.type === "LLM_CHAT_COMPLETE"
      ? { inputParameters: { ...task.inputParameters, llmProvider: provider, model: name } }
      : {}),
    decisionCases: Object.fromEntries(
      Object.entries(task.decisionCases).map(([value, tasks]) => [value, tasks.map(change)]),
    ),
    defaultCase: task.defaultCase.map(change),
    forkTasks: task.forkTasks.map((tasks) => tasks.map(change)),
    loopOver: task.loopOver.map(change),
  });
  return { ...timed, tasks: timed.tasks.map(change) };
}

/** A stateful run's workers are asked in its own domain; the server's own tasks are not. */
function domains(runId: string, config: AgentConfig, workers: readonly string[]): { [taskType: string]: string } {
  return Object.fromEntries([...workers, ...statefulNames(config)].map((name) => [name, runId]));
}

function statefulNames(config: AgentConfig): readonly string[] {
  return [
    ...(config.tools ?? []).flatMap((tool) => [
      ...(tool.stateful ? [tool.name] : []),
      ...(tool.toolType === "agent_tool" ? textsIn(tool.config?.["workerNames"]) : []),
    ]),
    ...(config.agents ?? []).flatMap(statefulNames),
  ];
}

const textsIn = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];

export const asObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
