import type { JsonObject } from "@downbeat/engine";
import { expect, test } from "vitest";
import { type AgentServer, anAgent, type Input, says, useAgentServer } from "../support/agent-server.ts";

let server: AgentServer;
useAgentServer((started) => {
  server = started;
});

type State = { readonly [key: string]: JsonObject[string] };

/** Serves a node: its state is what it was given, with what the node adds. */
const node = (name: string, change: (state: State) => State): void =>
  server.serve(name, ({ state }: Input) => {
    const after = { ...(state as State), ...change(state as State) };
    return { state: after, result: after };
  });

const aGraph = (structure: JsonObject, more: JsonObject = {}) =>
  anAgent({ metadata: { _graph_structure: structure, ...more } });
const nodes = (...names: readonly string[]) => names.map((name) => ({ name, _worker_ref: `w_${name}` }));
const edges = (...pairs: readonly (readonly [string, string])[]) =>
  pairs.map(([source, target]) => ({ source, target }));

test("nodes run one after the other, and the state goes along", async () => {
  node("w_p1", ({ request }) => ({ a: `${String(request)}!` }));
  node("w_p2", ({ a }) => ({ b: `${String(a)}!` }));
  const run = await server.run(
    aGraph({ nodes: nodes("p1", "p2"), edges: edges(["__start__", "p1"], ["p1", "p2"], ["p2", "__end__"]) }),
  );
  expect(run.output["result"]).toEqual({ request: "hello", a: "hello!", b: "hello!!" });
});

test("a conditional edge leads to one of its nodes, and the ways meet again", async () => {
  node("w_c1", () => ({}));
  node("w_left", () => ({ way: "left" }));
  node("w_right", () => ({ way: "right" }));
  node("w_meet", ({ way }) => ({ met: `from ${String(way)}` }));
  server.serve("r_c1", ({ state }) => ({
    decision: (state as State)["request"] === "go left" ? "l" : "r",
    state: state as State,
  }));
  const graph = aGraph({
    nodes: nodes("c1", "left", "right", "meet"),
    edges: edges(["__start__", "c1"], ["left", "meet"], ["right", "meet"], ["meet", "__end__"]),
    conditional_edges: [{ source: "c1", _router_ref: "r_c1", targets: { l: "left", r: "right" } }],
  });
  expect((await server.run(graph, { prompt: "go left" })).output["result"]).toMatchObject({ met: "from left" });
  expect(
    (await server.run({ ...graph, name: `${graph.name}b` }, { prompt: "go right" })).output["result"],
  ).toMatchObject({ met: "from right" });
});

test("an edge back is a loop: straight to the node, or over another", async () => {
  node("w_count", ({ n = 0 }) => ({ n: Number(n) + 1 }));
  node("w_tool", ({ tools = 0 }) => ({ tools: Number(tools) + 1 }));
  node("w_last", () => ({ last: true }));
  server.serve("r_count", ({ state }) => ({
    decision: Number((state as State)["n"]) < 3 ? "again" : "go",
    state: state as State,
  }));
  const straight = aGraph({
    nodes: nodes("count", "last"),
    edges: edges(["__start__", "count"], ["last", "__end__"]),
    conditional_edges: [{ source: "count", _router_ref: "r_count", targets: { again: "count", go: "last" } }],
  });
  expect((await server.run(straight)).output["result"]).toEqual({ request: "hello", n: 3, last: true });
  const over = aGraph({
    nodes: nodes("count", "tool", "last"),
    edges: edges(["__start__", "count"], ["tool", "count"], ["last", "__end__"]),
    conditional_edges: [{ source: "count", _router_ref: "r_count", targets: { again: "tool", go: "last" } }],
  });
  expect((await server.run(over)).output["result"]).toEqual({ request: "hello", n: 3, tools: 2, last: true });
});

test("nodes and workers may have names that no expression could read", async () => {
  node("w.one two", () => ({ n: 1 }));
  node("w:left", () => ({ way: "left" }));
  node("w:right", () => ({ way: "right" }));
  server.serve("r.one", ({ state }) => ({ decision: "to the left", state: state as State }));
  const graph = aGraph({
    nodes: [
      { name: "one two", _worker_ref: "w.one two" },
      { name: "go.left", _worker_ref: "w:left" },
      { name: "go.right", _worker_ref: "w:right" },
    ],
    edges: edges(["__start__", "one two"], ["go.left", "__end__"], ["go.right", "__end__"]),
    conditional_edges: [
      { source: "one two", _router_ref: "r.one", targets: { "to the left": "go.left", "to the right": "go.right" } },
    ],
  });
  expect((await server.run(graph)).output["result"]).toMatchObject({ n: 1, way: "left" });
});

test("a loop ends at the recursion limit", async () => {
  server.serve("r_forever", ({ state }) => ({ decision: "again", state: state as State }));
  node("w_spin", ({ n = 0 }) => ({ n: Number(n) + 1 }));
  const graph = aGraph(
    {
      nodes: nodes("spin"),
      edges: edges(["__start__", "spin"]),
      conditional_edges: [{ source: "spin", _router_ref: "r_forever", targets: { again: "spin", end: "__end__" } }],
    },
    { _recursion_limit: 4 },
  );
  expect((await server.run(graph)).output["result"]).toMatchObject({ n: 4 });
});

test("branches run side by side, fields that add up are joined", async () => {
  server.serve("w_f1", () => ({ state: { items: ["one"], last: 1 } }));
  server.serve("w_f2", () => ({ state: { items: ["two"], last: 2 } }));
  node("w_j", () => ({ joined: true }));
  const graph = aGraph(
    {
      nodes: nodes("f1", "f2", "j"),
      edges: edges(["__start__", "f1"], ["__start__", "f2"], ["f1", "j"], ["f2", "j"], ["j", "__end__"]),
    },
    { _reducers: { items: "add" } },
  );
  expect((await server.run(graph)).output["result"]).toEqual({ items: ["one", "two"], last: 2, joined: true });
});

test("a router may ask at run time for as many tasks as it likes", async () => {
  node("w_d", () => ({}));
  server.serve("w_each", ({ state }) => ({
    state: { items: [(state as State)["part"] ?? null] },
    result: (state as State)["part"] ?? null,
  }));
  server.serve("r_each", () => ({
    dynamic_tasks: ["x", "${workflow.secrets.TOK}"].map((part) => ({ node: "each", input: { part } })),
    state: { items: [] },
  }));
  const graph = aGraph(
    {
      nodes: nodes("d", "each"),
      edges: edges(["__start__", "d"], ["each", "__end__"]),
      conditional_edges: [{ source: "d", _router_ref: "r_each", _dynamic_fanout: true, targets: { each: "each" } }],
    },
    { _reducers: { items: "add" } },
  );
  expect((await server.run(graph)).output["result"]).toEqual(["x", "${workflow.secrets.TOK}"]);
});

test("a node with a model is prepared and finished by workers, and may be passed over", async () => {
  const name = anAgent().name;
  server.serve(`${name}_prep`, ({ state }) => ({
    state: state as State,
    messages: [{ role: "user", message: "think" }],
    ...((state as State)["request"] === "skip" ? { _skip_llm: true, result: "passed over" } : {}),
  }));
  server.serve(`${name}_finish`, ({ state, llm_result: said }) => ({
    state: state as State,
    result: `finished: ${String(said)}`,
  }));
  server.script(`${name}_n_llm`, [says("thought")]);
  const graph = aGraph({
    nodes: [
      {
        name: "n",
        _worker_ref: `${name}_n`,
        _llm_node: true,
        _llm_prep_ref: `${name}_prep`,
        _llm_finish_ref: `${name}_finish`,
      },
    ],
    edges: edges(["__start__", "n"], ["n", "__end__"]),
  });
  expect((await server.run(graph)).output["result"]).toBe("finished: thought");
  expect((await server.run({ ...graph, name: `${graph.name}b` }, { prompt: "skip" })).output["result"]).toBe(
    "passed over",
  );
});

test("a node asks a person, whose answer joins the state", async () => {
  node("w_after", ({ response }) => ({ heard: String(response) }));
  const graph = aGraph({
    nodes: [{ name: "h", _worker_ref: "w_h", _human_node: true, _human_prompt: "ok?" }, ...nodes("after")],
    edges: edges(["__start__", "h"], ["h", "after"], ["after", "__end__"]),
  });
  const id = await server.start(graph);
  expect((await server.question(id)).inputData).toMatchObject({ _prompt: "ok?", state: { request: "hello" } });
  await server.answer(id, { response: "fine" });
  expect((await server.ended(id)).output["result"]).toMatchObject({ heard: "fine" });
});

test("a graph inside a node runs as a workflow of its own", async () => {
  node("w_inner", ({ q }) => ({ doubled: `${String(q)}${String(q)}` }));
  server.serve("sg_prep", ({ state }) => ({
    state: state as State,
    subgraph_input: { q: (state as State)["request"] ?? "" },
  }));
  server.serve("sg_finish", ({ state, subgraph_result: inner }) => ({ state: state as State, result: inner as State }));
  const graph = aGraph({
    nodes: [
      {
        name: "sg",
        _worker_ref: "w_sg",
        _subgraph_node: true,
        _subgraph_prep_ref: "sg_prep",
        _subgraph_finish_ref: "sg_finish",
        _subgraph_config: {
          name: "inner_graph",
          metadata: {
            _graph_structure: {
              _is_subgraph: true,
              nodes: nodes("inner"),
              edges: edges(["__start__", "inner"], ["inner", "__end__"]),
            },
          },
        },
      },
    ],
    edges: edges(["__start__", "sg"], ["sg", "__end__"]),
  });
  expect((await server.run(graph)).output["result"]).toMatchObject({ doubled: "hellohello" });
});

test("branches that share a node without all meeting there each run it for themselves", async () => {
  node("w_split", () => ({}));
  node("w_x", () => ({ way: "x" }));
  node("w_y", () => ({ way: "y" }));
  node("w_shared", ({ way }) => ({ shared: `after ${String(way)}` }));
  server.serve("r_split", ({ state }) => ({ decision: (state as State)["request"] ?? null, state: state as State }));
  const graph = aGraph({
    nodes: nodes("split", "x", "y", "shared"),
    edges: edges(["__start__", "split"], ["x", "shared"], ["y", "shared"], ["shared", "__end__"]),
    conditional_edges: [{ source: "split", _router_ref: "r_split", targets: { x: "x", y: "y", end: "__end__" } }],
  });
  const results: unknown[] = [];
  for (const prompt of ["x", "y", "end"]) {
    results.push((await server.run({ ...graph, name: `${graph.name}_${prompt}` }, { prompt })).output["result"]);
  }
  expect(results).toMatchObject([{ shared: "after x" }, { shared: "after y" }, { request: "end" }]);
});
