import fc from "fast-check";
import {
  aWorkflow,
  doWhile,
  dynamicFork,
  type Entry,
  entry,
  human,
  inline,
  join,
  noop,
  repeat,
  setVariable,
  simple,
  subWorkflow,
  switchOn,
  terminate,
  type WorkflowBuilder,
  wait,
} from "./builders.ts";

/** Definitions of any shape, made from a tree of choices; reference names are given when the tree is read. */

type Traits = { readonly optional: boolean; readonly permissive: boolean; readonly retryCount: number };

type Node =
  | { readonly kind: "worker"; readonly traits: Traits; readonly def: string; readonly startDelay: number }
  | { readonly kind: "leaf"; readonly type: (typeof leafTypes)[number]; readonly traits: Traits }
  | { readonly kind: "sub"; readonly name: string; readonly traits: Traits }
  | { readonly kind: "terminate"; readonly status: string }
  | { readonly kind: "switch"; readonly value: string; readonly cases: readonly (readonly Node[])[] }
  | { readonly kind: "fork"; readonly branches: readonly (readonly Node[])[]; readonly traits: Traits }
  | { readonly kind: "dynamic"; readonly branches: readonly Node[] }
  | { readonly kind: "loop"; readonly rounds: number; readonly body: readonly Node[]; readonly traits: Traits }
  | { readonly kind: "items"; readonly items: number; readonly body: readonly Node[] };

const leafTypes = ["noop", "human", "wait", "signal", "pull", "variable", "inline", "error"] as const;

/** Registered in every generated world. */
export const generatedTaskDefs = {
  plain: { retryCount: 1, retryDelaySeconds: 1 },
  slow: { retryCount: 1, retryDelaySeconds: 5, retryLogic: "EXPONENTIAL_BACKOFF", backoffJitterMs: 500 },
  response: { retryCount: 1, retryDelaySeconds: 0, responseTimeoutSeconds: 5 },
  run: { retryCount: 1, retryDelaySeconds: 0, timeoutSeconds: 20, timeoutPolicy: "RETRY" },
  strict: { retryCount: 0, timeoutSeconds: 30, timeoutPolicy: "TIME_OUT_WF" },
  poll: { retryCount: 1, retryDelaySeconds: 0, pollTimeoutSeconds: 10, timeoutPolicy: "RETRY" },
  total: { retryCount: 3, retryDelaySeconds: 4, totalTimeoutSeconds: 25, timeoutPolicy: "RETRY" },
};

const traits: fc.Arbitrary<Traits> = fc.record({
  optional: fc.boolean(),
  permissive: fc.boolean(),
  retryCount: fc.constantFrom(0, 0, 1),
});
const plainTraits: fc.Arbitrary<Traits> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Traits>({ optional: false, permissive: false, retryCount: 0 }) },
  { weight: 1, arbitrary: traits },
);

const { list } = fc.letrec<{ node: Node; list: readonly Node[]; branch: readonly Node[] }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({
      kind: fc.constant("worker" as const),
      traits: plainTraits,
      def: fc.constantFrom(...Object.keys(generatedTaskDefs)),
      startDelay: fc.constantFrom(0, 0, 0, 3),
    }),
    fc.record({ kind: fc.constant("leaf" as const), type: fc.constantFrom(...leafTypes), traits: plainTraits }),
    fc.record({ kind: fc.constant("sub" as const), name: fc.constantFrom("kid", "grand"), traits: plainTraits }),
    fc.record({
      kind: fc.constant("switch" as const),
      value: fc.constantFrom("0", "1", "none", "${workflow.input.way}", "${workflow.variables.way}"),
      cases: fc.array(tie("branch"), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant("fork" as const),
      branches: fc.array(tie("branch"), { minLength: 1, maxLength: 3 }),
      traits: plainTraits,
    }),
    fc.record({ kind: fc.constant("dynamic" as const), branches: fc.array(tie("node"), { maxLength: 3 }) }),
    fc.record({
      kind: fc.constant("loop" as const),
      rounds: fc.integer({ min: 1, max: 3 }),
      body: tie("branch"),
      traits: plainTraits,
    }),
    fc.record({ kind: fc.constant("items" as const), items: fc.integer({ min: 0, max: 3 }), body: tie("branch") }),
    fc.record({
      kind: fc.constant("terminate" as const),
      status: fc.constantFrom("COMPLETED", "FAILED", "TERMINATED", "nonsense"),
    }),
  ),
  branch: fc.array(tie("node"), { minLength: 1, maxLength: 2 }),
  list: fc.array(tie("node"), { minLength: 1, maxLength: 4 }),
}));

export const generatedWorkflow: fc.Arbitrary<WorkflowBuilder["def"]> = fc
  .record({ nodes: list, timeoutSeconds: fc.constantFrom(0, 0, 60) })
  .map(
    ({ nodes, timeoutSeconds }) =>
      aWorkflow("generated")
        .add(...new Naming().list(nodes))
        .with({ timeoutSeconds, timeoutPolicy: "TIME_OUT_WF", variables: { way: "1" } }).def,
  );

/** Definitions that SUB_WORKFLOW tasks of generated ones name. */
export const generatedChildren = [
  aWorkflow("kid")
    .add(simple("k1", { name: "plain" }))
    .add(simple("k2", { name: "plain", optional: true })).def,
  aWorkflow("grand").add(subWorkflow("inner", "kid")).add(noop("g2")).def,
];

class Naming {
  #count = 0;

  list(nodes: readonly Node[]): Entry[] {
    return nodes.flatMap((node) => this.#entries(node));
  }

  #entries(node: Node): readonly Entry[] {
    const ref = `${node.kind}${++this.#count}`;
    switch (node.kind) {
      case "worker":
        return [simple(ref, { name: node.def, startDelay: node.startDelay, ...node.traits })];
      case "leaf":
        return [leaf(ref, node.type, node.traits)];
      case "sub":
        return [subWorkflow(ref, node.name, node.traits)];
      case "terminate":
        return [terminate(ref, node.status)];
      case "switch": {
        const [defaultCase, ...cases] = node.cases.map((nodes) => this.list(nodes));
        return [switchOn(ref, node.value, Object.fromEntries(cases.entries()), defaultCase)];
      }
      case "fork": {
        const branches = node.branches.map((nodes) => this.list(nodes));
        const last = branches.map((branch) => branch.at(-1)?.taskReferenceName ?? "");
        return [entry("FORK_JOIN", ref, { forkTasks: branches }), join(`${ref}_join`, last, node.traits)];
      }
      case "dynamic":
        // A forked entry stands alone: a fork among them comes without its JOIN.
        return dynamicFork(
          ref,
          node.branches.map((branch) => this.#entries(branch)[0] ?? noop(`${ref}_none`)).filter(canBeForked),
        );
      case "loop":
        return [repeat(ref, node.rounds, this.list(node.body), node.traits)];
      case "items":
        return [
          doWhile(ref, "", this.list(node.body), {
            inputParameters: { _items: Array.from({ length: node.items }, (_, index) => index) },
          }),
        ];
    }
  }
}

const canBeForked = (forked: Entry): boolean => forked.type !== "FORK_JOIN_DYNAMIC";

function leaf(ref: string, type: (typeof leafTypes)[number], { optional, permissive }: Traits): Entry {
  const extra = { optional, permissive };
  switch (type) {
    case "noop":
      return noop(ref, extra);
    case "human":
      return human(ref, extra);
    case "wait":
      return wait(ref, { duration: "5s" }, extra);
    case "signal":
      return wait(ref, {}, extra);
    case "pull":
      return entry("PULL_WORKFLOW_MESSAGES", ref, { inputParameters: { batchSize: 2 }, ...extra });
    case "variable":
      return setVariable(ref, { way: "${workflow.input.way}" });
    case "inline":
      return inline(ref, "$.x + 1", { x: 1 }, extra);
    case "error":
      return inline(ref, "$.x.y", {}, { optional: true });
  }
}
