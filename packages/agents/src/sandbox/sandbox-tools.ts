import type { JsonObject } from "@downbeat/engine";
import type { AgentConfig, ToolConfig } from "../config/types.ts";

const LANGUAGES = ["python", "javascript", "bash"];

/**
 * The agent with its command and code tools run by the server instead of by workers, its sub-agents' too. Tools that its
 * settings allow and that it does not list are added.
 */
export function withSandboxTools(config: AgentConfig): AgentConfig {
  const own = ownTools(config);
  const names = new Set(own.map(({ name }) => name));
  const others = (config.tools ?? []).filter(({ name }) => !names.has(name)).map(asCommand);
  const tools = [...others, ...own];
  const { agents, planner, fallback } = config;
  return {
    ...config,
    ...(tools.length === 0 ? {} : { tools }),
    ...(agents === undefined ? {} : { agents: agents.map(withSandboxTools) }),
    ...(planner === undefined ? {} : { planner: withSandboxTools(planner) }),
    ...(fallback === undefined ? {} : { fallback: withSandboxTools(fallback) }),
  };
}

function ownTools({ name, tools = [], codeExecution, cliConfig }: AgentConfig): readonly ToolConfig[] {
  const listed = (tool: ToolConfig): ToolConfig => ({
    ...tool,
    ...tools.find((one) => one.name === tool.name),
    toolType: tool.toolType,
    ...(tool.config === undefined ? {} : { config: tool.config }),
  });
  return [
    ...(codeExecution?.enabled === true
      ? [
          listed({
            ...shared(`${name}_execute_code`, "sandbox_code"),
            description: "Runs a piece of code and gives what it wrote",
            inputSchema: codeSchema,
            config: {
              allowedLanguages: codeExecution.allowedLanguages ?? LANGUAGES,
              ...timeLimit(codeExecution.timeout),
            },
          }),
        ]
      : []),
    ...(cliConfig?.enabled === true
      ? [
          listed({
            ...shared(`${name}_run_command`, "sandbox_command"),
            description: "Runs a command and gives what it wrote",
            inputSchema: commandSchema,
            config: {
              allowedCommands: cliConfig.allowedCommands ?? [],
              allowShell: cliConfig.allowShell,
              ...timeLimit(cliConfig.timeout),
            },
          }),
        ]
      : []),
  ];
}

const asCommand = (tool: ToolConfig): ToolConfig =>
  tool.toolType === "cli"
    ? {
        ...tool,
        toolType: "sandbox_command",
        config: { allowedCommands: tool.config?.["allowedCommands"] ?? [], ...timeLimit(tool.timeoutSeconds) },
      }
    : tool;

const shared = (name: string, toolType: string): ToolConfig => ({
  name,
  toolType,
  approvalRequired: false,
  stateful: false,
});

const timeLimit = (seconds: number | undefined): JsonObject =>
  seconds === undefined || seconds <= 0 ? {} : { timeoutSeconds: seconds };

const codeSchema: JsonObject = {
  type: "object",
  properties: {
    code: { type: "string", description: "The code" },
    language: { type: "string", description: "Its language" },
  },
  required: ["code"],
};

const commandSchema: JsonObject = {
  type: "object",
  properties: {
    command: { type: "string", description: "The command" },
    args: { type: "array", items: { type: "string" }, description: "Its arguments" },
  },
  required: ["command"],
};
