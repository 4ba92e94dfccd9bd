import { expect, test } from "vitest";
import { aWorkflow, doWhile, dynamicFork, once, repeat } from "./builders.ts";
import { type Run, simulate } from "./simulate.ts";
import { viewOf } from "./stored-execution.ts";
import type { World } from "./world.ts";

/** What a step asks of the store must not depend on how much the execution has behind it. */

test("an iteration asks as much of the store at 10 as at 5,000", () => {
  const costs = costsOfIterations(aWorkflow().add(repeat("loop", 6000, [once("work")])), [10, 5000]);
  expect(costs[1]).toBeLessThanOrEqual((costs[0] ?? 0) + 2);
  expect(costs[0]).toBeLessThan(20);
});

test("an iteration whose condition reads its own task asks as much at 10 as at 5,000", () => {
  const loop = doWhile("loop", "$.work.value < 9 && $.loop.iteration < 6000", [once("work"), once("more")]);
  const costs = costsOfIterations(aWorkflow().add(loop), [10, 5000], ["work", "more"]);
  expect(costs[1]).toBeLessThanOrEqual((costs[0] ?? 0) + 2);
});

test("an iteration that keeps only the last ones asks as much at 10 as at 5,000", () => {
  const loop = repeat("loop", 6000, [once("work")], {
    inputParameters: { loop: "${loop.output}", keepLastN: 3 },
  });
  const costs = costsOfIterations(aWorkflow().add(loop), [10, 5000]);
  expect(costs[1]).toBeLessThanOrEqual((costs[0] ?? 0) + 2);
});

test("a branch of a dynamic fork ends with as many questions among 100 as among 5,000", () => {
  const cost = (branches: number) => {
    const tasks = Array.from({ length: branches }, (_, index) => once(`b${index}`));
    const run = simulate(aWorkflow().add(...dynamicFork("fork", tasks)), { isUnchecked: true }).start();
    run.complete("b0");
    return countCalls(run.world, run.id, () => run.complete("b1"));
  };
  expect(cost(5000)).toBeLessThanOrEqual(cost(100) + 2);
});

test("the last branch of a dynamic fork ends with as many questions among 100 as among 2,000", () => {
  const cost = (branches: number) => {
    const tasks = Array.from({ length: branches }, (_, index) => once(`b${index}`));
    const workflow = aWorkflow()
      .add(...dynamicFork("fork", tasks))
      .once("after");
    const run = simulate(workflow, { isUnchecked: true }).start();
    for (let index = 1; index < branches; index++) reportFirst(run, index + 2);
    return countCalls(run.world, run.id, () => reportFirst(run, 2));
  };
  expect(cost(2000)).toBeLessThanOrEqual(cost(100) + 2);
});

test("a fork inside a loop joins with as many questions in iteration 10 as in 1,000", () => {
  const body = [...dynamicFork("fork", [once("a"), once("b")])];
  const run = simulate(aWorkflow().add(repeat("loop", 2000, body)), { isUnchecked: true }).start();
  const round = () => {
    const [a = 0, b = 0] = [...run.stored.work.keys()].slice(-2);
    reportFirst(run, a);
    return countCalls(run.world, run.id, () => reportFirst(run, b));
  };
  const costs = Array.from({ length: 1000 }, round);
  expect(costs[999]).toBeLessThanOrEqual((costs[9] ?? 0) + 2);
});

type Workflow = Parameters<typeof simulate>[0];

/** Questions asked by the transition that ends the given iterations. */
function costsOfIterations(workflow: Workflow, iterations: readonly number[], refs = ["work"]): number[] {
  const run = simulate(workflow, { isUnchecked: true }).start();
  const costs: number[] = [];
  const last = Math.max(...iterations);
  for (let iteration = 1; iteration <= last; iteration++) {
    for (const ref of refs) {
      const no = run.stored.youngest(ref)?.no ?? 0;
      const calls = countCalls(run.world, run.id, () => reportFirst(run, no));
      if (iterations.includes(iteration) && ref === refs.at(-1)) costs.push(calls);
    }
  }
  return costs;
}

function reportFirst(run: Run, no: number): void {
  run.world.apply(run.id, [{ kind: "task-result", no, result: { status: "COMPLETED", outputMode: "replace" } }]);
}

function countCalls(world: World, id: string, act: () => void): number {
  let calls = 0;
  const { consider } = world;
  world.consider = (target, events) =>
    consider.call(
      world,
      target,
      events,
      target === id ? viewOf(world.stored(id), { onCall: () => calls++ }) : undefined,
    );
  act();
  world.consider = consider;
  return calls;
}
