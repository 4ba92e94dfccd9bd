import type { JsonObject } from "@downbeat/engine";
import { findObject, findText, withoutUndefined } from "./raw.ts";

/** What the tool list of a framework agent turns into: tools, and abilities that are no tools here. */
export type Abilities = {
  readonly tools: readonly JsonObject[];
  readonly hasWebSearch: boolean;
  readonly hasCodeExecution: boolean;
};

type WorkerTool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: JsonObject | undefined;
};

/** A tool that a worker of the SDK serves. */
export function workerTool({ name, description, inputSchema }: WorkerTool): JsonObject {
  return withoutUndefined({
    name,
    description,
    inputSchema,
    toolType: "worker",
    approvalRequired: false,
    stateful: false,
  });
}

type AgentTool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly agentConfig: JsonObject;
};

/** A tool that is an agent of its own. */
export function agentTool({ name, description, inputSchema, agentConfig }: AgentTool): JsonObject {
  return {
    name,
    description,
    inputSchema,
    toolType: "agent_tool",
    approvalRequired: false,
    config: { agentConfig },
    stateful: false,
  };
}

/** Reads the list of tools that OpenAI, Google ADK and LangGraph agents have; `normalise` reads the agents in it. */
export function readTools(raws: readonly JsonObject[], normalise: (raw: JsonObject) => JsonObject): Abilities {
  const kinds = raws.map((raw) => kindOf(raw));
  return {
    tools: raws.flatMap((raw, index) => readTool(raw, kinds[index] ?? "function", normalise)),
    hasWebSearch: kinds.includes("web-search"),
    hasCodeExecution: kinds.includes("code-execution"),
  };
}

type ToolKind = "function" | "agent" | "web-search" | "code-execution" | "file-search";

const kindsByType: ReadonlyMap<string, ToolKind> = new Map<string, ToolKind>([
  ["AgentTool", "agent"],
  ["WebSearchTool", "web-search"],
  ["web_search", "web-search"],
  ["web_search_preview", "web-search"],
  ["GoogleSearchTool", "web-search"],
  ["google_search", "web-search"],
  ["CodeInterpreterTool", "code-execution"],
  ["code_interpreter", "code-execution"],
  ["CodeExecutionTool", "code-execution"],
  ["code_execution", "code-execution"],
  ["FileSearchTool", "file-search"],
  ["file_search", "file-search"],
]);

function kindOf(raw: JsonObject): ToolKind {
  if (Object.hasOwn(raw, "_worker_ref")) return "function";
  const type = findText(raw, "_type", "type") ?? "";
  // Of a tool that the provider runs the SDK gives the kind as a name.
  return kindsByType.get(type === "hosted_tool" ? (findText(raw, "name") ?? "") : type) ?? "function";
}

function readTool(raw: JsonObject, kind: ToolKind, normalise: (raw: JsonObject) => JsonObject): readonly JsonObject[] {
  switch (kind) {
    case "function":
      return readFunction(raw);
    case "agent":
      return readAgentTool(raw, normalise);
    case "file-search":
      return [workerTool({ name: "file_search", description: "Search through files" })];
    case "web-search":
    case "code-execution":
      return [];
  }
}

/** A function, or any object with a name: served by a worker of that name. Nothing without a name. */
export function readFunction(raw: JsonObject, nameInMap?: string): readonly JsonObject[] {
  const name = findText(raw, "_worker_ref") ?? nameInMap ?? findText(raw, "name");
  if (name === undefined) return [];
  return [workerTool({ name, description: findText(raw, "description") ?? "", inputSchema: findSchema(raw) })];
}

/** The Vercel AI SDK wraps a schema as `{jsonSchema}`; a FunctionTool of Google ADK leaves it with its function. */
function findSchema(raw: JsonObject): JsonObject | undefined {
  const schema =
    findObject(raw, "parameters", "inputSchema", "params_json_schema", "schema") ??
    findObject(findObject(raw, "func") ?? {}, "parameters");
  return schema === undefined ? undefined : (findObject(schema, "jsonSchema") ?? schema);
}

function readAgentTool(raw: JsonObject, normalise: (raw: JsonObject) => JsonObject): readonly JsonObject[] {
  const agent = findObject(raw, "agent");
  if (agent === undefined) return readFunction(raw);
  const agentConfig = normalise(agent);
  const agentName = findText(agentConfig, "name") ?? "";
  const name = findText(raw, "name") ?? agentName;
  const description = findText(raw, "description") ?? `Invoke agent: ${agentName}`;
  return [agentTool({ name, description, inputSchema: requestSchema, agentConfig })];
}

const requestSchema: JsonObject = {
  type: "object",
  properties: { request: { type: "string", description: "The request or question to send to this agent" } },
  required: ["request"],
  additionalProperties: false,
};
