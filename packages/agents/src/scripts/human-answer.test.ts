import { describe, expect, test } from "vitest";
import { run } from "../../test/support/run-script.ts";
import { checkApproval, formatFeedback } from "./approval.ts";
import { processApproval, processNodeAnswer, processReview, validateAnswer } from "./human-answer.ts";

const asks = { asksApproval: true };

describe("an answer to a question of consent", () => {
  test.each([
    [{ approved: true }, true, false],
    [{ approved: "Yes" }, true, false],
    [{ approved: " n " }, false, false],
    [{ approved: "maybe" }, null, true],
    [{ result: "go on" }, null, true],
    [{}, null, true],
    ["yes please", null, true],
    [null, null, true],
  ])("%j: approved %j, to be read by a model %j", (human_output, approved, needs) => {
    expect(run(validateAnswer, { human_output }, asks)).toMatchObject({ approved, needs_normalize: needs });
  });

  test("its text for the model is the answer itself, its result, or all of it", () => {
    expect(run(validateAnswer, { human_output: "go" }, asks).raw_text).toBe("go");
    expect(run(validateAnswer, { human_output: { result: "go" } }, asks).raw_text).toBe("go");
    expect(run(validateAnswer, { human_output: { a: 1, b: { c: 2 } } }, asks).raw_text).toBe('a: 1, b: {"c":2}');
  });

  test("an old reading of a model counts only when it was asked for", () => {
    const clear = run(validateAnswer, { human_output: { approved: false, reason: "no", note: 1 } }, asks);
    expect(run(processApproval, { validated: clear, normalized: { approved: true } })).toEqual({
      approved: false,
      reason: "no",
      extra: { note: 1 },
    });
    const vague = run(validateAnswer, { human_output: "fine" }, asks);
    expect(run(processApproval, { validated: vague, normalized: { approved: true } })).toEqual({
      approved: true,
      reason: "",
      extra: {},
    });
    expect(run(processApproval, { validated: vague, normalized: null })).toMatchObject({
      approved: false,
      reason: "Rejected by human reviewer",
    });
  });
});

test.each([
  [{ approved: true }, true, "approve", "text"],
  [{ approved: true, edited_output: "other" }, true, "edit", "other"],
  [{ approved: true, edited_output: "other" }, false, "approve", "text"],
  [{ approved: false, edited_output: "other" }, true, "reject", "text"],
])("a review of %j, where an edit has an effect %j: %s", (answer, canEdit, action, result) => {
  const validated = run(validateAnswer, { human_output: answer }, asks);
  expect(run(processReview, { validated, normalized: null, llm_output: "text" }, { canEdit })).toMatchObject({
    action,
    result,
  });
});

test("what a person tells a graph joins its state", () => {
  const validated = run(validateAnswer, { human_output: { response: "ok" } }, { asksApproval: false });
  expect(validated.needs_normalize).toBe(false);
  expect(run(processNodeAnswer, { validated, normalized: null, previousState: { a: 1 } })).toEqual({
    state: { a: 1, response: "ok" },
    result: "ok",
  });
});

test("consent is asked for gated tools, own and discovered", () => {
  const tool_calls = [{ name: "pay" }, { name: "look" }, { name: "wipe" }];
  const mcpConfig = { wipe: { approvalRequired: true }, look: {} };
  expect(run(checkApproval, { tool_calls, mcpConfig }, { gated: ["pay"] })).toEqual({
    needs_approval: true,
    gated_tools: ["pay", "wipe"],
  });
  expect(run(checkApproval, { tool_calls: null }, { gated: ["pay"] }).needs_approval).toBe(false);
});

test("feedback is what was said beside yes", () => {
  expect(run(formatFeedback, { extra: {}, reason: "" })).toBe("");
  expect(run(formatFeedback, { extra: { limit: 5, none: null }, reason: "ok" })).toContain("reason: ok\nlimit: 5");
});
