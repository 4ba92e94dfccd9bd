import type { Json, JsonObject } from "@downbeat/engine";
import { refPart } from "../../config/questions.ts";
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
        inner: llmTask(`${refPart(node.worker)}_llm`, agentModel(context.config), {
          maxTokens: context.config.maxTokens ?? 16384,
          messages: outputAt(node.prep, "messages"),
        }),
        result: { llm_result: outputAt(`${refPart(node.worker)}_llm`, "result") },
      });
    case "human":
      return humanNode(node, state, context);
    case "subgraph":
      return skippable(node, state, {
        word: "sg",
        flag: "_skip_subgraph",
        inner: subgraphCall(node, context),
        result: { subgraph_result: outputAt(`_sg_sub_${refPart(node.name)}`, "result") },
      });
  }
}

/** Expression of a worker's output. Workers and nodes may have names that no expression could read. */
export const outputAt = (name: string, path: string): string => outputOf(refPart(name), path);

export const workerTask = (worker: string, inputs: JsonObject, retryCount?: number): JsonObject => ({
  ...simple(refPart(worker), worker, inputs),
  ...(retryCount === undefined ? {} : { retryCount }),
});

function workerNode({ worker, retryCount }: GraphNode, state: Json): Flow {
  return {
    tasks: [workerTask(worker, { state }, retryCount)],
    state: outputAt(worker, "state"),
    result: outputAt(worker, "result"),
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
  const prepared = outputAt(prep, "state");
  const out = `_${word}_out_${refPart(name)}`;
  return {
    tasks: [
      workerTask(prep, { state }, retryCount),
      switchOn(
        `_${word}_skip_${refPart(name)}`,
        outputAt(prep, flag),
        {
          true: [
            inline(`_${word}_pt_${refPart(name)}`, scriptOf(passState), {
              state: prepared,
              result: outputAt(prep, "result"),
            }),
          ],
        },
        [inner, workerTask(finish, { state: prepared, ...result })],
      ),
      inline(out, scriptOf(nodeOutput), {
        skip: outputAt(prep, flag),
        pt_state: prepared,
        pt_result: outputAt(prep, "result"),
        fin_state: outputAt(finish, "state"),
        fin_result: outputAt(finish, "result"),
      }),
    ],
    state: outputAt(out, "result.state"),
    result: outputAt(out, "result.result"),
  };
}

function humanNode(node: GraphNode, state: Json, { config }: NodeContext): Flow {
  const ref = `human_${refPart(node.name)}`;
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
    state: outputAt(`${ref}_process`, "result.state"),
    result: outputAt(`${ref}_process`, "result.result"),
  };
}

function subgraphCall(node: GraphNode, { config, compiling }: NodeContext): JsonObject {
  const inner = readAgentConfig({ name: `${config.name}_${node.name}`, model: config.model ?? null, ...node.subgraph });
  return subWorkflow(
    `_sg_sub_${refPart(node.name)}`,
    inner.name,
    { state: outputAt(node.prep, "subgraph_input"), session_id: "${workflow.input.session_id}" },
    { name: inner.name, version: 1, workflowDefinition: compiling.workflowOf(inner) },
  );
}
