import { describe, expect, test } from "vitest";
import { allPassed } from "./all-passed.ts";
import { approvalVerdict } from "./approval-verdict.ts";
import { argumentsVerdict } from "./arguments-verdict.ts";
import { checkArguments } from "./check-arguments.ts";
import { collectBranches } from "./collect-branches.ts";
import { formatCall } from "./format-call.ts";
import { judgeGuardrail } from "./judge-guardrail.ts";
import { parseAnswer } from "./parse-answer.ts";
import { regexGuardrail } from "./regex-guardrail.ts";
import { requestUri } from "./request-uri.ts";
import { stepOutput } from "./step-output.ts";
import { workerGuardrail } from "./worker-guardrail.ts";

test("a step gives its last result, or the whole output when there is none", () => {
  expect(stepOutput({ simpleResult: 0, fullOutput: { a: 1 } })).toBe(0);
  expect(stepOutput({ simpleResult: null, fullOutput: { a: 1 } })).toEqual({ a: 1 });
  expect(stepOutput({})).toBeNull();
});

test("branches are collected in order, false and empty ones too", () => {
  expect(collectBranches({ count: 4, b0: false, b1: "", b2: null, o2: { a: 1 } })).toEqual([false, "", { a: 1 }, null]);
});

test.each([
  ["an object as it is", { a: 1 }, { a: 1 }],
  ["JSON text", '{"a": 1}', { a: 1 }],
  ["JSON in a fence", 'Sure!\n```json\n{"a": 1}\n```\nDone.', { a: 1 }],
  ["JSON in a sentence", 'It is {"a": {"b": "}"}} I think', { a: { b: "}" } }],
  ["a list", "[1]", { _plan_error: "the answer is not a JSON object" }],
  ["prose", "no", { _plan_error: "the answer is not a JSON object" }],
  ["nothing", null, { _plan_error: "the answer is empty" }],
])("an answer is read: %s", (_, llmOut, expected) => {
  expect(parseAnswer({ llmOut })).toEqual(expected);
});

describe("arguments are checked", () => {
  const refusal = (parsed: unknown, schema: { [keyword: string]: unknown }) =>
    (checkArguments({ parsed, schema }) as { _plan_error?: string })._plan_error;
  const inA = (schema: object) => ({ type: "object", properties: { a: schema } });

  test.each<[unknown, { [keyword: string]: unknown }, string | undefined]>([
    [{ a: 1 }, {}, undefined],
    ["x", { type: "object" }, "arguments must be object"],
    [{}, { required: ["a"] }, "arguments.a is missing"],
    [{ a: 1.5 }, inA({ type: "integer" }), "arguments.a must be integer"],
    [{ a: null }, inA({ type: ["string", "null"] }), undefined],
    [{ a: [] }, inA({ type: "object" }), "arguments.a must be object"],
    [{ a: "z" }, inA({ enum: ["x", "y"] }), 'arguments.a must be one of ["x","y"]'],
    [{ a: "" }, inA({ minLength: 1 }), "arguments.a must have at least 1 characters"],
    [{ a: "xxx" }, inA({ maxLength: 2 }), "arguments.a must have at most 2 characters"],
    [{ a: "x1" }, inA({ pattern: "^[a-z]+$" }), "arguments.a must match ^[a-z]+$"],
    [{ a: 1 }, inA({ minimum: 2 }), "arguments.a must be at least 2"],
    [{ a: 3 }, inA({ maximum: 2 }), "arguments.a must be at most 2"],
    [{ a: [] }, inA({ minItems: 1 }), "arguments.a must have at least 1 items"],
    [{ a: [1, 2] }, inA({ maxItems: 1 }), "arguments.a must have at most 1 items"],
    [{ a: [1, "x"] }, inA({ items: { type: "number" } }), "arguments.a[1] must be number"],
    [{ b: 1 }, { ...inA({}), additionalProperties: false }, "arguments.b is not a known argument"],
    [{ b: 1 }, { additionalProperties: { type: "string" } }, "arguments.b must be string"],
    [{ toString: 1 }, { properties: {}, additionalProperties: false }, "arguments.toString is not a known argument"],
  ])("%j against %j", (parsed, schema, expected) => {
    expect(refusal(parsed, schema)).toBe(expected);
  });

  test("and an answer that could not be read keeps its reason", () => {
    const unread = { _plan_error: "the answer is empty" };
    expect(checkArguments({ parsed: unread, schema: {} })).toBe(unread);
    expect(argumentsVerdict({ parsed: unread })).toBe("rejected");
    expect(argumentsVerdict({ parsed: { a: 1 } })).toBe("ok");
    expect(argumentsVerdict({ parsed: null })).toBe("rejected");
  });
});

test("all validators have to pass", () => {
  expect(allPassed({ count: 2, v0: { passed: true }, v1: { passed: true } })).toBe("passed");
  expect(allPassed({ count: 2, v0: { passed: true } })).toBe("failed");
});

test.each([
  [{ approved: true }, "approved"],
  [{ approved: "Yes " }, "approved"],
  [{ approved: false }, "rejected"],
  [{ approved: 1 }, "rejected"],
  [{ result: "sure" }, "rejected"],
  [null, "rejected"],
])("an answer of %j is %s", (answer, decision) => {
  expect(approvalVerdict({ answer }).decision).toBe(decision);
});

test("a call is shown with exactly its arguments", () => {
  const call = formatCall({ argKeys: ["a", "b"], args: { a: 1, c: 2 } }, { tool: "t" });
  expect(call.formatted).toBe('Tool: t\nArguments: {"a":1,"b":null}\n---');
});

describe("a URI", () => {
  const uri = (url: string, pathArgs: object, queryArgs: object) =>
    requestUri({ url, pathArgs: { ...pathArgs }, queryArgs: { ...queryArgs } });

  test.each([
    ["http://x/{a}", { a: "b/c d" }, {}, "http://x/b%2Fc%20d"],
    [
      "http://x",
      {},
      { a: 1, b: null, c: "", d: [1, null, "&"], e: { f: 1 } },
      "http://x?a=1&d=1&d=%26&e=%7B%22f%22%3A1%7D",
    ],
    ["http://x?k=1", {}, { a: 1 }, "http://x?k=1&a=1"],
    ["http://x?", {}, { a: 1 }, "http://x?a=1"],
    ["http://x/p#frag", {}, { a: 1 }, "http://x/p?a=1#frag"],
    ["http://x/{a}", { a: "$&" }, {}, "http://x/%24%26"],
  ])("of %s with %j and %j", (url, pathArgs, queryArgs, expected) => {
    expect(uri(url, pathArgs, queryArgs)).toBe(expected);
  });
});

describe("guardrails say", () => {
  const constants = { name: "g", patterns: ["bad", "(?is)a.b"], mode: "block", message: "no", onFail: "raise" };

  test("what patterns find", () => {
    expect(regexGuardrail({ content: "good" }, constants)).toMatchObject({
      passed: true,
      on_fail: "pass",
      message: "",
    });
    expect(regexGuardrail({ content: "A\nB" }, constants)).toMatchObject({
      passed: false,
      on_fail: "raise",
      message: "no",
    });
    expect(regexGuardrail({ content: { x: "bad" } }, { ...constants, onFail: "fix" })).toMatchObject({
      on_fail: "raise",
    });
    expect(regexGuardrail({ content: "good" }, { ...constants, mode: "allow" })).toMatchObject({ passed: false });
  });

  test("what a model judges", () => {
    const judge = (llm_result: unknown) => judgeGuardrail({ llm_result }, { name: "g", onFail: "human" });
    expect(judge({ passed: true })).toMatchObject({ passed: true, on_fail: "pass" });
    expect(judge('It is {"passed": false, "reason": "rude"}')).toMatchObject({ on_fail: "human", message: "rude" });
    expect(judge("hm")).toMatchObject({ passed: false, message: "Unparseable LLM response" });
    expect(judge({ passed: "true" })).toMatchObject({ passed: false });
  });

  test.each<[string, unknown, object]>([
    ["a plain pass", { passed: true }, { passed: true, on_fail: "pass" }],
    ["a failure without a way", { passed: false, message: "m" }, { passed: false, on_fail: "retry", message: "m" }],
    ["a failure with its own way", { result: { passed: false, onFail: "raise" } }, { on_fail: "raise" }],
    ["an unknown way", { passed: false, on_fail: "explode" }, { on_fail: "retry" }],
    ["a tripwire with a text", { tripwire_triggered: true, output_info: "why" }, { passed: false, message: "why" }],
    ["a tripwire with a reason", { tripwireTriggered: true, output_info: { reason: "r" } }, { message: "r" }],
    ["a bare tripwire", { tripwire_triggered: true }, { message: "g triggered" }],
    ["nothing", null, { passed: true }],
  ])("what a worker answers: %s", (_, worker_output, expected) => {
    expect(workerGuardrail({ worker_output }, { name: "g", onFail: "retry" })).toMatchObject(expected);
  });
});
