import { type ModelName, parseModel } from "../config/model-name.ts";
import { modelOwner } from "../config/questions.ts";
import type { AgentConfig } from "../config/types.ts";

/** A model and where it is reached, when that is not the provider's own address. */
export type AgentModel = ModelName & { readonly baseUrl?: string };

/** The model that an agent's calls go to: its own, or that of its first sub-agent that has one. */
export function agentModel(config: AgentConfig): AgentModel {
  const { model, baseUrl } = modelOwner(config) ?? config;
  return { ...parseModel(model), ...(baseUrl === undefined ? {} : { baseUrl }) };
}
