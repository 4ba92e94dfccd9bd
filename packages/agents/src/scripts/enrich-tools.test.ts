import type { JsonObject } from "@downbeat/engine";
import { describe, expect, test } from "vitest";
import { run } from "../../test/support/run-script.ts";
import type { Dispatch } from "./calls/call.ts";
import { callsFor } from "./calls/calls.ts";
import { enrichTools } from "./enrich-tools.ts";

const dispatch = (kind: Dispatch["kind"], config: JsonObject = {}, more: Partial<Dispatch> = {}): Dispatch => ({
  kind,
  target: "SIMPLE",
  retryCount: 2,
  retryDelaySeconds: 2,
  optional: true,
  config,
  ...more,
});

const calls = callsFor(["worker", "http", "agent", "human", "messages", "system", "mcp"]);

const enriched = (input: Parameters<typeof enrichTools>[0], known: Parameters<typeof enrichTools>[1]) =>
  run(enrichTools, input, known, calls);

const call = (name: string, args: JsonObject = {}) => ({
  taskReferenceName: "call_1",
  name,
  inputParameters: { ...args, method: name },
});

/** The task one call becomes. */
function taskOf(tool: Dispatch, args: JsonObject, more: object = {}): JsonObject {
  const input = { toolCalls: [call("t", args)], userPrompt: "the prompt", ...more };
  const [task] = enriched(input, { tools: { t: tool }, hasDiscovery: false }).dynamicTasks;
  if (task === undefined) throw new Error("Expected a task");
  return task;
}

const requestOf = (config: JsonObject, args: JsonObject): JsonObject => {
  const { http_request: request } = taskOf(dispatch("http", config), args)["inputParameters"] as {
    http_request: JsonObject;
  };
  return request;
};

describe("an HTTP tool", () => {
  test.each([
    [{ url: "http://h/x" }, { a: "1 2", b: null, c: "" }, "http://h/x?a=1%202"],
    [{ url: "http://h/x?y=1#z" }, { a: [1, 2] }, "http://h/x?y=1&a=1&a=2#z"],
    [{ url: "http://h/x" }, { a: { b: 1 } }, "http://h/x?a=%7B%22b%22%3A1%7D"],
    [{ url: "http://h", pathTemplate: "/u/{id}" }, { id: "a/b" }, "http://h/u/a%2Fb"],
    [{ url: "http://h", method: "post", places: { q: "query" } }, { q: "1", n: "2" }, "http://h?q=1"],
  ])("%j with %j calls %s", (config, args, uri) => {
    expect(requestOf(config, args)["uri"]).toBe(uri);
  });

  test("sends what is left as the body, unless the method has none", () => {
    expect(requestOf({ url: "http://h", method: "put" }, { a: 1 })["body"]).toEqual({ a: 1 });
    expect("body" in requestOf({ url: "http://h", method: "delete" }, { a: 1 })).toBe(false);
  });

  test("has its secret as an expression, and the model's own texts escaped", () => {
    const request = requestOf(
      { url: "http://h", method: "POST", headers: { A: "Bearer #{MY.key}" } },
      { n: "${x} #{Y}" },
    );
    expect(request["headers"]).toEqual({ A: "Bearer ${workflow.secrets.MY.key}" });
    expect(request["body"]).toEqual({ n: "$${x} #{Y}" });
  });
});

test.each([
  [{ prompt: "p", request: "r" }, "r"],
  [{ topic: "t" }, "t"],
  [{ n: 1 }, "the prompt"],
])("an agent called with %j is asked %j", (args, prompt) => {
  const task = taskOf(dispatch("agent", {}, { target: "child", version: 3 }), args);
  expect(task).toMatchObject({
    type: "SUB_WORKFLOW",
    subWorkflowParam: { name: "child", version: 3 },
    inputParameters: { prompt, session_id: "${workflow.input.session_id}" },
  });
});

test("a time limit and retries stand on tasks the server runs; a worker's are in its task definition", () => {
  const limits = { timeoutSeconds: 30, retryCount: 5, retryDelaySeconds: 7 };
  expect(taskOf(dispatch("system", {}, { ...limits, target: "GENERATE_PDF" }), {})).toMatchObject({
    name: "generate_pdf",
    retryCount: 5,
    taskDefinition: { timeoutSeconds: 30, timeoutPolicy: "RETRY", retryLogic: "LINEAR_BACKOFF", retryDelaySeconds: 7 },
  });
  const worker = taskOf(dispatch("worker", {}, limits), {});
  expect([worker["retryCount"], "taskDefinition" in worker]).toEqual([5, false]);
});

test("a command tool is told which commands are allowed; a model cannot say so", () => {
  const task = taskOf(dispatch("worker", { allowedCommands: ["ls"] }), { _allowed_commands: ["rm"] });
  expect((task["inputParameters"] as JsonObject)["_allowed_commands"]).toEqual(["ls"]);
});

test("a message tool waits, and its failure is the run's", () => {
  expect(
    taskOf(dispatch("messages", { batchSize: 2, blocking: true }, { optional: false, retryCount: 0 }), { q: "x" }),
  ).toMatchObject({
    type: "PULL_WORKFLOW_MESSAGES",
    optional: false,
    retryCount: 0,
    inputParameters: { batchSize: 2, blocking: true },
  });
});

test("an argument of the model's that is called method stays", () => {
  const call = { taskReferenceName: "c", name: "t", inputParameters: { method: "GET", url: "u" } };
  const { dynamicTasks } = enriched(
    { toolCalls: [call], userPrompt: "" },
    { tools: { t: dispatch("system", {}, { target: "X" }) }, hasDiscovery: false },
  );
  expect(dynamicTasks[0]?.["inputParameters"]).toMatchObject({ method: "GET", url: "u" });
});

test("references are the call ids with a number; with discovery the ids alone", () => {
  const toolCalls = [call("t"), { ...call("t"), taskReferenceName: "call_2" }];
  const tools = { t: dispatch("worker") };
  const refs = (hasDiscovery: boolean) =>
    enriched({ toolCalls, userPrompt: "" }, { tools, hasDiscovery }).calls.map(({ ref }) => ref);
  expect([refs(false), refs(true)]).toEqual([
    ["call_1_0", "call_2_1"],
    ["call_1", "call_2"],
  ]);
});

test("a tool named like something every object has is unknown", () => {
  const { dynamicTasks } = enriched(
    { toolCalls: [call("constructor")], userPrompt: "" },
    { tools: { t: dispatch("worker") }, hasDiscovery: false },
  );
  expect(dynamicTasks[0]?.["inputParameters"]).toMatchObject({
    message: "Unknown tool 'constructor'. Available tools: t",
  });
});

test("addresses that discovery found are escaped, headers of the agent's own keep their secrets", () => {
  const apiConfig = {
    op: {
      baseUrl: "http://h/",
      path: "/${workflow.secrets.X}/{id}",
      method: "get",
      headers: { A: "#{X}" },
      places: { id: "path", h: "header" },
    },
  };
  const { dynamicTasks } = enriched(
    { toolCalls: [call("op", { id: "1", h: "v" })], userPrompt: "", apiConfig },
    { tools: {}, hasDiscovery: true },
  );
  expect(dynamicTasks[0]?.["inputParameters"]).toMatchObject({
    outboundPolicy: "ai",
    http_request: { uri: "http://h/$${workflow.secrets.X}/1", headers: { A: "${workflow.secrets.X}", h: "v" } },
  });
});
