import { expect, test } from "vitest";
import { run } from "../../test/support/run-script.ts";
import {
  buildPlannerContext,
  compileStatus,
  executionStatus,
  extractPlan,
  fallbackPrompt,
  hasPlan,
  plannerRoute,
  resultText,
} from "./plan.ts";

const plan = { steps: [{ id: "a" }] };
const text = JSON.stringify(plan);
const none = { staticPlan: null, rawResult: null, coercedResult: null, planReaderContent: null };

test.each([
  [plan, "skip"],
  [text, "skip"],
  ["no", "plan"],
  [{}, "plan"],
  [null, "plan"],
])("with the static plan %j: %s", (staticPlan, route) => {
  expect(run(plannerRoute, { staticPlan })).toBe(route);
});

test.each([
  ["a static plan", { staticPlan: plan, rawResult: { steps: [] } }],
  ["a static plan as text", { staticPlan: text }],
  ["the planner's object", { rawResult: plan }],
  ["the planner's text", { coercedResult: text }],
  ["a fenced block", { coercedResult: `Here:\n\`\`\`json\n${text}\n\`\`\`\nDone {}` }],
  ["an object in a sentence", { coercedResult: `I suggest {"note": "}"} and ${text}, fine?` }],
  ["what the plan reader gave", { coercedResult: "in the file", planReaderContent: text }],
])("a plan is found in %s", (_where, given) => {
  expect(run(extractPlan, { ...none, ...given }).plan_json).toEqual(plan);
});

test("no plan is no plan", () => {
  expect(run(extractPlan, { ...none, coercedResult: 'I know nothing about "steps" {' })).toEqual({
    plan_json: null,
    markdown_plan: 'I know nothing about "steps" {',
  });
  expect(run(hasPlan, { json: null })).toBe("no_plan");
  expect(run(hasPlan, { json: { steps: [] } })).toBe("no_plan");
  expect(run(hasPlan, { json: plan })).toBe("has_plan");
});

test("documents are cut, and told of when they are not there", () => {
  const url = { type: "url" as const, url: "http://d" };
  const entries = [
    { type: "text" as const, text: "note" },
    { ...url, body: "123456", maxBytes: 3 },
    { ...url, body: null },
    { ...url, body: "x", statusCode: 503 },
  ];
  expect(run(buildPlannerContext, { entries })).toBe(
    "# Reference context\n\nnote\n\n## http://d\n123\n[truncated]\n\n## http://d\n[doc unavailable]\n\n## http://d\n[doc fetch failed status=503]",
  );
});

test("how compiling and running went", () => {
  expect(run(compileStatus, { wfDef: {}, err: null })).toBe("compiled");
  expect(run(compileStatus, { wfDef: {}, err: "bad" })).toBe("compile_failed");
  expect(run(compileStatus, { wfDef: null, err: null })).toBe("compile_failed");
  expect(run(executionStatus, { taskStatus: "COMPLETED" })).toBe("success");
  expect(run(executionStatus, { taskStatus: "COMPLETED_WITH_ERRORS" })).toBe("failed");
  expect(run(fallbackPrompt, { originalPrompt: "do", plan: "p", execOutput: { error: "e" } })).toBe(
    'do\n\nPlan:\np\n\nExecution errors:\n{"error":"e"}',
  );
  expect(run(resultText, { r: { a: 1 } })).toBe('{"a":1}');
});
