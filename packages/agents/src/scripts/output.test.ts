import { expect, test } from "vitest";
import { run } from "../../test/support/run-script.ts";
import { coerceText } from "./coerce-text.ts";
import { formatToolCalls } from "./format-tool-calls.ts";
import { readInstructions } from "./instructions-text.ts";
import { checkRequiredTools } from "./required-tools.ts";
import { resolveOutput } from "./resolve-output.ts";
import { synthOutput } from "./synth-output.ts";

const calls = [{ name: "t", inputParameters: { q: 1, method: "t" } }];

test.each([
  ["text", "text"],
  [{ a: 1 }, { a: 1 }],
  [0, 0],
  [" ", '[{"name":"t","inputs":{"q":1,"method":"t"}}]'],
  ["[]", '[{"name":"t","inputs":{"q":1,"method":"t"}}]'],
  [null, '[{"name":"t","inputs":{"q":1,"method":"t"}}]'],
])("the answer of a model that said %j is %j", (said, expected) => {
  expect(run(synthOutput, { llm_result: said, tool_calls: calls })).toEqual(expected);
});

test("a model that said and asked for nothing answers with an empty text", () => {
  expect(run(synthOutput, { llm_result: null, tool_calls: null })).toBe("");
});

test("a person's edit wins over a repair, and that over the model", () => {
  const model = { llm_result: "model", finish_reason: "LENGTH" };
  expect(run(resolveOutput, { ...model, fixed_output: "fixed", edited_output: "edited" })).toEqual({
    result: "edited",
    finishReason: "STOP",
  });
  expect(run(resolveOutput, { ...model, fixed_output: "fixed", edited_output: null })).toEqual({
    result: "fixed",
    finishReason: "STOP",
  });
  expect(run(resolveOutput, { ...model, fixed_output: null, edited_output: null })).toEqual({
    result: "model",
    finishReason: "LENGTH",
  });
});

test("tools that must be called and were not are named", () => {
  expect(run(checkRequiredTools, { callCounts: { a: 1 } }, { required: ["a", "b"] })).toMatchObject({
    satisfied: false,
    missing: ["b"],
  });
  expect(run(checkRequiredTools, { callCounts: { a: 1, b: 2 } }, { required: ["a", "b"] })).toEqual({
    satisfied: true,
    missing: [],
    message: "",
  });
  expect(run(checkRequiredTools, { callCounts: null }, { required: ["a"] }).satisfied).toBe(false);
});

test.each([
  [null, ""],
  ["a", "a"],
  [1, "1"],
  [{ a: 1 }, '{"a":1}'],
  [[1], "[1]"],
])("%j as text is %j", (raw, expected) => {
  expect(run(coerceText, { raw })).toBe(expected);
});

test.each([
  [{ result: "be brief" }, "be brief"],
  ["be brief", "be brief"],
  [{ rules: ["a"] }, '{"rules":["a"]}'],
  [{ result: null }, ""],
  [null, ""],
])("instructions in %j are %j", (worker_output, expected) => {
  expect(run(readInstructions, { worker_output })).toBe(expected);
});

test("calls are shown to guardrails without the name among the arguments", () => {
  expect(run(formatToolCalls, { tool_calls: calls }).formatted).toBe('Tool: t\nArguments: {"q":1}\n---');
  expect(run(formatToolCalls, { tool_calls: null }).formatted).toBe("");
});
