import type { JsonObject } from "@downbeat/engine";
import type { AgentConfig } from "../config/types.ts";
import { capabilitiesOf } from "./capabilities.ts";
import type { TaskList } from "./tasks.ts";
import { withUniqueReferences } from "./unique-references.ts";

type Parts = {
  readonly name?: string;
  readonly description?: string;
  readonly tasks: TaskList;
  readonly outputParameters: JsonObject;
  readonly inputParameters?: readonly string[];
  readonly metadata?: JsonObject;
};

/** Seconds after which a run that was given no limit is reported, never ended. */
const alertAfterSeconds = 60;

/** The workflow of an agent around its tasks. */
export function agentWorkflow(config: AgentConfig, parts: Parts): JsonObject {
  const { tasks, outputParameters } = withUniqueReferences(parts.tasks, parts.outputParameters);
  const isLimited = config.timeoutSeconds > 0;
  return {
    name: parts.name ?? config.name,
    version: 1,
    schemaVersion: 2,
    ...(parts.description === undefined ? {} : { description: parts.description }),
    tasks,
    inputParameters: parts.inputParameters ?? ["prompt", "session_id", "media", "cwd"],
    outputParameters,
    timeoutSeconds: isLimited ? config.timeoutSeconds : alertAfterSeconds,
    timeoutPolicy: isLimited ? "TIME_OUT_WF" : "ALERT_ONLY",
    ...(config.maskedFields === undefined ? {} : { maskedFields: config.maskedFields }),
    metadata: { ...parts.metadata, classifier: "AGENT", agent_capabilities: [...capabilitiesOf(config)] },
  };
}
