import { useQuery } from "@tanstack/react-query";
import { type ApiRequest, call, get, path } from "./client.ts";
import { definitionsKey } from "./definitions.ts";
import type { JsonObject, Page, WorkflowDefinition } from "./types.ts";

export type AgentSummary = {
  readonly name: string;
  readonly version: number;
  /** What it is described with: `conductor` for agents in the interface's own words, else a framework. */
  readonly type: string;
  readonly tags: readonly string[];
  readonly createTime: number;
  readonly updateTime: number;
  readonly description?: string;
};

/** A row of the list of runs. Times are ISO 8601; input and output are JSON as text, perhaps cut off. */
export type AgentRunSummary = {
  readonly executionId: string;
  readonly agentName: string;
  readonly version: number;
  readonly status: string;
  readonly startTime: string;
  readonly endTime?: string;
  readonly executionTime: number;
  readonly input: string;
};

type TokenUsage = {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
  /** US dollars; absent where no price is known. */
  readonly cost?: number;
};

/** One call of a model in a run, or in a run inside it. */
export type ModelCall = TokenUsage & { readonly taskId: string; readonly model: string };

export type RunUsage = TokenUsage & {
  /** Models without a price: what they cost is not in the sum. */
  readonly unpricedModels?: readonly string[];
  readonly calls: readonly ModelCall[];
};

type CompiledAgent = {
  readonly workflowDef: WorkflowDefinition;
  readonly requiredWorkers: readonly string[];
  readonly warnings?: readonly string[];
};

/** An agent is a definition: what changes those changes these. */
const agentsKey = [...definitionsKey, "agents"] as const;
/** Everything that changes when an agent runs. */
export const agentRunsKey = ["agent-runs"] as const;

/** Deployed agents, latest versions, by name. */
export const useAgents = () =>
  useQuery({
    queryKey: [...agentsKey, "all"],
    queryFn: ({ signal }) => get<readonly AgentSummary[]>("/agent/list", {}, signal),
    retry: false,
  });

/** An agent as it was described; the latest version when none is given. */
export const useAgent = (name: string, version: number | undefined) =>
  useQuery({
    queryKey: [...agentsKey, "one", name, version ?? "latest"],
    queryFn: ({ signal }) => get<JsonObject>(path`/agent/${name}`, { version }, signal),
    retry: false,
  });

/** The workflow a deployed agent became: it knows which framework it came from and what that was understood as. */
export const useAgentWorkflow = (name: string, version: number | undefined) =>
  useQuery({
    queryKey: [...agentsKey, "workflow", name, version ?? "latest"],
    queryFn: ({ signal }) => get<WorkflowDefinition>(path`/agent/definitions/${name}`, { version }, signal),
    retry: false,
  });

const RUNS = 200;

/** Runs of an agent, newest first. */
export const useAgentRuns = (agentName: string) =>
  useQuery({
    queryKey: [...agentRunsKey, "of", agentName],
    queryFn: ({ signal }) => get<Page<AgentRunSummary>>("/agent/executions", { agentName, size: RUNS }, signal),
  });

/** Tokens and cost of a run and of everything inside it. `version` changes when there may be more. */
export const useAgentUsage = (id: string, version: number) =>
  useQuery({
    queryKey: [...agentRunsKey, "usage", id, version],
    queryFn: ({ signal }) => get<RunUsage>(path`/agent/executions/${id}/usage`, { calls: true }, signal),
    placeholderData: (before) => before,
  });

type Providers = { readonly providers: readonly { readonly name: string; readonly configured: boolean }[] };

/** Which providers of models the server has keys for. */
export const useProviders = () =>
  useQuery({
    queryKey: ["providers"],
    queryFn: ({ signal }) => get<Providers>("/providers/status", {}, signal),
    staleTime: 60_000,
    retry: false,
  });

/** How an agent is sent: in the interface's own words, or in those of the framework that is named. */
const describeAgent = (config: unknown, framework: string): object =>
  framework === "" ? { agentConfig: config } : { framework, rawConfig: config };

export const deployRequest = (config: unknown, framework: string): ApiRequest => ({
  method: "POST",
  path: "/agent/deploy",
  body: describeAgent(config, framework),
});

/** Refused with what is wrong. */
export const compileAgent = (config: unknown, framework: string) =>
  call<CompiledAgent>({ method: "POST", path: "/agent/compile", body: describeAgent(config, framework) });
