import type { JsonObject } from "@downbeat/engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CompiledPlan,
  compilePlan,
  findSchemaProblem,
  InvalidAgent,
  inspectPlan,
  planAndCompile,
} from "../../src/index.ts";

const tools: readonly JsonObject[] = [
  { name: "t", inputSchema: { type: "object", properties: { q: { type: "string" } } } },
  { name: "spec", toolType: "api", config: { url: "http://x" } },
  { name: "twice", maxCalls: 2 },
  { name: "odd", inputSchema: { type: "object", properties: { a: { anyOf: [{ type: "string" }] } } } },
];

const compile = (plan: unknown) => compilePlan({ plan: plan as JsonObject, parentName: "p-1", tools });
const steps = (...operations: readonly JsonObject[]) => ({
  steps: operations.map((op, i) => ({ id: `s${i}`, operations: [op] })),
});
const call = (tool: string, args: JsonObject = {}) => ({ tool, args });
const tasksOf = ({ workflowDef }: CompiledPlan) => (workflowDef?.["tasks"] ?? []) as readonly JsonObject[];
const ok = { id: "a", operations: [call("t")] };

describe("a plan is refused", () => {
  test.each<[string, unknown, string | RegExp]>([
    ["not JSON", "{steps", /^Invalid plan JSON: /],
    ["not an object", "[1]", "Plan must be a JSON object"],
    ["nothing", undefined, "Plan must be a JSON object"],
    ["steps that are no list", { steps: {} }, "Plan must have a non-empty steps array"],
    ["too many steps", { steps: Array(1001).fill({}) }, "Plan must have at most 1000 steps, got 1001"],
    [
      "too many operations",
      { steps: [{ operations: Array(2001).fill(call("t")) }] },
      "Plan must have at most 2000 operations, got 2001",
    ],
    ["a step that waits for itself", { steps: [{ ...ok, depends_on: ["a"] }] }, "Cycle in depends_on: a -> a"],
    [
      "a cycle behind a step",
      {
        steps: [
          { ...ok, id: "a", depends_on: ["b"] },
          { ...ok, id: "b", depends_on: ["c"] },
          { ...ok, id: "c", depends_on: ["b"] },
        ],
      },
      "Cycle in depends_on: b -> c -> b",
    ],
    [
      "an API tool",
      steps(call("spec")),
      "Plan validation: Step s0 op 0 uses tool 'spec' of type api, which a plan cannot call",
    ],
    [
      "too many calls of a tool",
      { ...steps(call("twice"), call("twice")), on_success: [call("twice")], on_failure: [call("twice")] },
      "Plan validation: Tool 'twice' is called 3 times, its maximum is 2 calls",
    ],
    [
      "validators and actions",
      {
        steps: [ok],
        validation: [call("none"), {}],
        on_success: [call("t", { q: { $ref: "zz" } })],
        on_failure: [call("none")],
      },
      "Plan validation: Validation 0 uses unknown tool 'none'; Validation 1 missing tool; " +
        "on_success 0 has $ref to unknown step 'zz'; on_failure 0 uses unknown tool 'none'",
    ],
    [
      "a tool of the prototype",
      steps(call("constructor")),
      "Plan validation: Step s0 op 0 uses unknown tool 'constructor'",
    ],
    [
      "a model without a provider",
      steps({ tool: "t", generate: { model: "gpt-4o" } }),
      "Step s0 op 0: Invalid model format: 'gpt-4o'. Expected provider/model",
    ],
    [
      "a schema that arguments cannot be checked by",
      steps({ tool: "odd", generate: {} }),
      "Step s0 op 0: inputSchema of tool 'odd' uses unsupported JSON Schema keyword 'anyOf' at $.properties.a",
    ],
    [
      "an example that is no JSON",
      steps({ tool: "t", generate: { output_schema: "path and content" } }),
      "Step s0 op 0: output_schema must be a JSON object",
    ],
  ])("%s", (_, plan, expected) => {
    const { error, workflowDef, stats } = compile(plan);
    if (typeof expected === "string") expect(error).toBe(expected);
    else expect(error).toMatch(expected);
    expect([workflowDef, stats]).toEqual([null, {}]);
  });
});

test("steps keep the order of the plan as far as they can", () => {
  const plan = {
    steps: [
      { id: "a", operations: [call("t")], depends_on: ["d"] },
      { id: "b", operations: [call("t")] },
      { id: "c", operations: [call("t")], depends_on: ["a", "b"] },
      { id: "d", operations: [call("t")] },
      { id: "e", operations: [call("t")], depends_on: ["b"] },
    ],
  };
  const refs = tasksOf(compile(plan)).map((task) => String(task["taskReferenceName"]));
  expect(refs.filter((ref) => ref.startsWith("s_")).map((ref) => ref[2])).toEqual(["b", "d", "a", "c", "e"]);
});

test("a plan may be JSON text, and its step ids whatever text they like", () => {
  const plan = JSON.stringify({
    steps: [
      { id: "a.b", operations: [call("t")] },
      { id: "a-b", operations: [call("t", { q: { $ref: "a.b" } })], depends_on: "a.b" },
      { id: 7, operations: [call("t", { q: "1" })] },
    ],
  });
  const { error, workflowName, workflowDef } = compile(plan);
  expect([error, workflowName]).toEqual([null, "pe_p_1_plan"]);
  const tasks = workflowDef?.["tasks"] as { taskReferenceName: string; inputParameters: JsonObject }[];
  expect(tasks.map((task) => task.taskReferenceName)).toEqual([
    "s_a_b_0",
    "step_output_a_b_1",
    "s_a_b_2_2",
    "step_output_a_b_2_3",
    "s_7_4",
    "step_output_7_5",
  ]);
  expect(tasks[2]?.inputParameters["q"]).toBe("${step_output_a_b_1.output.result}");
});

test("what a plan says of credentials and of the run is not passed on", () => {
  const [task] = tasksOf(compile(steps(call("t", { credentials: "x", session_id: "mine", q: "1" }))));
  expect(task?.["inputParameters"]).toEqual({
    q: "1",
    session_id: "${workflow.input.session_id}",
    cwd: "${workflow.input.cwd}",
    media: "${workflow.input.media}",
  });
});

test("placeholders in a tool's headers are read from the secrets when the call is made", () => {
  const headers = { A: "Bearer ${TOKEN}", B: "#{JSON.key}", C: "${workflow.input.x}", D: 5 };
  const http = { name: "h", toolType: "http", config: { url: "http://x", headers } };
  const [task] = tasksOf(compilePlan({ plan: steps(call("h")), parentName: "p", tools: [http] }));
  expect(task).toMatchObject({
    inputParameters: {
      http_request: {
        method: "GET",
        headers: {
          A: "Bearer ${workflow.secrets.TOKEN}",
          B: "${workflow.secrets.JSON.key}",
          C: "${workflow.input.x}",
          D: 5,
        },
      },
    },
  });
});

test("PLAN_AND_COMPILE knows tools by name alone, and its defaults", () => {
  const output = planAndCompile({ planJson: steps(call("w")), parentName: "p", knownToolNames: ["w"] });
  expect(output).toMatchObject({
    error: null,
    workflowName: "pe_p_plan",
    workflowDef: { timeoutSeconds: 600, timeoutPolicy: "TIME_OUT_WF", tasks: [{ type: "SIMPLE", name: "w" }, {}] },
  });
});

test.each<[string, JsonObject, string]>([
  ["no agent", { plan: {} }, "inspectPlan: agentConfig is required"],
  ["no plan", { agentConfig: {} }, "inspectPlan: plan is required"],
  [
    "another strategy",
    { agentConfig: { strategy: "router" }, plan: {} },
    "inspectPlan: agentConfig.strategy must be 'plan_execute', got 'router'",
  ],
])("inspect-plan is refused: %s", (_, request, message) => {
  expect(() => inspectPlan(request)).toThrow(new InvalidAgent(message));
});

test("a tool's schema may use only what can be checked", () => {
  const below = { type: "object", properties: { a: { type: "array", items: { foo: 1 } } } };
  expect(findSchemaProblem(below)).toBe("uses unknown JSON Schema keyword 'foo' at $.properties.a.items");
  expect(findSchemaProblem({ type: "object", properties: { anyOf: { type: "string" } } })).toBeUndefined();
});

describe("whatever a model writes", () => {
  const guardrails = ["regex", "llm", "custom", "external"].map((guardrailType) => ({ name: "g 1", guardrailType }));
  const kinds: readonly JsonObject[] = [
    { name: "g", guardrails, approvalRequired: true, inputSchema: { type: "object", properties: { "a b": {} } } },
    { name: "h", toolType: "http", config: { url: "http://x/{a}" } },
    { name: "m", toolType: "mcp" },
    { name: "agent", toolType: "agent_tool" },
    { name: "human", toolType: "human" },
  ];
  const tool = fc.constantFrom("g", "h", "m", "agent", "human");
  const id = fc.oneof(fc.constantFrom("a", "a b", "a.b", "s_0", "${x}"), fc.string({ minLength: 1, maxLength: 5 }));
  const args = fc.dictionary(
    fc.string({ maxLength: 5 }),
    fc.oneof(fc.jsonValue(), fc.constant("${workflow.secrets.X}")),
    {
      maxKeys: 3,
    },
  );
  const compileAny = (plan: unknown) => compilePlan({ plan: plan as JsonObject, parentName: "p", tools: kinds });

  test("a plan that is well formed compiles to a definition that the engine accepts", () => {
    const operation = fc.oneof(
      fc.record({ tool, args }),
      fc.record({
        tool: fc.constant("g"),
        generate: fc.record({ instructions: fc.string(), context: fc.jsonValue() }),
      }),
    );
    const step = fc.record({
      id: id.filter((text) => text.trim() !== ""),
      operations: fc.array(operation, { minLength: 1, maxLength: 3 }),
      parallel: fc.boolean(),
    });
    const plan = fc.record({
      steps: fc.uniqueArray(step, { selector: (one) => one.id, minLength: 1, maxLength: 4 }),
      validation: fc.array(fc.record({ tool, args }), { maxLength: 2 }),
      on_failure: fc.array(fc.record({ tool, args }), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(plan, (given) => {
        expect(compileAny(given).error).toBeNull();
      }),
      { numRuns: 150 },
    );
  });

  test("nothing of it becomes an expression that reads a secret", () => {
    const word = fc.constantFrom(
      "${workflow.secrets.X}",
      "a'}${workflow.secrets.X}${b['",
      "q",
      "a b",
      "$",
      "x/${workflow.secrets.X}",
    );
    const value = fc.oneof(
      word,
      fc.integer(),
      fc.array(word, { maxLength: 2 }),
      fc.dictionary(word, word, { maxKeys: 2 }),
    );
    const anyArgs = fc.dictionary(word, value, { maxKeys: 3 });
    const fields = ["instructions", "context", "model", "max_tokens", "temperature", "output_schema"] as const;
    const generate = fc.dictionary(fc.constantFrom(...fields), value);
    const operation = fc.oneof(fc.record({ tool, args: anyArgs }), fc.record({ tool, generate }));
    const step = fc.record({ id: word, operations: fc.array(operation, { minLength: 1, maxLength: 2 }) });
    const plan = fc.record({
      steps: fc.uniqueArray(step, { selector: (one) => one.id, minLength: 1, maxLength: 3 }),
      validation: fc.array(fc.record({ tool, args: anyArgs }), { maxLength: 1 }),
      on_success: fc.array(fc.record({ tool, args: anyArgs }), { maxLength: 1 }),
    });
    fc.assert(
      fc.property(plan, (given) => {
        const { error, workflowDef } = compileAny(given);
        expect(error ?? "").not.toContain("Compiler internal error");
        expect(textsIn(workflowDef).filter((text) => /(?<!\$)\$\{workflow\.secrets/.test(text))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  test("a plan that is not gets an answer, never an internal error", () => {
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.record({ $ref: id }),
      fc.array(fc.record({ tool: fc.jsonValue(), args: fc.jsonValue() })),
    );
    const step = fc.dictionary(fc.constantFrom("id", "operations", "parallel", "depends_on"), odd);
    const plan = fc.record({ steps: fc.array(step, { maxLength: 5 }), validation: odd, on_success: odd });
    fc.assert(
      fc.property(plan, (given) => {
        const { error, workflowDef } = compileAny(given);
        expect(error ?? "").not.toContain("Compiler internal error");
        expect(error === null).toBe(workflowDef !== null);
      }),
      { numRuns: 150 },
    );
  });
});

/** Every text in a value; names are never resolved. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
