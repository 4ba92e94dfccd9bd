import {
  assertNesting,
  type Fields,
  flag,
  freeMap,
  integerOr,
  isJsonObject,
  listOf,
  type Model,
  mapOf,
  model,
  optional,
  optionalFlag,
  optionalInteger,
  optionalText,
  type Reader,
  reader,
  text,
  textOr,
  withDefault,
} from "@downbeat/engine";
import { anyCaseOneOf, optionalNumber, optionalObject } from "./readers.ts";
import {
  type AgentConfig,
  type CallbackConfig,
  type CliConfig,
  type CodeExecutionConfig,
  type GateConfig,
  type GuardrailConfig,
  type HandoffConfig,
  type Instructions,
  type InstructionsWorker,
  type MemoryConfig,
  type OutputType,
  type PlannerContextEntry,
  type PlanSource,
  type PrefillTool,
  type PromptTemplate,
  strategies,
  type TerminationConfig,
  type ThinkingConfig,
  type ToolConfig,
  type WorkerRef,
} from "./types.ts";

/**
 * A caller's JSON as an agent: defaults filled in, scalars converted, unknown properties dropped (the SDKs send some).
 * It need not be valid: `validateAgent` tells. `path` says where in the request it sits. Throws DefinitionFormatError.
 */
export function readAgentConfig(json: unknown, path = ""): AgentConfig {
  assertNesting(json, path);
  return agentConfigModel(json, path);
}

export const agentConfigModel: Model<AgentConfig> = model("AgentConfig", () => agentFields);
const toolModel: Model<ToolConfig> = model("AgentTool", () => toolFields);
const guardrailModel: Model<GuardrailConfig> = model("AgentGuardrail", () => guardrailFields);
const terminationModel: Model<TerminationConfig> = model("AgentTermination", () => terminationFields);
const handoffModel: Model<HandoffConfig> = model("AgentHandoff", () => handoffFields);
const workerRefModel: Model<WorkerRef> = model("AgentWorkerRef", () => workerRefFields);
const templateModel: Model<PromptTemplate> = model("AgentPromptTemplate", () => templateFields);
const instructionsWorkerModel: Model<InstructionsWorker> = model(
  "AgentInstructionsWorker",
  () => instructionsWorkerFields,
);
const outputTypeModel: Model<OutputType> = model("AgentOutputType", () => outputTypeFields);
const memoryModel: Model<MemoryConfig> = model("AgentMemory", () => memoryFields);
const thinkingModel: Model<ThinkingConfig> = model("AgentThinking", () => thinkingFields);
const callbackModel: Model<CallbackConfig> = model("AgentCallback", () => callbackFields);
const codeExecutionModel: Model<CodeExecutionConfig> = model("AgentCodeExecution", () => codeExecutionFields);
const cliModel: Model<CliConfig> = model("AgentCli", () => cliFields);
const planSourceModel: Model<PlanSource> = model("AgentPlanSource", () => planSourceFields);
const plannerContextModel: Model<PlannerContextEntry> = model("AgentPlannerContext", () => plannerContextFields);
const prefillModel: Model<PrefillTool> = model("AgentPrefillTool", () => prefillFields);
const gateModel: Model<GateConfig> = model("AgentGate", () => gateFields);

const instructions: Reader<Instructions | undefined> = reader(
  { anyOf: [{ type: "string" }, templateModel, instructionsWorkerModel] },
  (value, path) => {
    if (!isJsonObject(value)) return optionalText(value, path);
    return "_worker_ref" in value ? instructionsWorkerModel(value, path) : templateModel(value, path);
  },
);

/** A router that routes by itself, or a worker that does. */
const router: Reader<AgentConfig | WorkerRef> = reader(
  { anyOf: [agentConfigModel, workerRefModel] },
  (value, path): AgentConfig | WorkerRef =>
    isJsonObject(value) && "taskName" in value ? workerRefModel(value, path) : agentConfigModel(value, path),
);

const optionalTexts = optional(listOf(text));

const agentFields: Fields<AgentConfig> = {
  name: textOr(""),
  description: optionalText,
  model: optionalText,
  baseUrl: optionalText,
  instructions,
  tools: optional(listOf(toolModel)),
  agents: optional(listOf(agentConfigModel)),
  strategy: withDefault("handoff", anyCaseOneOf(...strategies)),
  router: optional(router),
  outputType: optional(outputTypeModel),
  guardrails: optional(listOf(guardrailModel)),
  memory: optional(memoryModel),
  maxTurns: optionalInteger,
  maxTokens: optionalInteger,
  contextWindowBudget: optionalInteger,
  timeoutSeconds: integerOr(0),
  temperature: optionalNumber,
  reasoningEffort: optionalText,
  thinkingConfig: optional(thinkingModel),
  stopWhen: optional(workerRefModel),
  termination: optional(terminationModel),
  handoffs: optional(listOf(handoffModel)),
  callbacks: optional(listOf(callbackModel)),
  allowedTransitions: optional(mapOf(listOf(text))),
  introduction: optionalText,
  metadata: optionalObject,
  codeExecution: optional(codeExecutionModel),
  cliConfig: optional(cliModel),
  includeContents: optionalText,
  enablePlanning: optionalFlag,
  planner: optional(agentConfigModel),
  fallback: optional(agentConfigModel),
  fallbackMaxTurns: optionalInteger,
  planSource: optional(planSourceModel),
  plannerContext: optional(listOf(plannerContextModel)),
  requiredTools: optionalTexts,
  prefillTools: optional(listOf(prefillModel)),
  gate: optional(gateModel),
  credentials: optionalTexts,
  maskedFields: optionalTexts,
  external: flag(false),
  synthesize: optionalFlag,
};

const toolFields: Fields<ToolConfig> = {
  name: textOr(""),
  description: optionalText,
  inputSchema: optionalObject,
  outputSchema: optionalObject,
  toolType: textOr("worker"),
  approvalRequired: flag(false),
  timeoutSeconds: optionalInteger,
  maxCalls: optionalInteger,
  retryCount: optionalInteger,
  retryDelaySeconds: optionalInteger,
  config: optionalObject,
  guardrails: optional(listOf(guardrailModel)),
  stateful: flag(false),
};

const guardrailFields: Fields<GuardrailConfig> = {
  name: textOr("guardrail"),
  guardrailType: withDefault("custom", anyCaseOneOf("regex", "llm", "custom", "external")),
  position: withDefault("output", anyCaseOneOf("input", "output")),
  onFail: withDefault("retry", anyCaseOneOf("retry", "raise", "fix", "human")),
  maxRetries: integerOr(3),
  patterns: optionalTexts,
  mode: anyCaseOneOf("block", "allow"),
  message: optionalText,
  model: optionalText,
  policy: optionalText,
  maxTokens: optionalInteger,
  taskName: optionalText,
};

const terminationFields: Fields<TerminationConfig> = {
  type: textOr(""),
  text: optionalText,
  caseSensitive: optionalFlag,
  stopMessage: optionalText,
  maxMessages: optionalInteger,
  maxTotalTokens: optionalInteger,
  maxPromptTokens: optionalInteger,
  maxCompletionTokens: optionalInteger,
  conditions: optional(listOf(terminationModel)),
};

const handoffFields: Fields<HandoffConfig> = {
  type: optionalText,
  target: optionalText,
  text: optionalText,
  toolName: optionalText,
  resultContains: optionalText,
  taskName: optionalText,
};

const workerRefFields: Fields<WorkerRef> = { taskName: textOr("") };
const instructionsWorkerFields: Fields<InstructionsWorker> = { _worker_ref: text };
const templateFields: Fields<PromptTemplate> = {
  type: textOr("prompt_template"),
  name: textOr(""),
  variables: optionalObject,
  version: optionalInteger,
};
const outputTypeFields: Fields<OutputType> = { schema: optionalObject, className: optionalText };
const memoryFields: Fields<MemoryConfig> = { messages: listOf(freeMap), maxMessages: optionalInteger };
const thinkingFields: Fields<ThinkingConfig> = { enabled: flag(false), budgetTokens: optionalInteger };
const callbackFields: Fields<CallbackConfig> = { position: textOr(""), taskName: textOr("") };
const codeExecutionFields: Fields<CodeExecutionConfig> = {
  enabled: flag(false),
  allowedLanguages: optionalTexts,
  allowedCommands: optionalTexts,
  timeout: optionalInteger,
};
const cliFields: Fields<CliConfig> = {
  enabled: flag(false),
  allowedCommands: optionalTexts,
  timeout: optionalInteger,
  allowShell: flag(false),
};
const planSourceFields: Fields<PlanSource> = { tool: textOr(""), args: freeMap };
const plannerContextFields: Fields<PlannerContextEntry> = {
  text: optionalText,
  url: optionalText,
  headers: optional(mapOf(text)),
  required: flag(true),
  maxBytes: integerOr(16384),
  ttlSeconds: integerOr(60),
};
const prefillFields: Fields<PrefillTool> = { toolName: textOr(""), arguments: freeMap };
const gateFields: Fields<GateConfig> = {
  type: optionalText,
  text: optionalText,
  caseSensitive: flag(true),
  taskName: optionalText,
};
