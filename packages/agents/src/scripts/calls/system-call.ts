import type { JsonObject } from "@downbeat/engine";
import type { Call } from "./call.ts";

/** A task of a type the server has (media, index, search): the tool's settings, with the arguments over them. */
export function systemCall({ tool, args, plain }: Call): JsonObject {
  const { taskType: _type, credentials: _names, ...defaults } = tool.config;
  return {
    name: tool.target.toLowerCase(),
    type: tool.target,
    inputParameters: { ...(plain(defaults) as JsonObject), ...(plain(args) as JsonObject) },
  };
}
