import type { JsonObject } from "@downbeat/engine";
import type { Call } from "./call.ts";

/** A command or a piece of code that the server runs. What the model asks for cannot reach the agent's own limits. */
export function sandboxCall({ name, tool, args, plain }: Call): JsonObject {
  return {
    name,
    type: tool.target,
    inputParameters: { ...(plain(tool.config) as JsonObject), arguments: plain(args), method: name },
  };
}
