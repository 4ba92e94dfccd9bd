import { type Json, type JsonObject, ownMember } from "@downbeat/engine";
import { approvalGate } from "./approval.ts";
import { type Build, entryRetries, serverRetries, type Task } from "./build.ts";
import { guardrailGates } from "./guardrails.ts";
import { secretHeaders, textsIn } from "./headers.ts";
import { httpTasks } from "./http-tool.ts";
import { inputText } from "./references.ts";
import { type Tool, textIn } from "./tool.ts";

/** One call of a tool in a plan. */
export type Call = {
  readonly tool: Tool;
  readonly ref: string;
  /** Where in the plan it stands, as words for the reference names of what belongs to it. */
  readonly place: string;
  readonly operation: number;
  /** The arguments as a task's input: references are expressions already, other texts mean themselves. */
  readonly args: JsonObject;
  readonly retries: {
    readonly retryCount: number;
    readonly retryDelaySeconds: number;
    readonly timeoutSeconds?: number | undefined;
  };
};

type CallOptions = Omit<Call, "retries">;

/** The tasks of a call: the tool, behind its approval, behind its guardrails. */
export function callTasks(options: CallOptions, build: Build): readonly Task[] {
  const { tool, args } = options;
  const { credentials: _never, ...others } = args;
  const { retryCount = 1, retryDelaySeconds = 2, timeoutSeconds } = tool;
  const call: Call = { ...options, args: others, retries: { retryCount, retryDelaySeconds, timeoutSeconds } };
  const approved = tool.isApprovalRequired ? approvalGate(call, build, toolTasks(call, build)) : toolTasks(call, build);
  return guardrailGates(call, build, approved);
}

/** What every tool is told about the run it belongs to, whatever the plan says. */
const aboutTheRun: JsonObject = {
  session_id: "${workflow.input.session_id}",
  cwd: "${workflow.input.cwd}",
  media: "${workflow.input.media}",
};

const taskTypes: ReadonlyMap<string, string> = new Map([
  ["generate_image", "GENERATE_IMAGE"],
  ["generate_audio", "GENERATE_AUDIO"],
  ["generate_video", "GENERATE_VIDEO"],
  ["generate_pdf", "GENERATE_PDF"],
  ["rag_index", "LLM_INDEX_TEXT"],
  ["rag_search", "LLM_SEARCH_INDEX"],
]);

function toolTasks(call: Call, build: Build): readonly Task[] {
  const { tool } = call;
  switch (tool.type) {
    case "http":
      return httpTasks(call, build);
    case "mcp":
      return [mcpTask(call)];
    case "agent_tool":
      return [agentTask(call)];
    case "human":
      return [humanTask(call)];
    case "pull_workflow_messages":
      return [pullTask(call)];
    default: {
      const type = taskTypes.get(tool.type);
      return [type === undefined ? workerTask(call) : modelTask(call, textIn(tool.config, "taskType") ?? type)];
    }
  }
}

function workerTask({ tool, ref, args, retries }: Call): Task {
  const allowed = tool.type === "cli" ? { _allowed_commands: textsIn(tool, "allowedCommands") } : {};
  return {
    taskReferenceName: ref,
    name: tool.name,
    type: "SIMPLE",
    inputParameters: { ...args, ...aboutTheRun, ...allowed },
    ...entryRetries(retries),
  };
}

function mcpTask({ tool, ref, args, retries }: Call): Task {
  return {
    taskReferenceName: ref,
    name: "call_mcp_tool",
    type: "CALL_MCP_TOOL",
    inputParameters: {
      mcpServer: textIn(tool.config, "server_url") ?? "",
      method: tool.name,
      arguments: args,
      headers: secretHeaders(tool),
    },
    ...serverRetries({ ...retries, name: "call_mcp_tool" }),
  };
}

function agentTask({ tool, ref, args, retries }: Call): Task {
  const name = textIn(tool.config, "workflowName") ?? `${tool.name}_agent_wf`;
  const version = ownMember(tool.config, "workflowVersion");
  return {
    taskReferenceName: ref,
    name,
    type: "SUB_WORKFLOW",
    subWorkflowParam: { name, version: typeof version === "number" ? version : 1 },
    inputParameters: { prompt: promptOf(args), session_id: "${workflow.input.session_id}" },
    ...serverRetries({ ...retries, name }),
  };
}

/** What an agent is asked: the argument that names it, else the first text, else what the run was asked. */
function promptOf(args: JsonObject): Json {
  const asked = ["request", "prompt", "message", "input", "query"].map((name) => ownMember(args, name));
  const text = [...asked, ...Object.values(args)].find((value) => typeof value === "string" && value !== "");
  return text ?? (Object.keys(args).length === 0 ? "${workflow.input.prompt}" : inputText(args));
}

function humanTask({ tool, ref, args }: Call): Task {
  return {
    taskReferenceName: ref,
    name: tool.name,
    type: "HUMAN",
    inputParameters: {
      ...args,
      ...aboutTheRun,
      __humanTaskDefinition: {
        assignmentCompletionStrategy: "LEAVE_OPEN",
        displayName: tool.name,
        userFormTemplate: { version: 0 },
      },
    },
  };
}

function pullTask({ tool, ref, args, retries }: Call): Task {
  const { batchSize = 1, blocking } = tool.config;
  return {
    taskReferenceName: ref,
    name: tool.name,
    type: "PULL_WORKFLOW_MESSAGES",
    inputParameters: { ...args, ...aboutTheRun, batchSize, ...(blocking === undefined ? {} : { blocking }) },
    ...serverRetries({ ...retries, name: tool.name }),
  };
}

/** Media and vector tasks: the tool's settings, and the arguments over them. */
function modelTask({ tool, ref, args, retries }: Call, type: string): Task {
  const { taskType: _type, credentials: _never, ...settings } = tool.config;
  const name = type.toLowerCase();
  return {
    taskReferenceName: ref,
    name,
    type,
    inputParameters: { ...settings, ...args, ...aboutTheRun },
    ...serverRetries({ ...retries, name }),
  };
}
