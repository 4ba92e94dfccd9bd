import type { JsonObject } from "@downbeat/engine";
import type { AgentConfig } from "../config/types.ts";
import { outputOf, variable, workflowInput } from "./expression.ts";
import { simple } from "./tasks.ts";
import { agentWorkflow } from "./workflow.ts";

/** An agent that lives in a worker: the workflow only hands it the run. */
export function passthroughWorkflow(config: AgentConfig, name = config.name): JsonObject {
  const worker = config.tools?.[0]?.name ?? config.name;
  const inputs = ["prompt", "session_id", "media", "cwd"];
  return agentWorkflow(config, {
    name,
    tasks: [simple("_fw_task", worker, Object.fromEntries(inputs.map((input) => [input, workflowInput(input)])))],
    inputParameters: [...inputs, "context"],
    outputParameters: {
      result: outputOf("_fw_task", "result"),
      finishReason: "STOP",
      rejectionReason: variable("rejectionReason"),
      context: workflowInput("context"),
    },
  });
}
