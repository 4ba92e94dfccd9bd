import type { JsonObject } from "@downbeat/engine";
import { refName } from "../config/questions.ts";
import type { AgentConfig, ToolConfig } from "../config/types.ts";
import type { CallKind } from "../scripts/calls/call.ts";
import { callsFor } from "../scripts/calls/calls.ts";
import { enrichTools } from "../scripts/enrich-tools.ts";
import { mergeState } from "../scripts/merge-state.ts";
import { scriptOf } from "../scripts/script-of.ts";
import type { Compiling } from "./compiling.ts";
import { discoveryRef } from "./discovery.ts";
import { outputOf, variable } from "./expression.ts";
import { promptOf } from "./input-guardrails.ts";
import { dynamicFork, inline, setVariable, type TaskList } from "./tasks.ts";
import { discoveredTools, dispatchTable, ownTools } from "./tools.ts";

/** Whether the run counts how often each tool is called: only then is it told to every turn. */
export const countsCalls = (config: AgentConfig): boolean =>
  (config.requiredTools ?? []).length > 0 || ownTools(config).some(({ maxCalls }) => maxCalls !== undefined);

export type DispatchOptions = {
  /** Empty, `approved_` or `direct_`. */
  readonly prefix: string;
  /** Swarm members keep all results of their run, for the handoff rules. */
  readonly keepsEarlierResults: boolean;
};

/** Calls the tools of a turn side by side and takes in what they gave. */
export function dispatchChain(config: AgentConfig, compiling: Compiling, options: DispatchOptions): TaskList {
  const base = refName(config.name);
  const ref = (word: string): string => `${base}_${options.prefix}${word}`;
  const tools = dispatchTable(config, compiling);
  const known = { tools, hasDiscovery: discoveredTools(config).length > 0 };
  const kinds = [...Object.values(tools).map(({ kind }) => kind), ...discoveredTools(config).map(callKind)];
  const counting: JsonObject = countsCalls(config) ? { callCounts: variable("_tool_call_counts") } : {};
  return [
    inline(ref("enrich_tools"), scriptOf(enrichTools, known, callsFor(kinds)), {
      toolCalls: outputOf(`${base}_llm`, "toolCalls"),
      ...remoteInputs(config),
      agentState: variable("_agent_state"),
      userPrompt: promptOf(config),
      ...counting,
    }),
    ...dynamicFork(ref("fork"), ref("fork_join"), outputOf(ref("enrich_tools"), "result.dynamicTasks"), {}),
    inline(ref("merge_state"), scriptOf(mergeState, { keepsEarlierResults: options.keepsEarlierResults }), {
      currentState: variable("_agent_state"),
      previousToolResults: variable("_last_tool_results"),
      joinOutput: `\${${ref("fork_join")}.output}`,
      calls: outputOf(ref("enrich_tools"), "result.calls"),
      ...counting,
    }),
    setVariable(ref("set_state"), {
      _last_tool_results: outputOf(ref("merge_state"), "result.toolResults"),
      _agent_state: outputOf(ref("merge_state"), "result.mergedState"),
      ...(countsCalls(config) ? { _tool_call_counts: outputOf(ref("merge_state"), "result.callCounts") } : {}),
    }),
  ];
}

const callKind = ({ toolType }: ToolConfig): CallKind => (toolType === "mcp" ? "mcp" : "http");

/** Where the tools that were discovered are reached. */
export function remoteInputs(config: AgentConfig): JsonObject {
  const kinds = new Set(discoveredTools(config).map(({ toolType }) => toolType));
  if (kinds.size === 0) return {};
  const resolved = discoveryRef(config, "resolve");
  return {
    ...(kinds.has("mcp") ? { mcpConfig: outputOf(resolved, "result.mcpConfig") } : {}),
    ...(kinds.has("mcp") || kinds.has("api") ? { apiConfig: outputOf(resolved, "result.apiConfig") } : {}),
  };
}
