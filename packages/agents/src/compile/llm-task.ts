import type { JsonObject } from "@downbeat/engine";
import type { AgentModel } from "./agent-model.ts";

/** A model call. */
export const llmTask = (ref: string, { provider, model, baseUrl }: AgentModel, inputs: JsonObject): JsonObject => ({
  name: "llm_chat_complete",
  taskReferenceName: ref,
  type: "LLM_CHAT_COMPLETE",
  inputParameters: { llmProvider: provider, model, ...(baseUrl === undefined ? {} : { baseUrl }), ...inputs },
});

/** The call of an agent's own turn: tried again by itself, at growing distances. */
export const turnTask = (ref: string, model: AgentModel, inputs: JsonObject): JsonObject => ({
  ...llmTask(ref, model, inputs),
  taskDefinition: {
    name: "LLM_CHAT_COMPLETE",
    retryCount: 3,
    retryLogic: "EXPONENTIAL_BACKOFF",
    retryDelaySeconds: 2,
    backoffScaleFactor: 2,
    timeoutSeconds: 0,
    responseTimeoutSeconds: 3600,
  },
});

export const systemMessage = (message: string): JsonObject => ({ role: "system", message });
export const userMessage = (message: string): JsonObject => ({ role: "user", message });
