import { describe, expect, test } from "vitest";
import { aWorkflow, entry, inline, noop, once, setVariable } from "../builders.ts";
import { simulate } from "../simulate.ts";

const run = (task: ReturnType<typeof entry>, options = {}, input = {}) =>
  simulate(aWorkflow().add(task), options).start(input);

describe("INLINE", () => {
  test("gives the result of its script over the other inputs", () => {
    const { x } = { x: "${workflow.input.x}" };
    const script = "JSON.stringify(Object.keys($)) + $.x";
    expect(run(inline("i", script, { x }), {}, { x: 1 }).task("i").output).toEqual({ result: '["x"]1' });
  });

  test("value-param reads one input", () => {
    const task = entry("INLINE", "i", { inputParameters: { evaluatorType: "value-param", expression: "v", v: [1] } });
    expect(run(task).output).toEqual({ result: [1] });
  });

  test("a script error fails it for good, with the message as output", () => {
    const failed = run(inline("i", "$.a.b")).task("i");
    expect(failed.status).toBe("FAILED_WITH_TERMINAL_ERROR");
    expect(failed.output).toEqual({ error: failed.reasonForIncompletion });
  });

  test("a script that takes too long fails it, and may be retried", () => {
    const evaluateScript = () => ({
      kind: "timeout" as const,
      message: "Script not evaluated within 4 seconds, interrupted.",
    });
    const ended = run(inline("i", "for(;;);", {}, { retryCount: 1 }), {
      evaluateScript,
      taskDefs: { i: { retryDelaySeconds: 0 } },
    });
    expect(ended.list).toEqual(["i:FAILED", "i:FAILED"]);
  });

  test("an unknown evaluator fails it for good", () => {
    const task = entry("INLINE", "i", { inputParameters: { evaluatorType: "cobol", expression: "1" } });
    expect(run(task).task("i").reasonForIncompletion).toBe("Unknown evaluator 'cobol' in INLINE task.");
  });
});

describe("LAMBDA", () => {
  test("runs its script as the body of a function", () => {
    const task = entry("LAMBDA", "l", {
      inputParameters: { scriptExpression: "if ($.x > 1) return 'big'; return 'small'", x: 2 },
    });
    expect(run(task).output).toEqual({ result: "big" });
  });

  test("any error fails it", () => {
    expect(run(entry("LAMBDA", "l", { inputParameters: { scriptExpression: "return $.a.b" } })).task("l").status).toBe(
      "FAILED",
    );
    expect(run(entry("LAMBDA", "l")).task("l").reasonForIncompletion).toMatch(/^Empty 'scriptExpression'/);
  });
});

describe("JSON_JQ_TRANSFORM", () => {
  const jq = (queryExpression: unknown, data = {}) =>
    entry("JSON_JQ_TRANSFORM", "j", { inputParameters: { queryExpression, ...data } });

  test("gives the first result and all of them, over the other inputs only", () => {
    expect(run(jq(".", { a: 1 })).output).toEqual({ result: { a: 1 }, resultList: [{ a: 1 }] });
    expect(run(jq("empty")).output).toEqual({ result: null, resultList: [] });
    expect(run(jq(".a", {})).output).toEqual({ result: null, resultList: [null] });
  });

  test("an error fails it and is its output", () => {
    expect(run(jq(".a.b", { a: 1 })).task("j")).toMatchObject({
      status: "FAILED",
      reasonForIncompletion: 'Cannot index number with string "b"',
      output: { error: 'Cannot index number with string "b"' },
    });
    expect(run(jq(7)).task("j").reasonForIncompletion).toBe("Missing 'queryExpression' in input parameters");
  });
});

describe("SET_VARIABLE", () => {
  test("lays its input over the variables", () => {
    const workflow = aWorkflow()
      .add(setVariable("v", { a: 2, c: "${workflow.variables.b}" }))
      .with({ variables: { a: 1, b: 1 } });
    const ended = simulate(workflow).start();
    expect(ended.variables).toEqual({ a: 2, b: 1, c: 1 });
    expect(ended.task("v").output).toEqual({});
  });

  test("variables over the limit are not set, and the task fails for good", () => {
    const ended = run(setVariable("v", { a: "x".repeat(2000) }), { settings: { maxVariablesBytes: 1024 } });
    expect(ended.variables).toEqual({});
    expect(ended.task("v")).toMatchObject({
      status: "FAILED_WITH_TERMINAL_ERROR",
      reasonForIncompletion: `The variables payload size: 2008 of workflow: ${ended.id} is greater than the permissible limit: 1 kilobytes`,
    });
  });
});

test("NOOP completes at once and keeps no input", () => {
  expect(run(noop("n", { inputParameters: { a: 1 } })).task("n")).toMatchObject({
    status: "COMPLETED",
    input: {},
    output: {},
  });
});

describe("HTTP", () => {
  const http = entry("HTTP", "h", { inputParameters: { http_request: { uri: "u", method: "GET" } } });

  test("is work for the server, queued under its type", () => {
    const started = run(http);
    expect(started.work("h")).toMatchObject({ state: "ready", queue: "HTTP" });
    expect(started.task("h").input).toEqual({ asyncComplete: false, http_request: { uri: "u", method: "GET" } });
  });

  test("is offered again when its executor asks for a callback", () => {
    const started = run(http).progress("h", { callbackAfterSeconds: 5 });
    expect(started.poll("HTTP")).toBeUndefined();
    expect(started.advance(5000).poll("HTTP")).toBeDefined();
  });
});

describe("DYNAMIC", () => {
  const dynamic = (which: unknown, extra = {}) =>
    entry("DYNAMIC", "d", { dynamicTaskNameParam: "which", inputParameters: { which, a: 1, ...extra } });

  test("becomes the worker task its input names", () => {
    const started = run(dynamic("pay"));
    expect(started.poll("pay")).toMatchObject({ taskType: "pay", taskDefName: "pay", input: { which: "pay", a: 1 } });
    expect(started.complete("d").status).toBe("COMPLETED");
  });

  test("becomes a system task", () => {
    expect(run(dynamic("NOOP")).status).toBe("COMPLETED");
    expect(run(dynamic("HTTP")).work("d")?.queue).toBe("HTTP");
  });

  test("becomes a sub-workflow, named by its input", () => {
    const workflows = [aWorkflow("kid").once("k").def];
    const started = run(dynamic("SUB_WORKFLOW", { subWorkflowName: "kid" }), { workflows });
    expect(started.child("d").status).toBe("RUNNING");
    started.child("d").complete("k");
    expect(started.status).toBe("COMPLETED");
  });

  test("without a name fails the execution", () => {
    const ended = run(dynamic(null));
    expect(ended.reason).toBe(
      "Cannot map a dynamic task based on the parameter and input. Parameter= which, input= {which=null, a=1}",
    );
  });

  test("cannot become a container", () => {
    expect(run(dynamic("SWITCH")).reason).toBe(
      "Invalid task specified.  Cannot find task by name SWITCH in the task definitions",
    );
  });
});

test("a definition without tasks completes at once", () => {
  const ended = simulate(aWorkflow()).start();
  expect([ended.status, ended.reason]).toEqual(["COMPLETED", "No tasks found to be executed"]);
});

test("ten instant tasks in a row are one commit", () => {
  const tasks = Array.from({ length: 10 }, (_, index) => noop(`n${index}`));
  const started = simulate(aWorkflow().add(...tasks, once("w"))).start();
  expect(started.head.rev).toBe(1);
  expect(started.task("w").seq).toBe(11);
});
