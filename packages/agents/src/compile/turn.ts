import type { Json, JsonObject } from "@downbeat/engine";
import { isTemplate, refName } from "../config/questions.ts";
import type { AgentConfig } from "../config/types.ts";
import { agentModel } from "./agent-model.ts";
import { needsApproval } from "./approval.ts";
import type { Compiling } from "./compiling.ts";
import { discoveryRef } from "./discovery.ts";
import { authored, authoredValue, literal, outputOf, variable, workflowInput } from "./expression.ts";
import { promptOf } from "./input-guardrails.ts";
import { systemMessage, turnTask } from "./llm-task.ts";
import { memoryMessages } from "./memory.ts";
import { prefillMessages } from "./prefill.ts";
import { systemPrompt } from "./system-prompt.ts";
import { discoveredTools } from "./tools.ts";

export type TurnOptions = {
  /** Tools the model is offered, when they are known beforehand. */
  readonly tools: readonly JsonObject[];
  /** Tasks whose results the model hears as if a user had said them. */
  readonly feedback: readonly string[];
};

const defaultMaxTokens = 16384;
const defaultThinkingTokens = 8192;

/** One turn of an agent: the call of its model. */
export function agentTurn(config: AgentConfig, compiling: Compiling, { tools, feedback }: TurnOptions): JsonObject {
  const model = agentModel(config);
  const isThinking = config.thinkingConfig?.enabled === true;
  // Anthropic's models take a thinking budget, not an effort, unless thinking is on.
  const effort = model.provider === "anthropic" && !isThinking ? undefined : config.reasoningEffort;
  const hasDiscovery = discoveredTools(config).length > 0;
  const offered: Json | undefined = hasDiscovery
    ? outputOf(discoveryRef(config, "resolve"), "result.tools")
    : tools.length > 0
      ? literal(tools)
      : undefined;
  const temperature = config.temperature ?? (tools.length > 0 && !hasDiscovery ? 0 : undefined);
  return turnTask(`${refName(config.name)}_llm`, model, {
    ...(config.metadata?.["_builtin_web_search"] === true ? { webSearch: true } : {}),
    ...templateInputs(config),
    ...(config.outputType?.schema !== undefined && offered === undefined ? { jsonOutput: true } : {}),
    messages: turnMessages(config, compiling),
    ...(offered === undefined ? {} : { tools: offered }),
    maxTokens: config.maxTokens ?? defaultMaxTokens,
    ...(config.contextWindowBudget === undefined ? {} : { contextWindowBudget: config.contextWindowBudget }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(isThinking ? { thinkingTokenLimit: config.thinkingConfig?.budgetTokens ?? defaultThinkingTokens } : {}),
    ...(effort === undefined ? {} : { reasoningEffort: effort, reasoningSummary: "auto" }),
    ...(feedback.length === 0 ? {} : { participants: Object.fromEntries(feedback.map((ref) => [ref, "user"])) }),
  });
}

function templateInputs({ instructions }: AgentConfig): JsonObject {
  if (!isTemplate(instructions)) return {};
  return {
    instructionsTemplate: authored(instructions.name),
    ...(instructions.variables === undefined ? {} : { templateVariables: authoredValue(instructions.variables) }),
    ...(instructions.version === undefined ? {} : { promptVersion: instructions.version }),
  };
}

function turnMessages(config: AgentConfig, compiling: Compiling): readonly JsonObject[] {
  const system = systemPrompt(config);
  const injected = outputOf(`${refName(config.name)}_ctx_inject`, "result");
  return [
    ...(system === "" ? [] : [systemMessage(system)]),
    ...memoryMessages(config),
    ...prefillMessages(config, compiling),
    { role: "user", message: `${injected}${promptOf(config)}`, media: workflowInput("media") },
    // Empty until a person has said something; the model task drops empty messages.
    ...(needsApproval(config) ? [systemMessage(variable("_human_feedback"))] : []),
  ];
}
