import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Changes, Context, Decision, Event, View } from "../src/index.ts";
import { decide, Missing } from "../src/index.ts";
import { generatedWorkflow } from "./generate.ts";
import { Broken } from "./invariants.ts";
import { generatedSteps, play, type Scenario } from "./scenario.ts";
import { forgetful, StoredExecution, viewOf } from "./stored-execution.ts";
import { World, type WorldOptions } from "./world.ts";

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  workflow: generatedWorkflow,
  steps: generatedSteps,
  input: fc.record({ way: fc.constantFrom("0", "1", "2") }),
  isGated: fc.constantFrom(false, false, false, true),
  crashEvery: fc.constantFrom(0, 3, 1),
});

/** The same scenarios every time, and some that nobody has seen: fast-check prints the seed of one that fails. */
const runs = Number(process.env["PROPERTY_RUNS"] ?? 300);
const seeds =
  process.env["PROPERTY_SEED"] === undefined ? [1, 2, Date.now() % 1_000_000] : [process.env["PROPERTY_SEED"]];

const forAll = (property: (scenario: Scenario) => void, numRuns = runs) => {
  for (const seed of seeds) fc.assert(fc.property(scenarios, property), { numRuns, seed: Number(seed) });
};

describe("an execution, whatever happens to it", () => {
  test("keeps its invariants and comes to an end", () => {
    forAll((scenario) => {
      play(scenario);
    }, runs * 2);
  }, 60_000);

  test("is the same when everything happens to it once more", () => {
    forAll((scenario) => {
      expect(stateOf(play(scenario))).toEqual(stateOf(play(scenario)));
    }, runs / 5);
  }, 60_000);

  test("is decided in the same way when what is needed has to be fetched first", () => {
    forAll((scenario) => {
      play(scenario, (options) => new FetchingWorld(options));
    }, runs / 5);
  }, 60_000);
});

describe("the properties find", () => {
  const falsify = (makeWorld: (options: WorldOptions) => World) => {
    const outcome = fc.check(
      fc.property(scenarios, (scenario) => {
        play(scenario, makeWorld);
      }),
      { numRuns: 2000, seed: 7, endOnFailure: true },
    );
    return outcome.errorInstance;
  };

  test("a JOIN that forgets to count one branch", () => {
    const error = falsify((options) => new World({ ...options, decide: forgettingABranch }));
    expect(error).toBeInstanceOf(Broken);
  });

  test("a loop that is not told of a task it scheduled", () => {
    const error = falsify((options) => new World({ ...options, decide: withoutLoopCount }));
    expect(error).toBeInstanceOf(Broken);
  });

  test("a task that loses its work", () => {
    const error = falsify((options) => new World({ ...options, decide: losingWork }));
    expect(error).toBeInstanceOf(Broken);
  });

  test("a message that leaves before the commit that decided it", () => {
    const error = falsify((options) => new World({ ...options, sendsBeforeCommit: true }));
    expect(error).toBeInstanceOf(Broken);
  });

  test("an ended task that is opened again by a late result", () => {
    const error = falsify((options) => new World({ ...options, decide: reopeningTasks }));
    expect(error).toBeInstanceOf(Broken);
  });
});

const stateOf = (world: World): unknown => [...world.executions].map(([id, stored]) => [id, stored.snapshot()]);

/** Decides twice: with everything at hand, and with views and contexts that have to be asked again and again. */
class FetchingWorld extends World {
  #flips = 0;

  override consider(id: string, events: readonly Event[]): Decision {
    const expected = super.consider(id, events);
    const stored = this.executions.get(id) ?? new StoredExecution();
    const onCall = forgetful(() => this.#flips++ % 3 !== 0);
    for (let round = 0; round < 500; round++) {
      const decision = decide(viewOf(stored, { onCall }), forgetfulContext(this.contextFor(id), onCall), events);
      if (decision.kind === "missing") continue;
      expect(decision).toEqual(expected);
      return decision;
    }
    throw new Error("Asked for more and more");
  }
}

const fetched = ["plan", "evaluateScript", "runJq", "findTaskDef", "findWorkflowDef", "pinDefinition"] as const;

function forgetfulContext(context: Context, onCall: (call: string) => void): Context {
  const wrapped = fetched.map((name) => [
    name,
    (...args: unknown[]) => {
      onCall(`${name} ${JSON.stringify(args)}`);
      return (context[name] as (...args: unknown[]) => unknown)(...args);
    },
  ]);
  return { ...context, ...Object.fromEntries(wrapped) };
}

const planted =
  (spoil: (changes: Changes, view: View) => Changes) =>
  (view: View, context: Context, events: readonly Event[]): Decision => {
    const decision = decide(view, context, events);
    if (decision.kind === "missing" || decision.changes === undefined) return decision;
    return { ...decision, changes: spoil(decision.changes, view) };
  };

const forgettingABranch = planted((changes, view) => {
  const joins = Object.entries(changes.head.joins).map(([no, join]) =>
    view.head?.joins[Number(no)] === undefined && join.open > 1 ? [no, { ...join, open: join.open - 1 }] : [no, join],
  );
  return { ...changes, head: { ...changes.head, joins: Object.fromEntries(joins) } };
});

const withoutLoopCount = planted((changes) => {
  const loops = Object.entries(changes.head.loops).map(([no, loop]) => [no, { ...loop, open: Math.min(1, loop.open) }]);
  return { ...changes, head: { ...changes.head, loops: Object.fromEntries(loops) } };
});

const losingWork = planted((changes) => {
  const kept = [...changes.work].filter(([, work]) => work?.state !== "delayed");
  return { ...changes, work: new Map(kept) };
});

const reopeningTasks = planted((changes) => ({
  ...changes,
  changedTasks: changes.changedTasks.map((task) =>
    task.status === "COMPLETED" && task.retryCount > 0 && task.executed ? { ...task, executed: false } : task,
  ),
}));

test("a view that lacks something makes no decision", () => {
  const world = new World();
  const context = {
    ...world.contextFor("none"),
    plan: () => {
      throw new Missing("plan");
    },
  };
  const start = { kind: "start", id: "none", defHash: "x", workflowName: "w", workflowVersion: 1 } as Event;
  expect(decide(viewOf(new StoredExecution()), context, [start])).toEqual({ kind: "missing" });
});
