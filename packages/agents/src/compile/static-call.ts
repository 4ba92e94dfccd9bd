import { type JsonObject, ownMember } from "@downbeat/engine";
import type { AgentConfig } from "../config/types.ts";
import { callsFor } from "../scripts/calls/calls.ts";
import { enrichTools } from "../scripts/enrich-tools.ts";
import type { Compiling } from "./compiling.ts";
import { authoredValue, outputOf } from "./expression.ts";
import { simple } from "./tasks.ts";
import { dispatchTable } from "./tools.ts";

type StaticCall = { readonly ref: string; readonly toolName: string; readonly args: JsonObject };

/** A tool call that the configuration makes, not a model: its task, and the expression of its result. */
export function staticCall(
  config: AgentConfig,
  compiling: Compiling,
  { ref, toolName, args }: StaticCall,
): { readonly task: JsonObject; readonly result: string } {
  const tool = ownMember(dispatchTable(config, compiling), toolName);
  if (tool === undefined || tool.kind === "worker") {
    return { task: simple(ref, toolName, authoredValue(args) as JsonObject), result: outputOf(ref, "result") };
  }
  const call = { taskReferenceName: ref, name: toolName, inputParameters: args };
  const made = enrichTools(
    { toolCalls: [call], userPrompt: "" },
    { tools: { [toolName]: tool }, hasDiscovery: true },
    callsFor([tool.kind]),
  );
  const task = made.dynamicTasks[0] ?? {};
  // The day of a call is known when it is made, not when its definition is.
  const { __today__: _today, ...inputParameters } = (task["inputParameters"] ?? {}) as JsonObject;
  const result = outputOf(ref, tool.kind === "http" ? "response.body" : "result");
  return { task: { ...task, inputParameters }, result };
}
