import { expect, test } from "vitest";
import { run } from "../../test/support/run-script.ts";
import { mergeState } from "./merge-state.ts";

const calls = [
  { ref: "call_1_0", name: "look_up" },
  { ref: "call_2_1", name: "remember" },
];
const joinOutput = {
  call_1_0__3: { result: "x" },
  call_2_1__3: { result: "ok", _state_updates: { seen: ["b", "a"], last: "b" } },
};
const input = {
  currentState: { seen: ["a"], last: "a", kept: 1 },
  previousToolResults: [{ name: "old", output: 1 }],
  joinOutput,
  calls,
};

test("state updates are laid over the state, and two lists become their union", () => {
  expect(run(mergeState, input, { keepsEarlierResults: false }).mergedState).toEqual({
    seen: ["a", "b"],
    last: "b",
    kept: 1,
  });
});

test("results carry the names of their tools, with the iteration behind the reference or not", () => {
  expect(run(mergeState, input, { keepsEarlierResults: false }).toolResults.map(({ name }) => name)).toEqual([
    "look_up",
    "remember",
  ]);
  expect(run(mergeState, input, { keepsEarlierResults: true }).toolResults.map(({ name }) => name)).toEqual([
    "old",
    "look_up",
    "remember",
  ]);
});

test("calls are counted on top of those before", () => {
  expect(run(mergeState, { ...input, callCounts: { look_up: 2 } }, { keepsEarlierResults: false }).callCounts).toEqual({
    look_up: 3,
    remember: 1,
  });
});

test("a tool and a key may be called like what every object has", () => {
  const odd = {
    ...input,
    calls: [{ ref: "r", name: "constructor" }],
    joinOutput: { r: JSON.parse('{"_state_updates": {"toString": 1, "__proto__": 2}}') },
  };
  const merged = run(mergeState, odd, { keepsEarlierResults: false });
  expect(merged.callCounts).toEqual({ constructor: 1 });
  expect(JSON.stringify(merged.mergedState)).toContain('"toString":1,"__proto__":2');
});

test("outputs that are nothing, lists or texts are no updates", () => {
  const odd = { ...input, joinOutput: { call_1_0: null, call_2_1: [1] } };
  expect(run(mergeState, odd, { keepsEarlierResults: false }).mergedState).toEqual(input.currentState);
});
