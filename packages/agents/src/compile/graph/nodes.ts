import type { Json, JsonObject } from "@downbeat/engine";
import { readAgentConfig } from "../../config/read.ts";
import type { AgentConfig } from "../../config/types.ts";
import { nodeOutput, passState } from "../../scripts/graph.ts";
import { processNodeAnswer } from "../../scripts/human-answer.ts";
import { scriptOf } from "../../scripts/script-of.ts";
import { agentModel } from "../agent-model.ts";
import type { Compiling } from "../compiling.ts";
import { authored, outputOf } from "../expression.ts";
import { humanPipeline } from "../human.ts";
import { llmTask } from "../llm-task.ts";
import { inline, simple, subWorkflow, switchOn, type TaskList } from "../tasks.ts";
import type { GraphNode } from "./structure.ts";

/** Where the graph's state and last result are after some tasks. */
export type Flow = { readonly tasks: TaskList; readonly state: Json; readonly result: Json };

type NodeContext = { readonly config: AgentConfig; readonly compiling: Compiling };

/** The tasks of one node, from the state before it to the state after it. */
export function nodeFlow(node: GraphNode, state: Json, context: NodeContext): Flow {
  switch (node.kind) {
    case "plain":
      return workerNode(node, state);
    case "llm":
      return skippable(node, state, {
        word: "llm",
        flag: "_skip_llm",
        inner: llmTask(`${node.worker}_llm`, agentModel(context.config), {
          maxTokens: context.config.maxTokens ?? 16384,
          messages: outputOf(node.prep, "messages"),
        }),
        result: { llm_result: outputOf(`${node.worker}_llm`, "result") },
      });
    case "human":
      return humanNode(node, state, context);
    case "subgraph":
      return skippable(node, state, {
        word: "sg",
        flag: "_skip_subgraph",
        inner: subgraphCall(node, context),
        result: { subgraph_result: outputOf(`_sg_sub_${node.name}`, "result") },
      });
  }
}

export const workerTask = (worker: string, inputs: JsonObject, retryCount?: number): JsonObject => ({
  ...simple(worker, worker, inputs),
  ...(retryCount === undefined ? {} : { retryCount }),
});

function workerNode({ worker, retryCount }: GraphNode, state: Json): Flow {
  return {
    tasks: [workerTask(worker, { state }, retryCount)],
    state: outputOf(worker, "state"),
    result: outputOf(worker, "result"),
  };
}

type Skippable = {
  readonly word: "llm" | "sg";
  readonly flag: string;
  readonly inner: JsonObject;
  /** What the finishing worker is told beside the state. */
  readonly result: JsonObject;
};

/** A worker prepares, a model or a graph works unless that says it need not, a worker finishes. */
function skippable(node: GraphNode, state: Json, { word, flag, inner, result }: Skippable): Flow {
  const { name, prep, finish, retryCount } = node;
  const prepared = outputOf(prep, "state");
  const out = `_${word}_out_${name}`;
  return {
    tasks: [
      workerTask(prep, { state }, retryCount),
      switchOn(
        `_${word}_skip_${name}`,
        outputOf(prep, flag),
        {
          true: [
            inline(`_${word}_pt_${name}`, scriptOf(passState), { state: prepared, result: outputOf(prep, "result") }),
          ],
        },
        [inner, workerTask(finish, { state: prepared, ...result })],
      ),
      inline(out, scriptOf(nodeOutput), {
        skip: outputOf(prep, flag),
        pt_state: prepared,
        pt_result: outputOf(prep, "result"),
        fin_state: outputOf(finish, "state"),
        fin_result: outputOf(finish, "result"),
      }),
    ],
    state: outputOf(out, "result.state"),
    result: outputOf(out, "result.result"),
  };
}

function humanNode(node: GraphNode, state: Json, { config }: NodeContext): Flow {
  const ref = `human_${node.name}`;
  return {
    tasks: humanPipeline({
      ref,
      form: {
        displayName: `${config.name} — ${node.name}`,
        fields: { response: { type: "string", title: "Response", description: "Your answer", widget: "textarea" } },
        required: [],
      },
      inputs: { state, _prompt: authored(node.prompt) },
      model: agentModel(config),
      process: { script: scriptOf(processNodeAnswer), inputs: { previousState: state } },
    }),
    state: outputOf(`${ref}_process`, "result.state"),
    result: outputOf(`${ref}_process`, "result.result"),
  };
}

function subgraphCall(node: GraphNode, { config, compiling }: NodeContext): JsonObject {
  const inner = readAgentConfig({ name: `${config.name}_${node.name}`, model: config.model ?? null, ...node.subgraph });
  return subWorkflow(
    `_sg_sub_${node.name}`,
    inner.name,
    { state: outputOf(node.prep, "subgraph_input"), session_id: "${workflow.input.session_id}" },
    { name: inner.name, version: 1, workflowDefinition: compiling.workflowOf(inner) },
  );
}
