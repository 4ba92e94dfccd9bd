import { isJsonObject, type Json, type JsonObject, ownMember } from "@downbeat/engine";
import {
  findInstructions,
  frameworkAgent,
  modelSettings,
  type NormaliseOptions,
  type Normaliser,
  outputType,
  qualifiedModel,
} from "./agent.ts";
import { exitLoopTool, isExitLoop, mayExit } from "./exit-loop.ts";
import { readGuardrails } from "./guardrails.ts";
import { findNumber, findObject, findText, ifAny, isOn, listObjects, withoutUndefined } from "./raw.ts";
import { readTools } from "./tools.ts";

/** Google's Agent Development Kit. */
export const googleAdk: Normaliser = (raw, options) => {
  const name = findText(raw, "name") ?? "google_adk_agent";
  const given = listObjects(raw, "tools");
  const tools = given.filter((tool) => !isExitLoop(tool));
  const abilities = readTools(tools, (agent) => googleAdk(agent, options));
  const subAgents = listObjects(raw, "sub_agents", "subAgents");
  const isLoop = findText(raw, "_type") === "LoopAgent";
  const rounds = isLoop ? findNumber(raw, "max_iterations", "maxIterations") : undefined;
  return frameworkAgent({
    name,
    description: findText(raw, "description"),
    model: modelOf(raw, options),
    instructions: instructionsOf(raw),
    tools: ifAny([...abilities.tools, ...(given.some(isExitLoop) ? [exitLoopTool] : [])]),
    agents: ifAny(subAgents.map((agent) => googleAdk(agent, options))),
    strategy: strategies.get(findText(raw, "_type") ?? ""),
    outputType: outputType(raw, "output_schema", "outputSchema"),
    guardrails: ifAny(readGuardrails(raw)),
    maxTurns: rounds,
    ...generation(raw),
    callbacks: ifAny(callbacksOf(raw)),
    allowedTransitions: ifAny(transitionsBetween(name, subAgents)),
    metadata: ifAny(
      withoutUndefined({
        _builtin_web_search: abilities.hasWebSearch ? true : undefined,
        output_key: findText(raw, "output_key", "outputKey"),
        // Without a limit it goes on until an agent ends it: that has to be one that can.
        _repeat: (rounds ?? 0) > 0 || (isLoop && subAgents.some(mayExit)) ? true : undefined,
      }),
    ),
    codeExecution: abilities.hasCodeExecution ? { enabled: true } : undefined,
    includeContents: findText(raw, "include_contents", "includeContents"),
    enablePlanning: findObject(raw, "planner") === undefined ? undefined : true,
    synthesize: isOn(raw, "synthesize"),
  });
};

const strategies: ReadonlyMap<string, string> = new Map([
  ["SequentialAgent", "sequential"],
  ["LoopAgent", "sequential"],
  ["ParallelAgent", "parallel"],
]);

/** A model is named, or an object (of another provider's adapter) that names one. */
function modelOf(raw: JsonObject, { adkModel }: NormaliseOptions): string {
  const named = findText(raw, "model") ?? findText(findObject(raw, "model") ?? {}, "model", "model_name");
  return qualifiedModel(adkModel ?? named ?? "gemini-2.0-flash", "google_gemini");
}

function instructionsOf(raw: JsonObject): Json | undefined {
  const own = findInstructions(raw, "instruction", "instructions");
  const global = findInstructions(raw, "global_instruction", "globalInstruction");
  if (own === undefined) return global;
  return typeof own === "string" && typeof global === "string" ? `${global}\n\n${own}` : own;
}

function generation(raw: JsonObject): { readonly [name: string]: Json | undefined } {
  const config = findObject(raw, "generate_content_config", "generateContentConfig") ?? {};
  const own = modelSettings(raw);
  return {
    temperature: findNumber(config, "temperature") ?? own["temperature"],
    maxTokens: findNumber(config, "max_output_tokens", "maxOutputTokens") ?? own["maxTokens"],
    thinkingConfig: thinkingOf(findObject(config, "thinking_config", "thinkingConfig")) ?? ownThinking(raw),
  };
}

function thinkingOf(config: JsonObject | undefined): JsonObject | undefined {
  if (config === undefined) return undefined;
  const budget = findNumber(config, "thinking_budget", "thinkingBudget", "budget_tokens", "budgetTokens");
  // A budget of 0 is how the kit turns thinking off.
  return budget === 0 ? undefined : withoutUndefined({ enabled: true, budgetTokens: budget });
}

/** Given in our own terms already, or in the kit's. */
function ownThinking(raw: JsonObject): JsonObject | undefined {
  const config = findObject(raw, "thinkingConfig", "thinking_config");
  return config !== undefined && ownMember(config, "enabled") === false ? undefined : thinkingOf(config);
}

const callbacks: readonly (readonly [position: string, ...names: readonly string[]])[] = [
  ["before_agent", "before_agent_callback", "beforeAgentCallback"],
  ["after_agent", "after_agent_callback", "afterAgentCallback"],
  ["before_model", "before_model_callback", "beforeModelCallback"],
  ["after_model", "after_model_callback", "afterModelCallback"],
  ["before_tool", "before_tool_callback", "beforeToolCallback"],
  ["after_tool", "after_tool_callback", "afterToolCallback"],
];

/** Each position has one callback or a list of them. */
function callbacksOf(raw: JsonObject): readonly JsonObject[] {
  return callbacks.flatMap(([position, ...names]) => {
    const given = names.flatMap((name) => ownMember(raw, name));
    return given.filter(isJsonObject).flatMap((callback) => {
      const taskName = findText(callback, "_worker_ref");
      return taskName === undefined ? [] : { position, taskName };
    });
  });
}

/** Only the sub-agents that may not go everywhere have an entry. */
function transitionsBetween(parent: string, subAgents: readonly JsonObject[]): { readonly [name: string]: Json } {
  const names = subAgents.map((agent) => findText(agent, "name") ?? "google_adk_agent");
  const entries: [string, Json][] = [];
  subAgents.forEach((agent, index) => {
    const noParent = isOn(agent, "disallow_transfer_to_parent", "disallowTransferToParent");
    const noPeers = isOn(agent, "disallow_transfer_to_peers", "disallowTransferToPeers");
    if (!noParent && !noPeers) return;
    const peers = noPeers ? [] : names.filter((_, other) => other !== index);
    entries.push([names[index] ?? "", [...peers, ...(noParent ? [] : [parent])]]);
  });
  return Object.fromEntries(entries);
}
