import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "@downbeat/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compilePlan, planAndCompile } from "../../src/index.ts";
import { type Run, runDefinition, type Workers } from "../support/run.ts";
import { startServer, type TestServer } from "../support/server.ts";

/** Compiled plans on a real server: the scripts run in its sandbox, workers of the test serve the tools. */
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const aTool = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  inputSchema: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
  ...more,
});

const echo: Workers = { say: ({ q }) => ({ result: `said ${JSON.stringify(q)}` }) };

async function run(plan: JsonObject, tools: readonly JsonObject[], workers: Workers = echo): Promise<Run> {
  const { workflowDef, error } = compilePlan({ plan, parentName: "p", tools });
  expect(error).toBeNull();
  return runDefinition(server.base, { workflowDef: workflowDef ?? {}, workers });
}

const regex = { name: "no-drop", guardrailType: "regex", onFail: "raise", patterns: ["(?i)drop \\$\\{"] };

const step = (id: string, args: JsonObject, more: JsonObject = {}): JsonObject => ({
  id,
  operations: [{ tool: "say", args }],
  ...more,
});

test("steps run in the order of their dependencies and hand their outputs on", async () => {
  const plan = {
    steps: [step("second", { q: { $ref: "first" } }, { depends_on: ["first"] }), step("first", { q: "hello" })],
  };
  const { status, output } = await run(plan, [aTool("say")]);
  expect(status).toBe("COMPLETED");
  expect(output).toEqual({ result: 'said "said \\"hello\\""', status: "completed" });
});

test("what looks like an expression in a plan means itself", async () => {
  const args = { q: "${workflow.secrets.KEY} $${x}", "${workflow.workflowId}": ["${b}"] };
  const { tasks } = await run({ steps: [step("a", args)] }, [aTool("say")]);
  expect(tasks[0]?.inputData).toMatchObject(args);
});

test("nor does it in the names of what a model is told", async () => {
  const context = { "${workflow.workflowId}": { of: ["${c}", { $ref: "first" }] } };
  const generate = { instructions: "x", context };
  const plan = {
    steps: [step("first", { q: "1" }), { id: "g", depends_on: ["first"], operations: [{ tool: "say", generate }] }],
  };
  const workers = { ...echo, LLM_CHAT_COMPLETE: () => ({ result: { q: "made" } }) };
  const { tasks } = await run(plan, [aTool("say")], workers);
  const asked = tasks.find(({ taskType }) => taskType === "LLM_CHAT_COMPLETE")?.inputData["messages"];
  expect((asked as { message: string }[])[1]?.message).toBe(
    'x\n\nContext:\n{"${workflow.workflowId}":{"of":["${c}","said "1""]}}',
  );
});

test("a parallel step gives a list; an output without a result is taken whole", async () => {
  const plan = {
    steps: [
      {
        id: "all",
        parallel: true,
        operations: [
          { tool: "say", args: { q: "1" } },
          { tool: "object", args: { q: "2" } },
        ],
      },
    ],
  };
  const workers = { ...echo, object: () => ({ a: 1 }) };
  const { output } = await run(plan, [aTool("say"), aTool("object")], workers);
  expect(output["result"]).toEqual(['said "1"', { a: 1 }]);
});

test("a plan compiled in the middle of a run means the same: its definition is a task's output first", async () => {
  const workflowDef = {
    name: "harness",
    tasks: [
      { name: "compile_it", taskReferenceName: "c", type: "SIMPLE" },
      {
        name: "plan",
        taskReferenceName: "exec",
        type: "SUB_WORKFLOW",
        inputParameters: { session_id: "s1" },
        subWorkflowParam: { name: "pe_p_plan", workflowDefinition: "${c.output.workflowDef}" },
      },
    ],
    outputParameters: { result: "${exec.output.result}" },
  };
  const plan = {
    steps: [
      { id: "a", parallel: true, operations: [{ tool: "say", args: { q: "${workflow.workflowId}" } }] },
      step("b", { q: { $ref: "a" } }, { depends_on: ["a"] }),
    ],
  };
  const tool = { name: "say", guardrails: [{ ...regex, patterns: ["^never ${"] }] };
  const sessions: unknown[] = [];
  const workers: Workers = {
    compile_it: () => ({ ...planAndCompile({ planJson: plan, parentName: "p", parentTools: [tool] }) }),
    say: (input) => {
      sessions.push(input["session_id"]);
      return echo["say"]?.(input) ?? {};
    },
  };
  const { status, output } = await runDefinition(server.base, { workflowDef, workers });
  expect([status, sessions]).toEqual(["COMPLETED", ["s1", "s1"]]);
  expect(output["result"]).toBe('said ["said \\"${workflow.workflowId}\\""]');
});

const generated = (more: JsonObject = {}): JsonObject => ({
  steps: [{ id: "g", operations: [{ tool: "say", generate: { instructions: "Write ${x}.", ...more } }] }],
});

test("a model's answer becomes the arguments, out of whatever stands around it", async () => {
  const workers = { ...echo, LLM_CHAT_COMPLETE: () => ({ result: 'Here it is:\n```json\n{"q": "made"}\n```' }) };
  const { status, output, tasks } = await run(generated(), [aTool("say")], workers);
  expect(status).toBe("COMPLETED");
  expect(output["result"]).toBe('said "made"');
  const messages = tasks[0]?.inputData["messages"] as { message: string }[];
  expect(messages[1]?.message).toBe("Write ${x}.");
});

test.each([
  ["no JSON at all", "I cannot", "the answer is not a JSON object"],
  ["a missing argument", "{}", "arguments.q is missing"],
  ["an argument of another type", '{"q": 5}', "arguments.q must be string"],
])("a model's answer is refused: %s", async (_, answer, reason) => {
  const workers = { ...echo, LLM_CHAT_COMPLETE: () => ({ result: answer }) };
  const { status, reasonForIncompletion } = await run(generated(), [aTool("say")], workers);
  expect(status).toBe("FAILED");
  expect(reasonForIncompletion).toBe(`LLM output rejected for say: ${reason}`);
});

test("generated and given operations of a parallel step join", async () => {
  const plan = {
    steps: [
      {
        id: "w",
        parallel: true,
        operations: [
          { tool: "say", generate: { instructions: "x" } },
          { tool: "say", args: { q: "2" } },
        ],
      },
    ],
  };
  const workers = { ...echo, LLM_CHAT_COMPLETE: () => ({ result: { q: "1" } }) };
  const { status, output } = await run(plan, [aTool("say")], workers);
  expect([status, output["result"]]).toEqual(["COMPLETED", ['said "1"', 'said "2"']]);
});

const validated = (success_condition?: string): JsonObject => ({
  steps: [step("a", { q: "1" })],
  validation: [{ tool: "check", args: {}, ...(success_condition === undefined ? {} : { success_condition }) }],
  on_success: [{ tool: "say", args: { q: "good" } }],
  on_failure: [{ tool: "say", args: { q: "bad" } }],
});

test.each<[string, string | undefined, JsonObject, string]>([
  ["by its condition, on a result", "$.passed === true && $.n > 2", { result: { passed: true, n: 3 } }, "COMPLETED"],
  ["by its condition, on a whole output", "$['n'] >= 3", { n: 3 }, "COMPLETED"],
  ["not by its condition", "!($.n == 3)", { n: 3 }, "FAILED"],
  ["by content", undefined, { result: "fine" }, "COMPLETED"],
  ["not: the text says ERROR", undefined, { result: "ERROR: no" }, "FAILED"],
  ["not: nothing came", undefined, {}, "FAILED"],
])("a validator passes %s", async (_, condition, answer, status) => {
  const ended = await run(validated(condition), [aTool("say"), aTool("check")], { ...echo, check: () => answer });
  expect(ended.status).toBe(status);
  const said = ended.tasks.filter(({ taskType }) => taskType === "say").map(({ inputData }) => inputData["q"]);
  expect(said).toEqual(["1", status === "COMPLETED" ? "good" : "bad"]);
  if (status === "FAILED") expect(ended.reasonForIncompletion).toBe("Plan validation failed");
});

test("one of two validators that fails is enough", async () => {
  const plan = { steps: [step("a", { q: "1" })], validation: [{ tool: "yes" }, { tool: "no" }] };
  const workers = { ...echo, yes: () => ({ result: "ok" }), no: () => ({ passed: false }) };
  const { status } = await run(plan, [aTool("say"), aTool("yes"), aTool("no")], workers);
  expect(status).toBe("FAILED");
});

const guarded = (...guardrails: readonly JsonObject[]) => aTool("say", { guardrails });

test("a guardrail lets pass what it has nothing against, and ends the plan otherwise", async () => {
  const passed = await run({ steps: [step("a", { q: "keep" })] }, [guarded(regex)]);
  expect(passed.status).toBe("COMPLETED");
  const refused = await run({ steps: [step("a", { q: "DROP ${x}" })] }, [guarded(regex)]);
  expect(refused.status).toBe("FAILED");
  expect(refused.reasonForIncompletion).toBe("Content matched a blocked pattern.");
  expect(refused.tasks.some(({ taskType }) => taskType === "say")).toBe(false);
});

test("several guardrails are asked one after the other: patterns, a worker, a model", async () => {
  const seen: unknown[] = [];
  const workers = {
    ...echo,
    look: ({ content }: JsonObject) => {
      seen.push(content);
      return { passed: true };
    },
    LLM_CHAT_COMPLETE: () => ({ result: { passed: false, reason: "rude" } }),
  };
  const tool = guarded(
    regex,
    { name: "w", guardrailType: "custom", taskName: "look" },
    { name: "j", guardrailType: "llm", policy: "be kind", onFail: "raise" },
  );
  const { status, reasonForIncompletion } = await run({ steps: [step("a", { q: "keep" })] }, [tool], workers);
  expect([status, reasonForIncompletion]).toEqual(["FAILED", "rude"]);
  expect(seen).toEqual(['Tool: say\nArguments: {"q":"keep"}\n---']);
});

test.each([
  [true, "COMPLETED", undefined],
  [false, "FAILED", "Call of say was rejected: not today"],
])("a tool that needs approval waits for a human: approved %s", async (approved, status, reason) => {
  const workers = { ...echo, HUMAN: () => ({ approved, reason: "not today" }) };
  const ended = await run({ steps: [step("a", { q: "1" })] }, [aTool("say", { approvalRequired: true })], workers);
  expect([ended.status, ended.reasonForIncompletion]).toEqual([status, reason]);
});

test("an HTTP tool gets its arguments in path, query and body", async () => {
  const requests: { url: string | undefined; method: string | undefined; body: string }[] = [];
  const target = createServer(async (request, response) => {
    const body = (await request.toArray()).join("");
    requests.push({ url: request.url, method: request.method, body });
    response.setHeader("content-type", "application/json").end('{"found": true}');
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  const get = { name: "get", toolType: "http", config: { url: `${url}/v1`, pathTemplate: "/item/{id}" } };
  const post = { name: "post", toolType: "http", config: { url: `${url}/v1`, method: "post", queryParams: ["q"] } };
  const plan = {
    steps: [
      step("a", { q: "1" }),
      { id: "b", operations: [{ tool: "get", args: { id: "a b/c", tags: ["x", "y&z"], none: null } }] },
      { id: "c", depends_on: ["a"], operations: [{ tool: "get", args: { id: { $ref: "a" }, q: "${x}" } }] },
      { id: "d", operations: [{ tool: "post", args: { q: "1", name: "${y}" } }] },
    ],
  };
  const { status } = await run(plan, [aTool("say"), get, post]);
  target.close();
  expect(status).toBe("COMPLETED");
  expect(requests).toEqual([
    { method: "GET", url: "/v1/item/a%20b%2Fc?tags=x&tags=y%26z", body: "" },
    { method: "GET", url: "/v1/item/said%20%221%22?q=%24%7Bx%7D", body: "" },
    { method: "POST", url: "/v1?q=1", body: '{"name":"${y}"}' },
  ]);
});
