import type { JsonObject } from "@downbeat/engine";
import type { AgentConfig } from "../../config/types.ts";
import { InvalidAgent } from "../../invalid-agent.ts";
import type { Compiling } from "../compiling.ts";
import { variable, workflowInput } from "../expression.ts";
import { agentWorkflow } from "../workflow.ts";
import { readGraph } from "./structure.ts";
import { walkGraph } from "./walk.ts";

const mostNodes = 1000;

/** A graph agent: its nodes are workers, model calls and questions to people, its edges the order of the tasks. */
export function graphWorkflow(config: AgentConfig, compiling: Compiling): JsonObject {
  const graph = readGraph(config);
  let written = 0;
  const count = (): void => {
    if (++written > mostNodes) {
      throw new InvalidAgent(
        `The graph of '${config.name}' branches too much: nodes that several branches share but not all of them are written down for each, and there would be more than ${mostNodes}`,
      );
    }
  };
  const flow = walkGraph({ graph, config, compiling, count });
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
