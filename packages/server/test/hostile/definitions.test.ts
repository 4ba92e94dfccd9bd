import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client, Json } from "../support/client.ts";
import { aName, aTask, aWorkflow, entry, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { expectAlive, expectRefusal } from "./wire.ts";

let server: TestServer;
let client: Client;
beforeAll(async () => {
  server = await startServer();
  client = server.client;
});
afterAll(async () => {
  await expectAlive(client);
  await server.close();
  expect(server.errors).toEqual([]);
});

const many = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const jq = (ref: string, x: unknown): Json =>
  entry("JSON_JQ_TRANSFORM", ref, { inputParameters: { queryExpression: ".x", x } });
const set = (ref: string, v: unknown): Json => entry("SET_VARIABLE", ref, { inputParameters: { v } });

async function timed<T>(work: Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  const startedAt = performance.now();
  return { result: await work, ms: performance.now() - startedAt };
}

/** Starts a definition that comes with the request. */
const startGiven = (tasks: readonly Json[], input: Json = {}, more: Json = {}) => {
  const name = aName("given");
  return client.post("/workflow", { name, input, workflowDef: aWorkflow(name, tasks, more) });
};

describe("expressions", () => {
  test.each([
    "${${workflow.input.a}}",
    "${workflow.input.${workflow.input.a}}",
    "${${${${${workflow.input.a}}}}}",
    "${",
    "}${",
    "${workflow.input.a",
    "$${workflow.input.a}",
    "${workflow}",
    "${workflow.input..a}",
    "${workflow.input[?(@.a==1)]}",
    "${workflow.input.a[99999999999999999999]}",
    "${workflow.input.__proto__.__proto__}",
    "${workflow.input.constructor.constructor}",
  ])("however written are read once or refused: %s", (text) => expectReadOrRefused(text));

  test.each([
    ["openings", "${".repeat(100_000)],
    ["names", `\${workflow.input.${"a.".repeat(50_000)}a}`],
    ["places", `\${workflow.input.a${"[0]".repeat(50_000)}}`],
  ])("of very many %s are read once or refused", (_what, text) => expectReadOrRefused(text));

  async function expectReadOrRefused(text: string): Promise<void> {
    const { result: answer, ms } = await timed(startGiven([set("s", text), jq("j", text)], { a: "a" }));
    if (answer.status === 200) expect(await client.ended(answer.text)).toMatchObject({ status: "COMPLETED" });
    else expectRefusal(text.slice(0, 40), answer);
    expect(ms).toBeLessThan(3000);
  }

  test("that refer to each other in a long chain are followed", async () => {
    const chain = many(1000, (n) => set(`s${n}`, n === 0 ? "${workflow.input.a}" : "${workflow.variables.v}"));
    const { text: id } = await startGiven(chain, { a: "x" });
    expect(await client.ended(id)).toMatchObject({ status: "COMPLETED", variables: { v: "x" } });
  });

  test.each([
    [
      "variables",
      (n: number) => set(`s${n}`, n === 0 ? "0123456789" : "${workflow.variables.v}${workflow.variables.v}"),
    ],
    [
      "texts",
      (n: number) => jq(`j${n}`, n === 0 ? "0123456789" : `\${j${n - 1}.output.result}\${j${n - 1}.output.result}`),
    ],
  ])("that double %s again and again end where payloads end", async (_what, step) => {
    const { text: id } = await startGiven(many(40, step));
    const { status, reasonForIncompletion } = await client.ended(id);
    expect([status, reasonForIncompletion]).toEqual([
      "FAILED",
      expect.stringContaining("greater than the permissible limit"),
    ]);
  });

  test("are refused where a payload would be too large, not tried", async () => {
    const { text: id } = await startGiven([jq("j", "${workflow.input.a}".repeat(200))], { a: "x".repeat(100_000) });
    expect(await client.ended(id)).toMatchObject({
      status: "FAILED",
      reasonForIncompletion: expect.stringContaining("20000"),
    });
  });

  test("in inputs nested as deep as allowed are found", async () => {
    const nested = many(900, () => 0).reduce<unknown>((inner) => ({ n: inner }), "${workflow.input.a}");
    const answer = await startGiven([set("s", nested)], { a: "deep" });
    expect(answer.status).toBe(200);
    expect((await client.get(`/workflow/${answer.text}`)).text).toContain('{"n":"deep"}');
  });
});

describe("a definition of 10,000 tasks", () => {
  const tasks = many(10_000, (n) => simple(`big_${n}`, `t${n}`));

  test("is checked, kept, started, read and ended, each within seconds", async () => {
    const name = aName("big");
    const def = aWorkflow(name, tasks);
    const steps: Record<string, number> = {};
    const step = async <T>(what: string, work: Promise<T>): Promise<T> => {
      const { result, ms } = await timed(work);
      steps[what] = ms;
      return result;
    };
    expect((await step("validate", client.post("/metadata/workflow/validate", def))).status).toBe(200);
    await step("register", client.register(def));
    const id = await step("start", client.start(name));
    expect((await step("read", client.execution(id))).tasks).toHaveLength(1);
    await client.complete(await client.take("big_0"));
    expect((await step("read again", client.execution(id))).tasks).toHaveLength(2);
    await step("terminate", client.delete(`/workflow/${id}`));
    for (const [what, ms] of Object.entries(steps)) expect([what, ms < 3000]).toEqual([what, true]);
  });

  test("side by side is started and ended", async () => {
    const branches = tasks.map((task) => [task]);
    const { result, ms } = await timed(
      startGiven([entry("FORK_JOIN", "f", { forkTasks: branches }), entry("JOIN", "j", { joinOn: ["t0"] })]),
    );
    expect([result.status, ms < 5000]).toEqual([200, true]);
    expect((await client.delete(`/workflow/${result.text}`)).status).toBe(200);
  });

  test("with one name used twice is refused once, not ten thousand times", async () => {
    const { result, ms } = await timed(startGiven(many(10_000, () => simple("same", "same"))));
    expect([result.status, ms < 3000]).toEqual([400, true]);
    expect((result.json as { validationErrors: unknown[] }).validationErrors).toHaveLength(1);
  });
});

test("tasks inside tasks, as deep as JSON may be, run", async () => {
  const leaf: Json[] = [entry("NOOP", "leaf")];
  const deep = many(100, (n) => n).reduce(
    (inner, n) => [
      entry("SWITCH", `s${n}`, {
        evaluatorType: "value-param",
        expression: "k",
        inputParameters: { k: "a" },
        decisionCases: { a: inner },
      }),
    ],
    leaf,
  );
  const { text: id } = await startGiven(deep);
  expect((await client.ended(id)).tasks).toHaveLength(101);
});

test("a loop without end can be ended, and holds nobody up meanwhile", async () => {
  const { text: id } = await startGiven([
    entry("DO_WHILE", "l", { loopCondition: "true", evaluatorType: "graaljs", loopOver: [entry("NOOP", "n")] }),
  ]);
  for (let n = 0; n < 20; n++) expect((await timed(client.get("/health"))).ms).toBeLessThan(1000);
  await client.delete(`/workflow/${id}`);
  expect(await client.execution(id)).toMatchObject({ status: "TERMINATED" });
});

test.each([
  ["refers to nothing", { $ref: "#/definitions/nobody" }],
  ["refers elsewhere", { $ref: "http://127.0.0.1:1/schema.json" }],
  ["contains itself", { properties: { a: { $ref: "#" } } }],
  ["is no schema", { type: "nothing", properties: 5 }],
  ["has a pattern that is none", { properties: { a: { pattern: "(" } } }],
  ["is deep", many(300, () => 0).reduce<Json>((inner) => ({ properties: { a: inner } }), { type: "string" })],
])("an input schema that %s is answered in words", async (_what, data) => {
  const name = aName("schema");
  const def = aWorkflow(name, [entry("NOOP", "n")], {
    inputSchema: { name: "s", type: "JSON", data },
    enforceSchema: true,
  });
  const registered = await client.put("/metadata/workflow", [def]);
  if (registered.status >= 300) return expectRefusal(name, registered);
  const answer = await client.post(`/workflow/${name}`, { a: "x" });
  if (answer.status >= 300) expectRefusal(name, answer);
});

test("a pattern that takes for ever holds nobody up", async () => {
  const name = aName("pattern");
  const data = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } };
  await client.register(
    aWorkflow(name, [entry("NOOP", "n")], { inputSchema: { name: "s", type: "JSON", data }, enforceSchema: true }),
  );
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const refused = await client.post(`/workflow/${name}`, { a: `${"a".repeat(40)}!` });
  delay.disable();
  expect(delay.max / 1e6).toBeLessThan(500);
  expectRefusal("the pattern", refused);
});

test("retries, delays and timeouts as large as numbers go wait, and nothing more", async () => {
  const type = aName("patient");
  const most = 2 ** 31 - 1;
  await client.registerTasks(
    aTask(type, {
      retryCount: most,
      retryDelaySeconds: most,
      retryLogic: "EXPONENTIAL_BACKOFF",
      backoffScaleFactor: most,
      timeoutSeconds: Number.MAX_SAFE_INTEGER,
      responseTimeoutSeconds: most,
      pollTimeoutSeconds: most,
      concurrentExecLimit: most,
    }),
  );
  const { text: id } = await startGiven(
    [simple(type, "t"), simple(type, "u", { startDelay: most })],
    {},
    { timeoutSeconds: Number.MAX_SAFE_INTEGER, timeoutPolicy: "TIME_OUT_WF" },
  );
  await client.fail(await client.take(type));
  expect(await client.execution(id)).toMatchObject({
    status: "RUNNING",
    tasks: [{ status: "FAILED" }, { status: "SCHEDULED" }],
  });
});
