import { type Json, type JsonObject, ownMember } from "@downbeat/engine";
import { objectIn, type Tool } from "./tool.ts";

/**
 * The headers of a tool with `${NAME}` read from the server's secrets when the call is made. `#{NAME}` means the same: a
 * tool that comes out of a task's input is written so, or the value would have been put there.
 */
export function secretHeaders({ config }: Tool): JsonObject {
  const headers = Object.entries(objectIn(config, "headers"));
  return Object.fromEntries(headers.map(([name, value]) => [name, withSecrets(value)]));
}

const withSecrets = (value: Json): Json =>
  typeof value === "string"
    ? value.replace(/[$#]\{(?!workflow\.)([A-Za-z_][A-Za-z0-9_.]*)\}/g, "${workflow.secrets.$1}")
    : value;

/** A list of texts in a tool's configuration. */
export function textsIn({ config }: Tool, name: string): readonly string[] {
  const list = ownMember(config, name);
  return Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
}
