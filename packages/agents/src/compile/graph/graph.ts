import type { JsonObject } from "@downbeat/engine";
import type { AgentConfig } from "../../config/types.ts";
import type { Compiling } from "../compiling.ts";
import { variable, workflowInput } from "../expression.ts";
import { agentWorkflow } from "../workflow.ts";
import { readGraph } from "./structure.ts";
import { walkGraph } from "./walk.ts";

/** A graph agent: its nodes are workers, model calls and questions to people, its edges the order of the tasks. */
export function graphWorkflow(config: AgentConfig, compiling: Compiling): JsonObject {
  const graph = readGraph(config);
  const flow = walkGraph({ graph, config, compiling });
  const { _graph_structure: _structure, ...metadata } = config.metadata ?? {};
  return agentWorkflow(config, {
    tasks: flow.tasks,
    inputParameters: ["prompt", "session_id", "media", "cwd", ...(graph.isSubgraph ? ["state"] : [])],
    outputParameters: {
      result: flow.result,
      ...(graph.isSubgraph ? { state: flow.state } : {}),
      finishReason: "STOP",
      rejectionReason: variable("rejectionReason"),
      context: workflowInput("context"),
    },
    metadata: {
      ...metadata,
      _graph_workflow: true,
      ...(config.model === undefined ? {} : { model: config.model }),
    },
  });
}
