import type { JsonObject } from "@downbeat/engine";

/**
 * An agent as the interface describes it. Every field keeps its wire name; optional ones are absent, never null.
 * `readAgentConfig` turns a caller's JSON into this.
 */
export type AgentConfig = {
  readonly name: string;
  readonly description?: string;
  /** `provider/model`; empty for a reference to an existing workflow. */
  readonly model?: string;
  readonly baseUrl?: string;
  readonly instructions?: Instructions;
  readonly tools?: readonly ToolConfig[];
  readonly agents?: readonly AgentConfig[];
  readonly strategy: Strategy;
  readonly router?: AgentConfig | WorkerRef;
  readonly outputType?: OutputType;
  readonly guardrails?: readonly GuardrailConfig[];
  readonly memory?: MemoryConfig;
  /** Model turns at most; `withTurns` fills in the default. */
  readonly maxTurns?: number;
  readonly maxTokens?: number;
  /** Tokens the conversation may take before it is condensed. */
  readonly contextWindowBudget?: number;
  readonly timeoutSeconds: number;
  readonly temperature?: number;
  readonly reasoningEffort?: string;
  readonly thinkingConfig?: ThinkingConfig;
  readonly stopWhen?: WorkerRef;
  readonly termination?: TerminationConfig;
  readonly handoffs?: readonly HandoffConfig[];
  readonly callbacks?: readonly CallbackConfig[];
  readonly allowedTransitions?: { readonly [name: string]: readonly string[] };
  readonly introduction?: string;
  readonly metadata?: JsonObject;
  readonly codeExecution?: CodeExecutionConfig;
  readonly cliConfig?: CliConfig;
  readonly includeContents?: string;
  readonly enablePlanning?: boolean;
  readonly planner?: AgentConfig;
  readonly fallback?: AgentConfig;
  readonly fallbackMaxTurns?: number;
  readonly planSource?: PlanSource;
  readonly plannerContext?: readonly PlannerContextEntry[];
  readonly requiredTools?: readonly string[];
  readonly prefillTools?: readonly PrefillTool[];
  readonly gate?: GateConfig;
  readonly credentials?: readonly string[];
  readonly maskedFields?: readonly string[];
  readonly external: boolean;
  /** Absent counts as true. */
  readonly synthesize?: boolean;
};

export const strategies = [
  "handoff",
  "sequential",
  "parallel",
  "router",
  "round_robin",
  "random",
  "swarm",
  "manual",
  "plan_execute",
] as const;
export type Strategy = (typeof strategies)[number];

export type Instructions = string | PromptTemplate | InstructionsWorker;
export type PromptTemplate = {
  readonly type: string;
  readonly name: string;
  readonly variables?: JsonObject;
  readonly version?: number;
};
export type InstructionsWorker = { readonly _worker_ref: string };

export type WorkerRef = { readonly taskName: string };

export type OutputType = { readonly schema?: JsonObject; readonly className?: string };
export type ThinkingConfig = { readonly enabled: boolean; readonly budgetTokens?: number };
export type MemoryConfig = { readonly messages: readonly JsonObject[]; readonly maxMessages?: number };
export type CallbackConfig = { readonly position: string; readonly taskName: string };
export type PlanSource = { readonly tool: string; readonly args: JsonObject };
export type PrefillTool = { readonly toolName: string; readonly arguments: JsonObject };

export type ToolConfig = {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly toolType: string;
  readonly approvalRequired: boolean;
  readonly timeoutSeconds?: number;
  /** Calls of the tool that one run may make. */
  readonly maxCalls?: number;
  readonly retryCount?: number;
  readonly retryDelaySeconds?: number;
  readonly config?: JsonObject;
  readonly guardrails?: readonly GuardrailConfig[];
  readonly stateful: boolean;
};

export type OnFail = "retry" | "raise" | "fix" | "human";
export type GuardrailConfig = {
  readonly name: string;
  readonly guardrailType: "regex" | "llm" | "custom" | "external";
  readonly position: "input" | "output";
  readonly onFail: OnFail;
  readonly maxRetries: number;
  readonly patterns?: readonly string[];
  readonly mode?: "block" | "allow";
  readonly message?: string;
  readonly model?: string;
  readonly policy?: string;
  readonly maxTokens?: number;
  readonly taskName?: string;
};

export type TerminationConfig = {
  readonly type: string;
  readonly text?: string;
  readonly caseSensitive?: boolean;
  readonly stopMessage?: string;
  readonly maxMessages?: number;
  readonly maxTotalTokens?: number;
  readonly maxPromptTokens?: number;
  readonly maxCompletionTokens?: number;
  readonly conditions?: readonly TerminationConfig[];
};

export type HandoffConfig = {
  readonly type?: string;
  readonly target?: string;
  readonly text?: string;
  readonly toolName?: string;
  readonly resultContains?: string;
  readonly taskName?: string;
};

export type CodeExecutionConfig = {
  readonly enabled: boolean;
  readonly allowedLanguages?: readonly string[];
  readonly allowedCommands?: readonly string[];
  readonly timeout?: number;
};

export type CliConfig = {
  readonly enabled: boolean;
  readonly allowedCommands?: readonly string[];
  readonly timeout?: number;
  readonly allowShell: boolean;
};

export type PlannerContextEntry = {
  readonly text?: string;
  readonly url?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly required: boolean;
  readonly maxBytes: number;
  readonly ttlSeconds: number;
};

/** On a step of a sequential parent: a text to look for, or a worker to ask. */
export type GateConfig = {
  readonly type?: string;
  readonly text?: string;
  readonly caseSensitive: boolean;
  readonly taskName?: string;
};
