import type { JsonObject } from "@downbeat/engine";
import type { Call } from "./call.ts";

/** A worker's task: the arguments, the tool's name and the state of the run. A command tool is told what it may run. */
export function workerCall({ name, tool, args, plain }: Call): JsonObject {
  const allowed = tool.config["allowedCommands"];
  return {
    name,
    type: "SIMPLE",
    inputParameters: {
      ...(plain(args) as JsonObject),
      method: name,
      _agent_state: "${workflow.variables._agent_state}",
      ...(allowed === undefined ? {} : { _allowed_commands: allowed }),
    },
  };
}
