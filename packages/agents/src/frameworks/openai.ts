import type { JsonObject } from "@downbeat/engine";
import {
  findInstructions,
  frameworkAgent,
  modelSettings,
  type Normaliser,
  outputType,
  qualifiedModel,
} from "./agent.ts";
import { readGuardrails } from "./guardrails.ts";
import { findNumber, findObject, findText, ifAny, isOn, listObjects } from "./raw.ts";
import { readTools } from "./tools.ts";

/** OpenAI Agents. */
export const openai: Normaliser = (raw, options) => {
  const abilities = readTools(listObjects(raw, "tools"), (agent) => openai(agent, options));
  const agents = listObjects(raw, "handoffs").map((handoff) => openai(targetOf(handoff), options));
  return frameworkAgent({
    name: findText(raw, "name") ?? "openai_agent",
    description: findText(raw, "handoff_description", "handoffDescription"),
    model: qualifiedModel(findText(raw, "model") ?? "gpt-4o", "openai"),
    instructions: findInstructions(raw, "instructions"),
    tools: ifAny(abilities.tools),
    agents: ifAny(agents),
    outputType: outputType(raw, "output_type", "outputType"),
    guardrails: ifAny(readGuardrails(raw)),
    maxTurns: findNumber(raw, "maxTurns", "max_turns"),
    ...modelSettings(raw),
    metadata: abilities.hasWebSearch ? { _builtin_web_search: true } : undefined,
    codeExecution: abilities.hasCodeExecution ? { enabled: true } : undefined,
    synthesize: isOn(raw, "synthesize"),
  });
};

/** A handoff is an agent, or an object around one. */
const targetOf = (handoff: JsonObject): JsonObject => findObject(handoff, "agent") ?? handoff;
