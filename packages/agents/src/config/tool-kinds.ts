import type { Json } from "@downbeat/engine";
import type { ToolConfig } from "./types.ts";

/** Task type of the dispatched call, by tool kind. mcp and api are not called themselves but what they discover. */
const taskTypes: { readonly [toolType: string]: string } = {
  worker: "SIMPLE",
  cli: "SIMPLE",
  http: "HTTP",
  api: "HTTP",
  mcp: "CALL_MCP_TOOL",
  agent_tool: "SUB_WORKFLOW",
  human: "HUMAN",
  generate_image: "GENERATE_IMAGE",
  generate_audio: "GENERATE_AUDIO",
  generate_video: "GENERATE_VIDEO",
  generate_pdf: "GENERATE_PDF",
  rag_index: "LLM_INDEX_TEXT",
  rag_search: "LLM_SEARCH_INDEX",
  sandbox_code: "RUN_CODE",
  sandbox_command: "RUN_COMMAND",
  pull_workflow_messages: "PULL_WORKFLOW_MESSAGES",
  exit_loop: "INLINE",
};

export const isKnownKind = (toolType: string): boolean => Object.hasOwn(taskTypes, toolType);

export const isDiscovered = ({ toolType }: ToolConfig): boolean => toolType === "mcp" || toolType === "api";

/** A kind nobody knows is a worker's. */
export const taskTypeOf = ({ toolType }: ToolConfig): string =>
  Object.hasOwn(taskTypes, toolType) ? (taskTypes[toolType] ?? "SIMPLE") : "SIMPLE";

export const toolText = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** A whole number in a tool's own settings. */
export const toolNumber = (value: Json | undefined): number | undefined =>
  typeof value === "number" && Number.isInteger(value) ? value : undefined;
