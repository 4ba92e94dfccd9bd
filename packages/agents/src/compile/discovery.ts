import { isJsonObject, type JsonObject } from "@downbeat/engine";
import { refName } from "../config/questions.ts";
import { toolNumber, toolText } from "../config/tool-kinds.ts";
import type { AgentConfig, ToolConfig } from "../config/types.ts";
import {
  type DiscoverySource,
  keepSelected,
  prepareDiscovery,
  resolveDiscovery,
  toolCatalog,
} from "../scripts/discovery.ts";
import { scriptOf } from "../scripts/script-of.ts";
import { agentModel } from "./agent-model.ts";
import { outputOf, secretHeaders } from "./expression.ts";
import { promptOf } from "./input-guardrails.ts";
import { llmTask, systemMessage, userMessage } from "./llm-task.ts";
import { inline, setVariable, switchBy, systemTask, type TaskList } from "./tasks.ts";
import { discoveredTools, headersOf, ownTools, toolSpec } from "./tools.ts";

type Word = "mcp" | "api" | "discovery";

function wordOf(config: AgentConfig): Word {
  const kinds = new Set(discoveredTools(config).map(({ toolType }) => toolType));
  if (kinds.size === 2) return "discovery";
  return kinds.has("api") ? "api" : "mcp";
}

/** Reference of a task of the discovery. */
export const discoveryRef = (config: AgentConfig, part: string): string =>
  `${refName(config.name)}_${wordOf(config)}_${part}`;

const fewestTools = 32;

/**
 * Asks servers and interface descriptions for their tools; when there are too many, a model chooses among them. The
 * agent's own tools, and those by which it hands over, are not up for choice.
 */
export function discoveryTasks(config: AgentConfig, transfers: readonly JsonObject[]): TaskList {
  if (discoveredTools(config).length === 0) return [];
  const base = refName(config.name);
  const word = wordOf(config);
  const mcp = discoveredTools(config).filter(({ toolType }) => toolType === "mcp");
  const api = discoveredTools(config).filter(({ toolType }) => toolType === "api");
  const mcpKey = word === "discovery" ? "mcp_discovered" : "discovered";
  const sources = [
    ...mcp.map((tool, index) => sourceOf(tool, `${mcpKey}_${index}`)),
    ...api.map((tool, index) => sourceOf(tool, `api_discovered_${index}`)),
  ];
  const maxTools = discoveredTools(config).reduce(
    (max, tool) => toolNumber(tool.config?.["max_tools"]) ?? max,
    fewestTools,
  );
  const prepare = discoveryRef(config, "prepare");
  const own = [...ownTools(config).map(toolSpec), ...transfers];
  const always = own.map((tool) => String(tool["name"]));
  const filter = `${base}_${word === "api" ? "api" : "mcp"}_filter`;
  return [
    ...mcp.map((tool, index) =>
      systemTask(`${base}_list_mcp_${index}`, "LIST_MCP_TOOLS", { mcpServer: serverOf(tool), ...headerInputs(tool) }),
    ),
    ...api.map((tool, index) =>
      systemTask(`${base}_list_api_${index}`, "LIST_API_TOOLS", { specUrl: serverOf(tool), ...headerInputs(tool) }),
    ),
    inline(prepare, scriptOf(prepareDiscovery, { tools: own, sources, maxTools }), {
      ...Object.fromEntries(
        mcp.map((_tool, index) => [`${mcpKey}_${index}`, outputOf(`${base}_list_mcp_${index}`, "tools")]),
      ),
      ...Object.fromEntries(
        api.map((_tool, index) => [`api_discovered_${index}`, `\${${base}_list_api_${index}.output}`]),
      ),
    }),
    switchBy({
      ref: discoveryRef(config, "threshold"),
      script: "$.needsFilter === true ? 'filter' : 'default'",
      inputs: { needsFilter: outputOf(prepare, "result.needsFilter") },
      cases: { filter: filterTasks(config, { filter, prepare, maxTools, always }) },
      defaultCase: [setVariable(discoveryRef(config, "direct_noop"), { [`_${word}_direct`]: true })],
    }),
    inline(discoveryRef(config, "resolve"), scriptOf(resolveDiscovery), {
      filtered_tools: outputOf(`${filter}_inline`, "result.tools"),
      prepared_tools: outputOf(prepare, "result.tools"),
      mcpConfig: outputOf(prepare, "result.mcpConfig"),
      apiConfig: outputOf(prepare, "result.apiConfig"),
    }),
  ];
}

type Filter = {
  readonly filter: string;
  readonly prepare: string;
  readonly maxTools: number;
  readonly always: readonly string[];
};

function filterTasks(config: AgentConfig, { filter, prepare, maxTools, always }: Filter): TaskList {
  const tools = outputOf(prepare, "result.tools");
  const prompt = [
    `Choose the tools that may help with the request below, ${maxTools} at most. These are all of them:`,
    outputOf(`${filter}_catalog`, "result.catalog"),
    'Answer with nothing but a JSON object: {"selected_tools": ["name", ...]}',
  ].join("\n\n");
  return [
    inline(`${filter}_catalog`, scriptOf(toolCatalog), { tools }),
    llmTask(`${filter}_llm`, agentModel(config), {
      maxTokens: 4096,
      messages: [systemMessage(prompt), userMessage(`Request:\n${promptOf(config)}`)],
      temperature: 0,
      jsonOutput: true,
    }),
    inline(`${filter}_inline`, scriptOf(keepSelected, { always }), {
      selectedNames: outputOf(`${filter}_llm`, "result"),
      allTools: tools,
    }),
  ];
}

function sourceOf(tool: ToolConfig, key: string): DiscoverySource {
  const names = tool.config?.["tool_names"] ?? tool.config?.["toolNames"];
  return {
    kind: tool.toolType === "mcp" ? "mcp" : "api",
    key,
    server: serverOf(tool),
    headers: headersOf(tool.config ?? {}),
    ...(Array.isArray(names) && names.length > 0 ? { toolNames: names.map(String) } : {}),
    approvalRequired: tool.approvalRequired,
  };
}

function serverOf({ toolType, config = {} }: ToolConfig): string {
  const url = toolType === "mcp" ? config["server_url"] : (config["url"] ?? config["spec_url"]);
  return toolText(url) ?? "";
}

const headerInputs = ({ config = {} }: ToolConfig): JsonObject =>
  isJsonObject(config["headers"]) ? { headers: secretHeaders(config["headers"]) } : {};
