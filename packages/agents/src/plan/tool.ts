import { isJsonObject, type Json, type JsonObject, ownMember } from "@downbeat/engine";

/** A tool that a plan may call. */
export type Tool = {
  readonly name: string;
  readonly type: string;
  readonly inputSchema: JsonObject;
  readonly config: JsonObject;
  readonly guardrails: readonly JsonObject[];
  readonly isApprovalRequired: boolean;
  readonly maxCalls: number | undefined;
  readonly timeoutSeconds: number | undefined;
  readonly retryCount: number | undefined;
  readonly retryDelaySeconds: number | undefined;
};

export function readTool(raw: JsonObject): Tool {
  const config = objectIn(raw, "config");
  const guardrails = ownMember(raw, "guardrails");
  const setting = (name: string) => numberIn(raw, name) ?? numberIn(config, name);
  return {
    name: textIn(raw, "name") ?? "",
    type: textIn(raw, "toolType") ?? "worker",
    inputSchema: objectIn(raw, "inputSchema"),
    config,
    guardrails: Array.isArray(guardrails) ? guardrails.filter(isJsonObject) : [],
    isApprovalRequired: ownMember(raw, "approvalRequired") === true,
    maxCalls: numberIn(raw, "maxCalls"),
    timeoutSeconds: numberIn(raw, "timeoutSeconds"),
    retryCount: setting("retryCount"),
    retryDelaySeconds: setting("retryDelaySeconds"),
  };
}

/** The schema of one argument. */
export function argumentSchema(tool: Tool, name: string): JsonObject {
  return objectIn(objectIn(tool.inputSchema, "properties"), name);
}

export const argumentNames = (tool: Tool): readonly string[] => Object.keys(objectIn(tool.inputSchema, "properties"));

export function textIn(raw: JsonObject, name: string): string | undefined {
  const value = ownMember(raw, name);
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function objectIn(raw: JsonObject, name: string): JsonObject {
  const value: Json | undefined = ownMember(raw, name);
  return isJsonObject(value) ? value : {};
}

export function numberIn(raw: JsonObject, name: string): number | undefined {
  const value = ownMember(raw, name);
  return typeof value === "number" ? value : undefined;
}
