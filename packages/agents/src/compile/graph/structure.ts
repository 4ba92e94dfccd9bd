import { isJsonObject, type Json, type JsonObject, ownMember } from "@downbeat/engine";
import type { AgentConfig } from "../../config/types.ts";

/** A graph as its SDK describes it, read leniently: what is missing is absent. */
export type Graph = {
  readonly nodes: ReadonlyMap<string, GraphNode>;
  /** Plain edges: where each node leads. */
  readonly edges: ReadonlyMap<string, readonly string[]>;
  readonly conditions: ReadonlyMap<string, ConditionalEdge>;
  readonly initialState: Json;
  readonly isSubgraph: boolean;
  readonly reducers: { readonly [field: string]: string };
  readonly recursionLimit: number;
};

export type GraphNode = {
  readonly name: string;
  readonly worker: string;
  readonly kind: "plain" | "llm" | "human" | "subgraph";
  readonly prep: string;
  readonly finish: string;
  readonly prompt: string;
  readonly subgraph: JsonObject | undefined;
  readonly retryCount: number | undefined;
};

export type ConditionalEdge = {
  readonly router: string;
  /** Decision to node. */
  readonly targets: { readonly [decision: string]: string };
  readonly isFanout: boolean;
};

export const START = "__start__";
export const END = "__end__";
const defaultRecursionLimit = 25;

export function readGraph(config: AgentConfig): Graph {
  const metadata = config.metadata ?? {};
  const structure = objectOf(metadata["_graph_structure"]);
  const policies = objectOf(metadata["_retry_policies"]);
  const configs = objectOf(metadata["_subgraph_configs"]);
  const nodes = listOf(structure["nodes"]).map((node) => readNode(node, policies, configs));
  const edges = new Map<string, string[]>();
  for (const edge of listOf(structure["edges"])) {
    const source = textOf(edge["source"]);
    edges.set(source, [...(edges.get(source) ?? []), textOf(edge["target"])]);
  }
  const conditions = listOf(structure["conditional_edges"]).map(
    (edge) => [textOf(edge["source"]), readCondition(edge)] as const,
  );
  const isSubgraph = structure["_is_subgraph"] === true;
  const limit = metadata["_recursion_limit"];
  return {
    nodes: new Map(nodes.map((node) => [node.name, node])),
    edges,
    conditions: new Map(conditions),
    initialState: isSubgraph ? "${workflow.input.state}" : initialState(structure),
    isSubgraph,
    reducers: Object.fromEntries(
      Object.entries(objectOf(metadata["_reducers"])).map(([field, reducer]) => [field, textOf(reducer)]),
    ),
    recursionLimit: typeof limit === "number" && limit > 0 ? limit : defaultRecursionLimit,
  };
}

function readNode(node: JsonObject, policies: JsonObject, configs: JsonObject): GraphNode {
  const name = textOf(node["name"]);
  const worker = textOf(node["_worker_ref"]) || name;
  const kind =
    node["_llm_node"] === true
      ? "llm"
      : node["_human_node"] === true
        ? "human"
        : node["_subgraph_node"] === true
          ? "subgraph"
          : "plain";
  const subgraph = node["_subgraph_config"] ?? ownMember(configs, name);
  const attempts = objectOf(ownMember(policies, name))["max_attempts"];
  return {
    name,
    worker,
    kind,
    prep: textOf(kind === "llm" ? node["_llm_prep_ref"] : node["_subgraph_prep_ref"]) || `${worker}_prep`,
    finish: textOf(kind === "llm" ? node["_llm_finish_ref"] : node["_subgraph_finish_ref"]) || `${worker}_finish`,
    prompt: textOf(node["_human_prompt"]),
    subgraph: isJsonObject(subgraph) ? subgraph : undefined,
    retryCount: typeof attempts === "number" && attempts >= 1 ? Math.trunc(attempts) - 1 : undefined,
  };
}

const readCondition = (edge: JsonObject): ConditionalEdge => ({
  router: textOf(edge["_router_ref"]),
  targets: Object.fromEntries(
    Object.entries(objectOf(edge["targets"])).map(([decision, target]) => [decision, textOf(target)]),
  ),
  isFanout: edge["_dynamic_fanout"] === true,
});

function initialState(structure: JsonObject): Json {
  const isMessages = structure["_input_is_messages"] === true;
  const key = textOf(structure["input_key"]) || (isMessages ? "messages" : "request");
  const prompt = "${workflow.input.prompt}";
  return { [key]: isMessages ? [{ role: "user", content: prompt }] : prompt };
}

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
const listOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];
const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");
