import type { JsonObject } from "@downbeat/engine";
import { frameworkAgent } from "./agent.ts";
import { findText } from "./raw.ts";
import { workerTool } from "./tools.ts";

/** An agent that runs as a whole in a worker of its SDK: one tool, and the mark that it is passed through. */
export function passthrough(
  raw: JsonObject,
  framework: { readonly title: string; readonly agent: string },
): JsonObject {
  const name = findText(raw, "name") ?? framework.agent;
  const worker = findText(raw, "_worker_name") ?? name;
  return frameworkAgent({
    name,
    tools: [workerTool({ name: worker, description: `${framework.title} passthrough worker` })],
    metadata: { _framework_passthrough: true },
  });
}
