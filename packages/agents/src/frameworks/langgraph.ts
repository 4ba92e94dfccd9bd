import { type JsonObject, ownMember } from "@downbeat/engine";
import { findInstructions, frameworkAgent, modelSettings, type NormaliseOptions, type Normaliser } from "./agent.ts";
import { passthrough } from "./passthrough.ts";
import { findNumber, findObject, findText, ifAny, isOn, listObjects, withoutUndefined } from "./raw.ts";
import { readTools, workerTool } from "./tools.ts";

const defaultName = "langgraph_agent";

/**
 * LangGraph: a graph whose nodes are workers, an agent the SDK could take apart (a model and its tools), or a graph that
 * runs as a whole in one worker.
 */
export const langgraph: Normaliser = (raw, options) => {
  const graph = findObject(raw, "_graph");
  if (graph !== undefined) return graphAgent(raw, graph, options);
  const isExtracted = findText(raw, "model") !== undefined && findText(raw, "_worker_name") === undefined;
  return isExtracted ? extractedAgent(raw, options) : passthrough(raw, { title: "LangGraph", agent: defaultName });
};

function extractedAgent(raw: JsonObject, options: NormaliseOptions): JsonObject {
  const { tools } = readTools(listObjects(raw, "tools"), (agent) => langgraph(agent, options));
  return frameworkAgent({
    name: findText(raw, "name") ?? defaultName,
    model: findText(raw, "model"),
    instructions: findInstructions(raw, "instructions"),
    tools: ifAny(tools),
    maxTurns: findNumber(raw, "maxTurns", "max_turns"),
    ...modelSettings(raw),
  });
}

function graphAgent(raw: JsonObject, graph: JsonObject, options: NormaliseOptions): JsonObject {
  const nodes = listObjects(graph, "nodes");
  const routers = listObjects(graph, "conditional_edges").flatMap((edge) =>
    worker(findText(edge, "_router_ref"), `Router for ${findText(edge, "source") ?? ""}`),
  );
  return frameworkAgent({
    name: findText(raw, "name") ?? defaultName,
    model: findText(raw, "model"),
    tools: ifAny([...nodes.flatMap(nodeWorkers), ...routers]),
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
