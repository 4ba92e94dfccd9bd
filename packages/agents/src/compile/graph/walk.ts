import type { Json, JsonObject } from "@downbeat/engine";
import { refPart } from "../../config/questions.ts";
import type { AgentConfig } from "../../config/types.ts";
import { bridgeState, coalesce, enrichFanout, mergeBranches, mergeFanout } from "../../scripts/graph.ts";
import { scriptOf } from "../../scripts/script-of.ts";
import type { Compiling } from "../compiling.ts";
import { all } from "../loop-condition.ts";
import { doWhile, dynamicFork, forkJoin, inline, join, switchBy, switchOn, type TaskList } from "../tasks.ts";
import { referencesIn, renameReferences } from "../unique-references.ts";
import { type Flow, nodeFlow, outputAt, workerTask } from "./nodes.ts";
import { type ConditionalEdge, END, type Graph, START } from "./structure.ts";

type Walk = {
  readonly graph: Graph;
  readonly config: AgentConfig;
  readonly compiling: Compiling;
  /** Called for every node that is written down. */
  readonly count: () => void;
};

/** A stretch of the walk that can be written down again from another state: a loop begins with its own. */
type Stretch = {
  readonly node: string;
  readonly flowFrom: (state: Json) => Flow;
  /** The flow as it was before it. */
  readonly before: Flow;
};

/** The whole graph, from its start. */
export function walkGraph(walk: Walk): Flow {
  const { graph } = walk;
  const first = graph.edges.get(START) ?? [];
  const condition = graph.conditions.get(START);
  const start: Flow = { tasks: [], state: graph.initialState, result: graph.initialState };
  if (condition !== undefined) return leave(walk, { from: START, flow: start, trail: [], stopAt: new Set() });
  return proceed(walk, first, { from: START, flow: start, trail: [], stopAt: new Set() });
}

type Progress = {
  readonly from: string;
  readonly flow: Flow;
  readonly trail: readonly Stretch[];
  /** Where a branch ends: what follows belongs to whoever forked. */
  readonly stopAt: ReadonlySet<string>;
};

/** Goes on to the targets of plain edges: one after the other, or side by side where there are several. */
function proceed(walk: Walk, targets: readonly string[], progress: Progress): Flow {
  const [only, ...others] = targets;
  if (only === undefined) return progress.flow;
  if (others.length > 0) return fork(walk, targets, progress);
  const node = walk.graph.nodes.get(only);
  const isKnown = progress.trail.some((stretch) => stretch.node === only);
  if (only === END || progress.stopAt.has(only) || node === undefined || isKnown) return progress.flow;
  walk.count();
  const flowFrom = (state: Json): Flow => nodeFlow(node, state, walk);
  const trail = [...progress.trail, { node: only, flowFrom, before: progress.flow }];
  return leave(walk, { ...progress, from: only, flow: append(progress.flow, flowFrom(progress.flow.state)), trail });
}

/** Leaves a node by its conditional edge, or else by its plain ones. */
function leave(walk: Walk, progress: Progress): Flow {
  const condition = walk.graph.conditions.get(progress.from);
  if (condition === undefined) return proceed(walk, walk.graph.edges.get(progress.from) ?? [], progress);
  if (condition.isFanout) return fanOut(walk, condition, progress);
  const back = backDecisions(walk, condition, progress.trail);
  return back.length > 0 ? loop(walk, condition, progress, back) : choose(walk, condition, progress);
}

function fork(walk: Walk, targets: readonly string[], progress: Progress): Flow {
  const suffix = progress.from === START ? "" : `_${refPart(progress.from)}`;
  const meeting = meetingPoint(walk.graph, targets);
  const stopAt = meeting === undefined ? progress.stopAt : new Set([...progress.stopAt, meeting]);
  const flowFrom = (state: Json): Flow => {
    const branches = separate(
      targets.map((target) =>
        proceed(walk, [target], { ...progress, flow: { tasks: [], state, result: null }, stopAt }),
      ),
    );
    const ends = branches
      .map(({ tasks }) => String(tasks.at(-1)?.["taskReferenceName"] ?? ""))
      .filter((ref) => ref !== "");
    const merge = `_fork_merge${suffix}`;
    const tasks = [
      forkJoin(
        `_fork${suffix}`,
        branches.map(({ tasks: branch }) => branch),
      ),
      join(`_join${suffix}`, ends),
      inline(merge, scriptOf(mergeBranches, { reducers: walk.graph.reducers, count: branches.length }), {
        ...Object.fromEntries(branches.map((branch, index) => [`b${index}`, branch.state])),
      }),
    ];
    return { tasks, state: outputAt(merge, "result.state"), result: outputAt(merge, "result.result") };
  };
  const flow = append(progress.flow, flowFrom(progress.flow.state));
  if (meeting === undefined) return flow;
  const trail = [...progress.trail, { node: `_fork${suffix}`, flowFrom, before: progress.flow }];
  return proceed(walk, [meeting], { ...progress, flow, trail });
}

/** A router that says at run time which nodes run, and with what. */
function fanOut(walk: Walk, { router, targets }: ConditionalEdge, progress: Progress): Flow {
  const { from } = progress;
  const [enrich, joinRef, merge] = [
    `_dyn_enrich_${refPart(from)}`,
    `_dyn_join_${refPart(from)}`,
    `_dyn_merge_${refPart(from)}`,
  ];
  const nodes = Object.values(targets);
  const workers = Object.fromEntries([...walk.graph.nodes.values()].map(({ name, worker }) => [name, worker]));
  const flow = append(progress.flow, {
    tasks: [
      workerTask(router, { state: progress.flow.state }),
      inline(enrich, scriptOf(enrichFanout, { workers }), { dynamic_tasks: outputAt(router, "dynamic_tasks") }),
      ...dynamicFork(
        `_dyn_fork_${refPart(from)}`,
        joinRef,
        outputAt(enrich, "result.dynamicTasks"),
        outputAt(enrich, "result.dynamicTasksInputs"),
      ),
      inline(merge, scriptOf(mergeFanout, { reducers: walk.graph.reducers }), {
        joinOutput: `\${${joinRef}.output}`,
        parentState: outputAt(router, "state"),
      }),
    ],
    state: outputAt(merge, "result.state"),
    result: outputAt(merge, "result.result"),
  });
  const after = [...new Set(nodes.flatMap((node) => walk.graph.edges.get(node) ?? []))].filter((node) => node !== END);
  return proceed(walk, after.slice(0, 1), { ...progress, flow });
}

/** A router, and one case for each node it may choose. */
function choose(walk: Walk, condition: ConditionalEdge, progress: Progress): Flow {
  const { router, targets } = condition;
  const routed: Flow = {
    tasks: [workerTask(router, { state: progress.flow.state })],
    state: outputAt(router, "state"),
    result: progress.flow.result,
  };
  return route(
    walk,
    { condition, decisions: Object.keys(targets) },
    { ...progress, flow: append(progress.flow, routed) },
  );
}

type Routing = { readonly condition: ConditionalEdge; readonly decisions: readonly string[] };

/** The cases behind a router whose decision is made; goes on where they meet again. */
function route(walk: Walk, { condition, decisions }: Routing, progress: Progress): Flow {
  const { router, targets } = condition;
  const nodes = [...new Set(decisions.map((decision) => targets[decision] ?? END))];
  const meeting = meetingPoint(walk.graph, nodes);
  const [only] = nodes;
  if (nodes.length === 1 && only !== undefined) return proceed(walk, [only], progress);
  const stopAt = meeting === undefined ? progress.stopAt : new Set([...progress.stopAt, meeting]);
  const start: Flow = { tasks: [], state: outputAt(router, "state"), result: progress.flow.result };
  const branches = separate(nodes.map((node) => proceed(walk, [node], { ...progress, flow: start, stopAt })));
  const chosen = append(progress.flow, caseFlow({ from: progress.from, router, targets, nodes, branches }));
  return meeting === undefined ? chosen : proceed(walk, [meeting], { ...progress, flow: chosen });
}

type Cases = {
  readonly from: string;
  readonly router: string;
  readonly targets: ConditionalEdge["targets"];
  readonly nodes: readonly string[];
  readonly branches: readonly Flow[];
};

function caseFlow({ from, router, targets, nodes, branches }: Cases): Flow {
  const decision = outputAt(router, "decision");
  const caseOf = (node: string): TaskList => branches[nodes.indexOf(node)]?.tasks ?? [];
  const isOneToOne = new Set(Object.values(targets)).size === Object.keys(targets).length;
  // An empty case needs no entry: what is not named is passed by.
  const filled = Object.entries(targets).filter(([, node]) => caseOf(node).length > 0);
  const routeTask: JsonObject = isOneToOne
    ? switchOn(
        `_route_${refPart(from)}`,
        decision,
        Object.fromEntries(filled.map(([word, node]) => [word, caseOf(node)])),
      )
    : switchBy({
        ref: `_route_${refPart(from)}`,
        script: `(${JSON.stringify(targets)})[$.decision] || 'default'`,
        inputs: { decision },
        cases: Object.fromEntries(filled.map(([, node]) => [node, caseOf(node)])),
      });
  const merge = `_coalesce_${refPart(from)}`;
  const tasks = [
    ...(filled.length === 0 ? [] : [routeTask]),
    inline(merge, scriptOf(coalesce, { targets, nodes }), {
      decision,
      fallback_state: outputAt(router, "state"),
      ...Object.fromEntries(
        branches.flatMap((branch, index) => [
          [`state_${index}`, branch.state] as const,
          [`result_${index}`, branch.result] as const,
        ]),
      ),
    }),
  ];
  return { tasks, state: outputAt(merge, "result.state"), result: outputAt(merge, "result.result") };
}

/** Decisions that lead back to a node the walk has passed, directly or over nodes that lead nowhere else. */
function backDecisions(walk: Walk, { targets }: ConditionalEdge, trail: readonly Stretch[]): readonly string[] {
  return Object.keys(targets).filter(
    (decision) => returnsTo(walk.graph, targets[decision] ?? END, trail) !== undefined,
  );
}

function returnsTo(graph: Graph, node: string, trail: readonly Stretch[]): string | undefined {
  const seen = new Set<string>();
  let at: string | undefined = node;
  while (at !== undefined && at !== END && !seen.has(at)) {
    const passed = at;
    if (trail.some((stretch) => stretch.node === passed)) return passed;
    seen.add(at);
    const next: readonly string[] = graph.conditions.has(at) ? [] : (graph.edges.get(at) ?? []);
    at = next.length === 1 ? next[0] : undefined;
  }
  return undefined;
}

/** What lies between a node and the conditional edge that leads back to it runs again while the router says so. */
function loop(walk: Walk, condition: ConditionalEdge, progress: Progress, back: readonly string[]): Flow {
  const { router, targets } = condition;
  const { from, trail } = progress;
  const heads = back.map((decision) => returnsTo(walk.graph, targets[decision] ?? END, trail));
  const first = Math.min(...heads.map((head) => trail.findIndex(({ node }) => node === head)));
  const again = trail.slice(first);
  const head = again[0]?.node ?? from;
  const before = again[0]?.before ?? progress.flow;
  const bridge = `_loop_bridge_${refPart(head)}`;
  const body: Flow = again.reduce<Flow>((flow, stretch) => append(flow, stretch.flowFrom(flow.state)), {
    tasks: [],
    state: outputAt(bridge, "result.state"),
    result: null,
  });
  const routed = append(body, {
    tasks: [workerTask(router, { state: body.state })],
    state: outputAt(router, "state"),
    result: body.result,
  });
  const detours = detourFlow(walk, condition, { ...progress, flow: routed }, back);
  const ref = `_loop_${refPart(from)}`;
  const round = doWhile({
    ref,
    condition: all(
      `${JSON.stringify(back)}.includes($[${JSON.stringify(refPart(router))}]?.decision)`,
      `$[${JSON.stringify(ref)}].iteration < ${walk.graph.recursionLimit}`,
    ),
    inputs: {},
    body: [
      inline(
        bridge,
        scriptOf(bridgeState),
        { router_state: detours.state, pre_loop_state: before.state },
        "_loop_bridge",
      ),
      ...detours.tasks,
    ],
  });
  const flow = append(before, { tasks: [round], state: outputAt(router, "state"), result: routed.result });
  const exits = Object.keys(targets).filter((decision) => !back.includes(decision));
  return route(
    walk,
    { condition, decisions: exits },
    { ...progress, flow, trail: [...trail.slice(0, first), { node: head, flowFrom: () => flow, before }] },
  );
}

/** Nodes on the way back run inside the loop, in their case. */
function detourFlow(walk: Walk, condition: ConditionalEdge, progress: Progress, back: readonly string[]): Flow {
  const { router, targets } = condition;
  const away = Object.fromEntries(
    back
      .map((decision) => [decision, targets[decision] ?? END] as const)
      .filter(([, node]) => !progress.trail.some((stretch) => stretch.node === node)),
  );
  const nodes = [...new Set(Object.values(away))];
  if (nodes.length === 0) return progress.flow;
  const start: Flow = { tasks: [], state: outputAt(router, "state"), result: progress.flow.result };
  const branches = separate(nodes.map((node) => proceed(walk, [node], { ...progress, flow: start })));
  return append(progress.flow, caseFlow({ from: progress.from, router, targets: away, nodes, branches }));
}

/** The first node that every one of these leads to. */
function meetingPoint(graph: Graph, nodes: readonly string[]): string | undefined {
  const ways = nodes.map((node) => reachable(graph, node));
  return ways[0]?.find((node) => node !== END && ways.every((way) => way.includes(node)));
}

/** Nodes one comes to from here, nearest first, itself among them. */
function reachable(graph: Graph, start: string): readonly string[] {
  const found: string[] = [];
  const waiting = [start];
  for (let node = waiting.shift(); node !== undefined; node = waiting.shift()) {
    if (node === END || found.includes(node)) continue;
    found.push(node);
    waiting.push(...(graph.edges.get(node) ?? []), ...Object.values(graph.conditions.get(node)?.targets ?? {}));
  }
  return found;
}

/** Branches that come by the same node each have it under a name of their own. */
function separate(branches: readonly Flow[]): readonly Flow[] {
  const taken = new Set<string>();
  return branches.map((branch) => {
    const refs = referencesIn(branch.tasks);
    const renamed = new Map(refs.filter((ref) => taken.has(ref)).map((ref) => [ref, freeName(ref, taken)]));
    for (const ref of refs) taken.add(renamed.get(ref) ?? ref);
    if (renamed.size === 0) return branch;
    return {
      tasks: branch.tasks.map((task) => renameReferences(task, renamed) as JsonObject),
      state: renameReferences(branch.state, renamed),
      result: renameReferences(branch.result, renamed),
    };
  });
}

function freeName(ref: string, taken: ReadonlySet<string>): string {
  let number = 2;
  while (taken.has(`${ref}_${number}`)) number++;
  return `${ref}_${number}`;
}

const append = (flow: Flow, next: Flow): Flow => ({ ...next, tasks: [...flow.tasks, ...next.tasks] });
