import { describe, expect, test } from "vitest";
import { run } from "../../test/support/run-script.ts";
import { addReply, addSwarmReply, aggregateResults, mergeContexts, mergeParallelContexts } from "./conversation.ts";
import { selectAgent } from "./rotation.ts";
import { annotateRoute, normalizeRoute, nothing } from "./route.ts";
import { gateDecision, selectOutput, textGate } from "./sequence.ts";
import { checkHandoff, checkTransfer, transferMessage } from "./swarm.ts";

test.each([
  ["billing", "billing"],
  [' "Billing". ', "billing"],
  ["**done**", "DONE"],
  ["I would ask dev-lead now", "dev-lead"],
  ["dev", "dev"],
  ["dev-lead, then billing", "DONE"],
  ["nobody", "DONE"],
  ["the developer", "DONE"],
  [null, "DONE"],
  [{ agent: "billing" }, "billing"],
])("a coordinator that says %j chooses %s", (raw, expected) => {
  expect(run(normalizeRoute, { raw }, { agents: ["dev", "dev-lead", "billing"] })).toBe(expected);
});

test("a worker's choice may be called selected_agent", () => {
  expect(run(normalizeRoute, { raw: null, selected: "dev" }, { agents: ["dev"] })).toBe("dev");
});

test("decisions are noted in the conversation, the last one is not", () => {
  expect(run(annotateRoute, { prev: "hi", decision: "dev" })).toBe("hi\n\n[coordinator -> dev]");
  expect(run(annotateRoute, { prev: "hi", decision: "DONE" })).toBe("hi");
  expect(run(nothing, {})).toBe(null);
});

test("replies join the conversation as text", () => {
  expect(run(addReply, { prev: "hi", response: { a: 1 } }, { agent: "x" })).toBe('hi\n\n[x]: {"a":1}');
  const reply = { prev: "hi", is_transfer: false, transfer_to: "", transfer_message: "" };
  expect(run(addSwarmReply, { ...reply, response: "[]" }, { agent: "x" })).toBe("hi");
  expect(
    run(
      addSwarmReply,
      { ...reply, response: "yes", is_transfer: true, transfer_to: "y", transfer_message: "take it" },
      { agent: "x" },
    ),
  ).toBe("hi\n\n[x]: yes\n\n[x -> y]: take it");
});

test("contexts merge as JSON, the child's values over the parent's", () => {
  expect(run(mergeContexts, { parent: { a: 1, b: 1 }, child: { b: { c: 2 } } })).toEqual({ a: 1, b: { c: 2 } });
  expect(run(mergeContexts, { parent: null, child: "text" })).toEqual({});
  expect(
    run(mergeParallelContexts, { parentCtx: { a: 1 }, agentNames: ["x", "y"], child_0: { b: 2 }, child_1: null }),
  ).toEqual({ a: 1, x: { b: 2 } });
});

test("results side by side: empty ones are left out of the text", () => {
  expect(run(aggregateResults, { agentResults: { x: "A", y: null, z: [1] } })).toEqual({
    result: "[x]: A\n\n[z]: [1]",
    subResults: { x: "A", y: "", z: "[1]" },
  });
});

describe("who speaks next", () => {
  test("in turn: the first one first, going round", () => {
    const order = [1, 2, 3, 4].map((iteration) => run(selectAgent, { iteration }, { count: 3, order: "round_robin" }));
    expect(order).toEqual(["0", "1", "2", "0"]);
  });

  test("in turn among those allowed", () => {
    const next = [[1, 2], [0], []];
    const after = (last_agent: string, iteration: number) =>
      run(selectAgent, { iteration, last_agent }, { count: 3, order: "round_robin", next });
    expect([after("0", 1), after("0", 2), after("1", 3), after("2", 4)]).toEqual(["0", "1", "0", "0"]);
  });

  test("by chance: always one of those allowed", () => {
    const chosen = new Set(
      Array.from({ length: 50 }, () =>
        selectAgent({ iteration: 2, last_agent: "1" }, { count: 3, order: "random", next: [[], [0, 2], []] }),
      ),
    );
    expect([...chosen].sort()).toEqual(["0", "2"]);
  });
});

test.each([
  ["please STOP", true, "stop"],
  ["please stop", true, "continue"],
  ["please stop", false, "stop"],
  [null, false, "continue"],
])("a gate that looks for STOP in %j, by case %j: %s", (result, caseSensitive, decision) => {
  expect(run(textGate, { result }, { text: "STOP", caseSensitive })).toEqual({ decision });
});

test.each([
  [{ decision: "stop" }, "stop"],
  [{ result: { decision: "stop" } }, "stop"],
  [{ result: "stop" }, "stop"],
  [{ decision: "continue" }, "continue"],
  [null, "continue"],
])("a gate's worker that answers %j: %s", (output, decision) => {
  expect(run(gateDecision, { output })).toEqual({ decision });
});

test("the last step with a result is the answer", () => {
  expect(run(selectOutput, { s0: "a", s1: "b", s2: null }, { steps: 3 })).toBe("b");
  expect(run(selectOutput, { s0: null }, { steps: 1 })).toBe("");
});

describe("in a swarm", () => {
  const transfers = { x_transfer_to_y: "y", x_transfer_to_z: "z" };
  const tool_calls = [{ name: "other" }, { name: "x_transfer_to_z", inputParameters: { message: "take it" } }];

  test("a transfer tool leads to its member, with its message", () => {
    expect(run(checkTransfer, { tool_calls }, { transfers })).toEqual({ is_transfer: true, transfer_to: "z" });
    expect(run(transferMessage, { tool_calls }, { transfers })).toBe("take it");
    expect(run(checkTransfer, { tool_calls: [{ name: "toString" }] }, { transfers })).toEqual({
      is_transfer: false,
      transfer_to: "",
    });
  });

  const members = ["x", "y", "z"];
  const input = {
    result: "It is a BUG",
    active_agent: "0",
    is_transfer: false,
    transfer_to: "",
    tool_results: [{ name: "t", output: { result: "Found" } }],
  };

  test("an asked-for transfer wins over the rules; the first rule that is met wins over the others", () => {
    const rules = [
      { type: "on_text_mention" as const, target: 1, text: "bug" },
      { type: "on_tool_result" as const, target: 2, toolName: "t", resultContains: "found" },
    ];
    expect(run(checkHandoff, { ...input, is_transfer: true, transfer_to: "z" }, { members, rules })).toEqual({
      handoff: true,
      active_agent: "2",
    });
    expect(run(checkHandoff, input, { members, rules })).toEqual({ handoff: true, active_agent: "1" });
    expect(run(checkHandoff, { ...input, result: "" }, { members, rules })).toEqual({
      handoff: true,
      active_agent: "2",
    });
    expect(run(checkHandoff, { ...input, result: "", tool_results: [] }, { members, rules })).toEqual({
      handoff: false,
      active_agent: "0",
    });
  });

  test("a rule does not hand over to who is active", () => {
    expect(
      run(
        checkHandoff,
        { ...input, active_agent: "1" },
        { members, rules: [{ type: "on_text_mention", target: 1, text: "bug" }] },
      ).handoff,
    ).toBe(false);
  });

  test("a condition says yes or no", () => {
    const rules = [{ type: "on_condition" as const, target: 1, key: "condition_0" }];
    expect(run(checkHandoff, { ...input, condition_0: { handoff: true } }, { members, rules }).active_agent).toBe("1");
    expect(() => checkHandoff({ ...input, condition_0: { handoff: "yes" } }, { members, rules })).toThrow(
      "Invalid on_condition output: handoff must be boolean",
    );
  });
});
