import type { JsonObject } from "@downbeat/engine";
import { findInstructions, frameworkAgent, modelSettings } from "./agent.ts";
import { passthrough } from "./passthrough.ts";
import { findNumber, findText, ifAny, listObjects } from "./raw.ts";
import { readTools } from "./tools.ts";

/** An agent the SDK could take apart, into a model and tools that workers serve; or one worker for the whole of it. */
export function extractedOrWhole(
  raw: JsonObject,
  framework: { readonly title: string; readonly agent: string },
  normalise: (raw: JsonObject) => JsonObject,
): JsonObject {
  const model = findText(raw, "model");
  if (model === undefined || findText(raw, "_worker_name") !== undefined) return passthrough(raw, framework);
  return frameworkAgent({
    name: findText(raw, "name") ?? framework.agent,
    model,
    instructions: findInstructions(raw, "instructions"),
    tools: ifAny(readTools(listObjects(raw, "tools"), normalise).tools),
    maxTurns: findNumber(raw, "maxTurns", "max_turns"),
    ...modelSettings(raw),
  });
}
