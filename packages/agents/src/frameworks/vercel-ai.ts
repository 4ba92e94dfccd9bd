import { isJsonObject, type JsonObject } from "@downbeat/engine";
import {
  findInstructions,
  frameworkAgent,
  modelSettings,
  type Normaliser,
  outputType,
  qualifiedModel,
} from "./agent.ts";
import { findNumber, findObject, findText, ifAny, listObjects } from "./raw.ts";
import { readFunction } from "./tools.ts";

/** Vercel AI SDK agents. */
export const vercelAi: Normaliser = (raw) =>
  frameworkAgent({
    name: findText(raw, "name", "id") ?? "vercel_ai_agent",
    model: modelOf(raw),
    instructions: findInstructions(raw, "system", "instructions", "systemPrompt"),
    tools: ifAny(toolsOf(raw)),
    outputType: outputType(raw, "output_type", "outputType", "schema"),
    maxTurns: findNumber(raw, "maxSteps", "maxTurns", "max_turns"),
    ...modelSettings(raw),
  });

function modelOf(raw: JsonObject): string {
  const described = findObject(raw, "model") ?? {};
  const model = findText(raw, "model") ?? findText(described, "modelId", "model", "name") ?? "gpt-4o";
  return qualifiedModel(model, providerOf(described));
}

/** The SDK's own names of providers that have another name here. */
const providers: ReadonlyMap<string, string> = new Map([
  ["google", "google_gemini"],
  ["azure", "azure_openai"],
  ["azure-openai", "azure_openai"],
  ["amazon-bedrock", "bedrock"],
]);

/** The SDK writes the provider with the kind of its endpoint: `openai.responses`. */
function providerOf(model: JsonObject): string {
  const [provider = ""] = (findText(model, "provider", "providerId") ?? "openai").split(".");
  return providers.get(provider) ?? provider;
}

/** A list of tools, or a map of them by name. */
function toolsOf(raw: JsonObject): readonly JsonObject[] {
  const map = findObject(raw, "tools");
  if (map === undefined) return listObjects(raw, "tools").flatMap((tool) => readFunction(tool));
  return Object.entries(map).flatMap(([name, tool]) => (isJsonObject(tool) ? readFunction(tool, name) : []));
}
