import type { JsonObject } from "@downbeat/engine";
import type { Call } from "./call.ts";

/** Waits for messages that are sent to the run. */
export function messageCall({ name, tool: { config } }: Call): JsonObject {
  return {
    name,
    type: "PULL_WORKFLOW_MESSAGES",
    inputParameters: {
      batchSize: config["batchSize"] ?? 1,
      ...(config["blocking"] === undefined ? {} : { blocking: config["blocking"] }),
    },
  };
}
