import { describe, expect, test } from "vitest";
import { run } from "../../test/support/run-script.ts";
import { fixedOutput } from "./fixed-output.ts";
import { judgeVerdict } from "./judge-verdict.ts";
import { regexVerdict } from "./regex-verdict.ts";
import { retryMessage } from "./retry-message.ts";
import { workerVerdict } from "./worker-verdict.ts";

const toolCalls = [{ name: "t" }];

describe("a pattern", () => {
  const digits = {
    name: "g",
    patterns: [{ source: "\\d", flags: "" }],
    mode: "block" as const,
    message: "No digits",
    onFail: "retry",
    maxRetries: 3,
  };

  test("that blocks fails what it finds; one that allows fails what it does not find", () => {
    expect(run(regexVerdict, { content: "5", iteration: 1 }, digits)).toMatchObject({
      passed: false,
      on_fail: "retry",
      should_continue: true,
      message: "No digits",
    });
    expect(run(regexVerdict, { content: "a", iteration: 1 }, digits)).toMatchObject({
      passed: true,
      on_fail: "pass",
      should_continue: false,
    });
    expect(run(regexVerdict, { content: "a", iteration: 1 }, { ...digits, mode: "allow" }).passed).toBe(false);
    expect(run(regexVerdict, { content: "5", iteration: 1 }, { ...digits, mode: "allow" }).passed).toBe(true);
  });

  test("looks into objects, and not at turns with tool calls", () => {
    expect(run(regexVerdict, { content: { a: 5 }, iteration: 1 }, digits).passed).toBe(false);
    expect(run(regexVerdict, { content: "5", iteration: 1, toolCalls }, digits).passed).toBe(true);
  });

  test.each([
    ["retry", 3, "raise"],
    ["retry", 2, "retry"],
    ["fix", 1, "raise"],
    ["human", 9, "human"],
    ["raise", 1, "raise"],
  ])("with on_fail %s in iteration %i: %s", (onFail, iteration, expected) => {
    expect(run(regexVerdict, { content: "5", iteration }, { ...digits, onFail }).on_fail).toBe(expected);
  });
});

describe("a judge", () => {
  const judge = { name: "g", onFail: "retry", maxRetries: 2 };

  test.each([
    [{ passed: true }, true, ""],
    ['{"passed": true}', true, ""],
    ['Sure: {"passed": false, "reason": "rude"} ok', false, "rude"],
    [{ passed: false }, false, "g triggered"],
    ["hm", false, "Unparseable LLM response"],
    [null, false, "Unparseable LLM response"],
  ])("that says %j", (llm_result, passed, message) => {
    expect(run(judgeVerdict, { llm_result, content: "x", iteration: 1 }, judge)).toMatchObject({ passed, message });
  });

  test("is not asked about an empty text or a turn with tool calls", () => {
    expect(run(judgeVerdict, { llm_result: null, content: " ", iteration: 1 }, judge).passed).toBe(true);
    expect(run(judgeVerdict, { llm_result: null, content: "x", iteration: 1, toolCalls }, judge).passed).toBe(true);
  });
});

describe("a worker", () => {
  const input = { guardrail_name: "g", default_on_fail: "human", iteration: 1, max_retries: 3 };
  const ways = { ways: ["raise", "human"] };

  test.each([
    [{ passed: true }, "pass", ""],
    [null, "pass", ""],
    ["anything", "pass", ""],
    [{ passed: false, message: "no" }, "human", "no"],
    [{ result: { passed: false, message: "no", on_fail: "raise" } }, "raise", "no"],
    [{ passed: false, onFail: "RAISE" }, "raise", "g triggered"],
    [{ passed: false, on_fail: "retry" }, "human", "g triggered"],
    [{ tripwire_triggered: true, output_info: { reason: "jailbreak" } }, "human", "jailbreak"],
    [{ tripwire_triggered: false }, "pass", ""],
  ])("that answers %j: %s", (worker_output, onFail, message) => {
    expect(run(workerVerdict, { ...input, worker_output }, ways)).toMatchObject({ on_fail: onFail, message });
  });

  test("may repair only where that has an effect and a text", () => {
    const fix = { ...input, default_on_fail: "fix" };
    expect(
      run(workerVerdict, { ...fix, worker_output: { passed: false, fixedOutput: "y" } }, { ways: ["raise", "fix"] }),
    ).toMatchObject({ on_fail: "fix", fixed_output: "y" });
    expect(run(workerVerdict, { ...fix, worker_output: { passed: false } }, { ways: ["raise", "fix"] }).on_fail).toBe(
      "raise",
    );
    expect(
      run(workerVerdict, { ...fix, worker_output: { passed: false, fixedOutput: "y" } }, { ways: ["raise"] }).on_fail,
    ).toBe("raise");
  });
});

test("what follows a verdict", () => {
  expect(run(retryMessage, { guardrail_message: "No digits" })).toBe(
    "[Output validation failed: No digits. Please revise your response.]",
  );
  expect(run(fixedOutput, { fixed_output: "y" })).toBe("y");
});
