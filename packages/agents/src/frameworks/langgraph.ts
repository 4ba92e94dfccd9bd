import { type JsonObject, ownMember } from "@downbeat/engine";
import { frameworkAgent, type NormaliseOptions, type Normaliser } from "./agent.ts";
import { extractedOrWhole } from "./extracted.ts";
import { findNumber, findObject, findText, ifAny, isOn, listObjects, withoutUndefined } from "./raw.ts";
import { workerTool } from "./tools.ts";

const defaultName = "langgraph_agent";

/**
 * LangGraph: a graph whose nodes are workers, an agent the SDK could take apart (a model and its tools), or a graph that
 * runs as a whole in one worker.
 */
export const langgraph: Normaliser = (raw, options) => {
  const graph = findObject(raw, "_graph");
  if (graph !== undefined) return graphAgent(raw, graph, options);
  return extractedOrWhole(raw, { title: "LangGraph", agent: defaultName }, (agent) => langgraph(agent, options));
};

function graphAgent(raw: JsonObject, graph: JsonObject, options: NormaliseOptions): JsonObject {
  const nodes = listObjects(graph, "nodes");
  const edges = listObjects(graph, "conditional_edges");
  const routers = edges.flatMap((edge) =>
    worker(findText(edge, "_router_ref"), `Router for ${findText(edge, "source") ?? ""}`),
  );
  return frameworkAgent({
    name: findText(raw, "name") ?? defaultName,
    model: findText(raw, "model"),
    tools: ifAny(byName([...nodes.flatMap(nodeWorkers), ...routers, ...fanoutWorkers(nodes, edges)])),
    maxTurns: findNumber(raw, "maxTurns", "max_turns"),
    metadata: withoutUndefined({
      _graph_structure: graph,
      _reducers: ownMember(graph, "_reducers"),
      _retry_policies: ownMember(graph, "_retry_policies"),
      _recursion_limit: ownMember(graph, "_recursion_limit"),
      _subgraph_configs: ifAny(subgraphsOf(nodes, options)),
    }),
  });
}

/** A human node has no worker: a HUMAN task stands in its place. */
function nodeWorkers(node: JsonObject): readonly JsonObject[] {
  const name = findText(node, "name") ?? "";
  if (isOn(node, "_human_node")) return [];
  if (isOn(node, "_llm_node")) {
    return [
      ...worker(findText(node, "_llm_prep_ref"), `LLM prep for ${name}`),
      ...worker(findText(node, "_llm_finish_ref"), `LLM finish for ${name}`),
    ];
  }
  if (isOn(node, "_subgraph_node")) {
    return [
      ...worker(findText(node, "_subgraph_prep_ref"), `Subgraph prep for ${name}`),
      ...worker(findText(node, "_subgraph_finish_ref"), `Subgraph finish for ${name}`),
    ];
  }
  return worker(findText(node, "_worker_ref"), name);
}

/** A node that is started once for each item has a worker for the whole of it, whatever kind of node it is. */
function fanoutWorkers(nodes: readonly JsonObject[], edges: readonly JsonObject[]): readonly JsonObject[] {
  const fanouts = edges.filter((edge) => isOn(edge, "_dynamic_fanout"));
  const targets = new Set(fanouts.flatMap((edge) => Object.values(findObject(edge, "targets") ?? {})));
  return nodes.flatMap((node) => {
    const name = findText(node, "name") ?? "";
    return targets.has(name) ? worker(findText(node, "_worker_ref"), name) : [];
  });
}

const byName = (tools: readonly JsonObject[]): readonly JsonObject[] => [
  ...new Map(tools.map((tool) => [tool["name"], tool])).values(),
];

const worker = (name: string | undefined, description: string): readonly JsonObject[] =>
  name === undefined ? [] : [workerTool({ name, description })];

/** The agents of the subgraph nodes, by the name of the node. */
function subgraphsOf(nodes: readonly JsonObject[], options: NormaliseOptions): JsonObject {
  const agents = nodes.flatMap((node): [string, JsonObject][] => {
    const config = findObject(node, "_subgraph_config");
    return config === undefined ? [] : [[findText(node, "name") ?? "", langgraph(config, options)]];
  });
  return Object.fromEntries(agents);
}
