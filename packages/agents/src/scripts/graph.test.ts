import { expect, test } from "vitest";
import { run } from "../../test/support/run-script.ts";
import { bridgeState, coalesce, enrichFanout, mergeBranches, mergeFanout, nodeOutput, passState } from "./graph.ts";

test("a node that was passed over hands its state on", () => {
  expect(run(passState, { state: { a: 1 }, result: null })).toEqual({ state: { a: 1 }, result: null });
  const parts = { pt_state: { a: 1 }, pt_result: "p", fin_state: { a: 2 }, fin_result: "f" };
  expect(run(nodeOutput, { ...parts, skip: true })).toEqual({ state: { a: 1 }, result: "p" });
  expect(run(nodeOutput, { ...parts, skip: null })).toEqual({ state: { a: 2 }, result: "f" });
});

test("of several branches the one that was decided for counts, whatever an earlier round left in the others", () => {
  const known = { targets: { l: "left", r: "right" }, nodes: ["left", "right"] };
  const input = { state_0: { a: 1 }, result_0: 1, state_1: { b: 2 }, result_1: 2, fallback_state: { c: 3 } };
  expect(run(coalesce, { ...input, decision: "r" }, known)).toEqual({ state: { b: 2 }, result: 2 });
  expect(run(coalesce, { ...input, decision: "elsewhere" }, known)).toEqual({ state: { c: 3 }, result: null });
});

test("a round begins with the state of the last, the first with the one before the loop", () => {
  expect(run(bridgeState, { router_state: null, pre_loop_state: { a: 1 } })).toEqual({ state: { a: 1 } });
  expect(run(bridgeState, { router_state: { a: 2 }, pre_loop_state: { a: 1 } })).toEqual({ state: { a: 2 } });
});

test("states merge: what adds up becomes one list, of the rest the last wins", () => {
  const known = { reducers: { items: "add" }, count: 3 };
  expect(run(mergeBranches, { b0: { items: [1], x: 1 }, b1: { items: 2, x: 2 }, b2: null }, known).state).toEqual({
    items: [1, 2],
    x: 2,
  });
});

test("a fan-out makes a worker task for each, and merges them in order", () => {
  const tasks = run(
    enrichFanout,
    {
      dynamic_tasks: [
        { node: "n", input: { p: 1 } },
        { node: "m", input: null },
      ],
    },
    { workers: { n: "w_n" } },
  );
  expect(tasks.dynamicTasks.map(({ name, taskReferenceName }) => [name, taskReferenceName])).toEqual([
    ["w_n", "w_n__dyn_0"],
    ["m", "m__dyn_1"],
  ]);
  expect(tasks.dynamicTasksInputs).toEqual({ w_n__dyn_0: { state: { p: 1 } }, m__dyn_1: { state: {} } });
  const joinOutput = {
    m__dyn_1: { state: { items: [2] }, result: "b" },
    w_n__dyn_0: { state: { items: [1] }, result: "a" },
  };
  expect(run(mergeFanout, { joinOutput, parentState: { items: [0], k: 1 } }, { reducers: { items: "add" } })).toEqual({
    state: { items: [0, 1, 2], k: 1 },
    result: ["a", "b"],
  });
});
