import { describe, expect, test } from "vitest";
import { RawJson, substituteSecrets } from "../src/index.ts";
import {
  aWorkflow,
  doWhile,
  dynamicFork,
  entry,
  human,
  inline,
  join,
  noop,
  once,
  repeat,
  setVariable,
  simple,
  subWorkflow,
  switchOn,
  wait,
} from "./builders.ts";
import { simulate } from "./simulate.ts";

/**
 * Sharp edges of the reference, each with what we do instead. Those that concern the server and not the engine are
 * tested there: S3 (one mailbox per execution), S6 (process variables: the context's allow-list), S23 (limits at the
 * claim), S24 (HTTP), S25 (event conditions), S29 (workflow test), S33 (webhook outbox). S1 is constant-cost.test.ts.
 */

const kid = aWorkflow("kid").once("k").def;

test("S2: a JOIN and the parent advance in the same transition as the last branch", () => {
  const run = simulate(
    aWorkflow()
      .fork([once("a")], [once("b")])
      .join("j", ["a", "b"])
      .once("after"),
  ).start();
  run.complete("a");
  const { rev } = run.head;
  run.complete("b");
  expect(run.head.rev).toBe(rev + 1);
  expect(run.task("after").status).toBe("SCHEDULED");
});

describe("S4: a definition that cannot work fails its task instead of getting stuck", () => {
  test.each([
    ["a bad WAIT duration", wait("x", { duration: "soon" }), "Not valid duration: soon"],
    [
      "an INLINE expression that is no text",
      entry("INLINE", "x", { inputParameters: { evaluatorType: "graaljs", expression: 7 } }),
      "Empty 'expression' in Inline task's input parameters. A non-empty String value must be provided.",
    ],
    [
      "a keepLastN that is no whole number",
      doWhile("x", "false", [noop("n")], { inputParameters: { keepLastN: "two" } }),
      'Expected keepLastN of "x" to be a whole number, got "two"',
    ],
  ])("%s", (_what, task, reason) => {
    const run = simulate(aWorkflow().add(task)).start();
    expect(run.task("x").status).toBe("FAILED_WITH_TERMINAL_ERROR");
    expect(run.task("x").reasonForIncompletion).toBe(reason);
    expect(run.status).toBe("FAILED");
  });

  test("a sub-workflow without a name", () => {
    const run = simulate(aWorkflow().add(entry("SUB_WORKFLOW", "x", { subWorkflowParam: {} }))).start();
    expect(run.task("x").status).toBe("FAILED");
    expect(run.status).toBe("FAILED");
  });
});

test("S5: a task whose work cannot be started fails at once", () => {
  const run = simulate(aWorkflow().add(subWorkflow("s", "ghost"))).start();
  expect(run.task("s")).toMatchObject({
    status: "FAILED",
    reasonForIncompletion: "No such workflow defined. name=ghost, version=null",
  });
});

describe("S7: only references written in a definition are secrets", () => {
  const secret = "${workflow.secrets.KEY}";
  const handedOver = (run: ReturnType<typeof start>, ref: string) => {
    const task = run.task(ref);
    const places = task.secrets === undefined ? [] : JSON.parse(task.secrets);
    return substituteSecrets(task.input, places, () => "hush");
  };
  const start = (workflow: Parameters<typeof simulate>[0], input = {}) =>
    simulate(workflow, {
      workflows: [aWorkflow("kid").once("k", { inputParameters: { got: "${workflow.input.key}" } }).def],
      secrets: { KEY: "hush" },
    }).start(input);

  test("a worker is handed the secret, and it is not stored", () => {
    const run = start(aWorkflow().once("w", { inputParameters: { key: secret } }));
    expect(run.task("w").input).toEqual({ key: secret });
    expect(handedOver(run, "w")).toEqual({ key: "hush" });
  });

  test("a caller's text that looks like one stays text", () => {
    const workflow = aWorkflow().once("w", { inputParameters: { key: "${workflow.input.key}" } });
    const run = start(workflow, { key: secret });
    expect(handedOver(run, "w")).toEqual({ key: secret });
  });

  test("the mark follows the value into a child", () => {
    const run = start(aWorkflow().add(subWorkflow("s", "kid", { inputParameters: { key: secret } })));
    expect(run.child("s").input).toEqual({ key: secret });
    expect(handedOver(run.child("s"), "k")).toEqual({ got: "hush" });
  });

  test("the mark follows the value into an execution that START_WORKFLOW starts", () => {
    const startWorkflow = { name: "kid", input: { key: secret } };
    const run = start(aWorkflow().add(entry("START_WORKFLOW", "s", { inputParameters: { startWorkflow } })));
    expect(handedOver(run.child("s"), "k")).toEqual({ got: "hush" });
  });

  test("the mark follows the value through a variable, which does not hold the secret", () => {
    const workflow = aWorkflow()
      .add(setVariable("v", { key: secret }))
      .once("w", { inputParameters: { got: "${workflow.variables.key}" } });
    const run = start(workflow);
    expect(run.variables).toEqual({ key: secret });
    expect(handedOver(run, "w")).toEqual({ got: "hush" });
  });

  test("an input given to a rerun is a caller's text, whatever stood there before", () => {
    const run = start(aWorkflow().once("w", { inputParameters: { key: secret } })).complete("w");
    run.rerun({ from: "w", taskInput: { key: secret } });
    expect(handedOver(run, "w")).toEqual({ key: secret });
  });

  test("an instant task runs with the secret", () => {
    const run = start(aWorkflow().add(inline("i", "$.key.length", { key: secret })));
    expect(run.task("i").output).toEqual({ result: 4 });
    expect(run.task("i").input["key"]).toBe(secret);
  });
});

test("S8: data of a dynamic fork is not evaluated a second time, the entries' own parameters are", () => {
  const tasks = [simple("w", { inputParameters: { from: "${workflow.input.name}" } })];
  const run = simulate(
    aWorkflow().add(...dynamicFork("f", "${workflow.input.tasks}", "${workflow.input.inputs}")),
  ).start({
    name: "Ada",
    tasks,
    inputs: { w: { data: "${workflow.input.name}" } },
  } as never);
  expect(run.task("w").input).toEqual({ from: "Ada", data: "${workflow.input.name}" });
});

test("S10: a HUMAN task does not stop the clock of the workflow", () => {
  const workflow = aWorkflow().add(human("h")).with({ timeoutSeconds: 60, timeoutPolicy: "TIME_OUT_WF" });
  expect(simulate(workflow).start().advance(61_000).status).toBe("TIMED_OUT");
});

test("S10: a HUMAN task times out by its own definition", () => {
  const taskDefs = { h: { timeoutSeconds: 5, timeoutPolicy: "TIME_OUT_WF", retryCount: 0 } };
  const run = simulate(aWorkflow().add(human("h")), { taskDefs })
    .start()
    .advance(6000);
  expect([run.status, run.task("h").status]).toEqual(["TIMED_OUT", "TIMED_OUT"]);
});

test("S11: reference names that hold two underscores work in a loop", () => {
  const body = [inline("a__b", "1"), inline("c__2x", "$.v + 1", { v: "${a__b.output.result}" })];
  const run = simulate(aWorkflow().add(repeat("loop", 2, body))).start();
  expect(run.list).toEqual([
    "loop:COMPLETED",
    "a__b__1:COMPLETED",
    "c__2x__1:COMPLETED",
    "a__b__2:COMPLETED",
    "c__2x__2:COMPLETED",
  ]);
  expect(run.task("c__2x__2").output).toEqual({ result: 2 });
});

describe("S12: loops in loops", () => {
  const workflow = aWorkflow().add(repeat("outer", 2, [once("a"), repeat("inner", 2, [once("b")])]));
  const start = () => {
    const run = simulate(workflow.output({ last: "${b.output.n}", first: "${b__1__2.output.n}" })).start();
    for (const round of [1, 2]) {
      run.complete("a", { round });
      run.complete("b", { n: round * 10 + 1 }).complete("b", { n: round * 10 + 2 });
    }
    return run;
  };

  test("have names with both iterations and the inner one as their iteration", () => {
    const run = start();
    expect(run.status).toBe("COMPLETED");
    expect(run.list).toEqual([
      "outer:COMPLETED",
      "a__1:COMPLETED",
      "inner__1:COMPLETED",
      "b__1__1:COMPLETED",
      "b__1__2:COMPLETED",
      "a__2:COMPLETED",
      "inner__2:COMPLETED",
      "b__2__1:COMPLETED",
      "b__2__2:COMPLETED",
    ]);
    expect(run.task("b__1__2").iteration).toBe(2);
    expect(run.task("inner__2").iteration).toBe(2);
  });

  test("are found by bare name, youngest first, or by the whole name", () => {
    expect(start().output).toEqual({ last: 22, first: 12 });
  });

  test("put their outputs inside one another", () => {
    const run = start();
    expect(run.task("outer").output["2"]).toMatchObject({
      a: { round: 2 },
      inner: { "1": { b: { n: 21 } }, iteration: 2 },
    });
  });
});

describe("S13: a container among forked tasks runs all it holds", () => {
  test.each([
    ["SWITCH", switchOn("c", "x", { x: [once("a"), once("b")] })],
    ["FORK_JOIN", entry("FORK_JOIN", "c", { forkTasks: [[once("a"), once("b")]] })],
    ["DO_WHILE", repeat("c", 1, [once("a"), once("b")])],
  ])("%s", (_type, container) => {
    const run = simulate(
      aWorkflow()
        .add(...dynamicFork("f", [container]))
        .once("after"),
    ).start();
    run.complete("a");
    expect(run.has("after")).toBe(false);
    run.complete("b");
    expect(run.task("f_join").status).toBe("COMPLETED");
    expect(run.complete("after").status).toBe("COMPLETED");
  });
});

describe("S14: a rerun removes what follows in the graph, nothing else", () => {
  const workflow = aWorkflow()
    .fork([once("a1"), once("a2")], [once("b1")])
    .join("j", ["a2", "b1"])
    .once("after");
  const ended = () => {
    const run = simulate(workflow).start();
    return run.complete("a1", { v: 1 }).complete("b1", { v: 2 }).complete("a2").complete("after", { z: 1 });
  };

  test("a finished parallel branch stays", () => {
    const run = ended().rerun({ from: "a1" });
    expect(run.list).toEqual(["fork:COMPLETED", "a1:SCHEDULED", "b1:COMPLETED", "j:IN_PROGRESS"]);
    expect(run.complete("a1").complete("a2").complete("after").status).toBe("COMPLETED");
  });

  test("output, end time and clocks of the task are gone", () => {
    const run = ended().advance(5000).rerun({ from: "after" });
    expect(run.task("after")).toMatchObject({ output: {}, endTime: 0, startTime: 0, scheduledTime: run.world.now });
  });

  test("a rerun from a loop runs the loop from its first iteration", () => {
    const run = simulate(aWorkflow().add(repeat("l", 2, [once("w")])))
      .start()
      .complete("w")
      .complete("w");
    run.rerun({ from: "l" });
    expect(run.list).toEqual(["l:IN_PROGRESS", "w__1:SCHEDULED"]);
    expect(run.complete("w").complete("w").status).toBe("COMPLETED");
  });

  test("a WAIT waits anew", () => {
    const run = simulate(aWorkflow().add(wait("w", { duration: "10s" })))
      .start()
      .advance(10_000);
    expect(run.status).toBe("COMPLETED");
    run.rerun({ from: "w" });
    expect(run.advance(9000).status).toBe("RUNNING");
    expect(run.advance(1000).status).toBe("COMPLETED");
  });
});

test("S15: a retry clears what the end left, and the next end sets it once", () => {
  const run = simulate(aWorkflow().once("w")).start().fail("w").retry();
  expect(run.head.failedTaskNo).toBeUndefined();
  expect(run.head.endTime).toBe(0);
  run.advance(1000).fail("w");
  const { endTime } = run.head;
  run.advance(1000);
  run.decide();
  expect(run.head.endTime).toBe(endTime);
  expect(run.head.failedTaskNo).toBe(run.task("w").no);
});

test("S16: variables are a copy of the definition's, and restart resets them", () => {
  const simulation = simulate(
    aWorkflow()
      .add(setVariable("v", { n: 2 }))
      .once("w")
      .with({ variables: { n: 1 } }),
  );
  const run = simulation.start();
  expect(run.variables).toEqual({ n: 2 });
  expect(simulation.start().variables).toEqual({ n: 2 });
  run.fail("w").restart();
  expect(run.variables).toEqual({ n: 2 });
  const before = simulate(
    aWorkflow()
      .once("w")
      .add(setVariable("v", { n: 2 }))
      .with({ variables: { n: 1 } }),
  ).start();
  before.complete("w").restart();
  expect(before.variables).toEqual({ n: 1 });
});

describe("S17: templates", () => {
  test("a workflow's inputTemplate fills what the caller left out, even everything", () => {
    const simulation = simulate(
      aWorkflow()
        .once("w")
        .with({ inputTemplate: { a: 1, b: 2 } }),
    );
    expect(simulation.start().input).toEqual({ a: 1, b: 2 });
    expect(simulation.start({ b: 3 }).input).toEqual({ a: 1, b: 3 });
  });

  test("a key that resolves to null takes the resolved value of the task's template", () => {
    const taskDefs = { w: { inputTemplate: { a: "${workflow.input.fallback}", c: 1 } } };
    const workflow = aWorkflow().simple("w", { inputParameters: { a: "${workflow.input.missing}" } });
    const run = simulate(workflow, { taskDefs }).start({ fallback: "plan B" });
    expect(run.task("w").input).toEqual({ a: "plan B", c: 1 });
  });
});

test("S18: a SUB_WORKFLOW without inputParameters gives its child an empty input", () => {
  const run = simulate(aWorkflow().add(subWorkflow("s", "kid")), { workflows: [kid] }).start();
  expect(run.child("s").input).toEqual({});
});

test("S19: a sub-workflow's name may be an expression, and the latest version is looked up at its launch", () => {
  const workflows = [kid, { ...kid, version: 3 }];
  const run = simulate(aWorkflow().add(subWorkflow("s", "${workflow.input.which}")), { workflows }).start({
    which: "kid",
  });
  expect(run.child("s").head.workflowVersion).toBe(3);
});

test("S20: a DYNAMIC task uses the definition of the task it becomes", () => {
  const taskDefs = { real: { retryCount: 1, retryDelaySeconds: 0, responseTimeoutSeconds: 5 } };
  const dynamic = entry("DYNAMIC", "d", { dynamicTaskNameParam: "which", inputParameters: { which: "real" } });
  const run = simulate(aWorkflow().add(dynamic), { taskDefs }).start();
  run.poll("real");
  run.advance(5000);
  expect(run.list).toEqual(["d:TIMED_OUT", "d:SCHEDULED"]);
});

describe("S21: retry delays", () => {
  test("of instant tasks are honoured", () => {
    const taskDefs = { i: { retryCount: 1, retryDelaySeconds: 10 } };
    const jq = entry("JSON_JQ_TRANSFORM", "i", { inputParameters: { queryExpression: "|" } });
    const run = simulate(aWorkflow().add(jq), { taskDefs }).start();
    expect(run.list).toEqual(["i:FAILED", "i:SCHEDULED"]);
    expect(run.advance(9000).status).toBe("RUNNING");
    expect(run.advance(1000).list).toEqual(["i:FAILED", "i:FAILED"]);
  });

  test("do not lengthen the execution timeout", () => {
    const taskDefs = { w: { retryCount: 1, retryDelaySeconds: 10, timeoutSeconds: 5, timeoutPolicy: "RETRY" } };
    const run = simulate(aWorkflow().simple("w"), { taskDefs }).start().fail("w").advance(10_000);
    run.poll("w");
    expect(run.advance(5000).list).toEqual(["w:FAILED", "w:TIMED_OUT"]);
  });

  test("put the poll timeout off by themselves, once", () => {
    const taskDefs = { w: { retryCount: 1, retryDelaySeconds: 10, pollTimeoutSeconds: 5, timeoutPolicy: "RETRY" } };
    const run = simulate(aWorkflow().simple("w"), { taskDefs }).start().fail("w");
    expect(run.advance(14_000).list).toEqual(["w:FAILED", "w:SCHEDULED"]);
    expect(run.advance(1000).list).toEqual(["w:FAILED", "w:TIMED_OUT"]);
  });
});

test("S22: a timeout with TIME_OUT_WF ends the execution although the task is optional", () => {
  const taskDefs = { w: { timeoutSeconds: 5, timeoutPolicy: "TIME_OUT_WF" } };
  const run = simulate(aWorkflow().simple("w", { optional: true }).once("x"), { taskDefs }).start();
  run.poll("w");
  expect(run.advance(5000).status).toBe("TIMED_OUT");
});

describe("S26: EXCLUSIVE_JOIN", () => {
  const exclusive = entry("EXCLUSIVE_JOIN", "ej", { joinOn: ["a", "b"], defaultExclusiveJoinTask: ["sw"] });

  test("does not take the default while a joined task runs", () => {
    const run = simulate(
      aWorkflow()
        .add(entry("FORK_JOIN", "f", { forkTasks: [[once("a")], [noop("n")]] }))
        .add(join("j", ["n"]))
        .add(entry("EXCLUSIVE_JOIN", "ej", { joinOn: ["a"], defaultExclusiveJoinTask: ["n"] })),
    ).start();
    expect(run.task("ej").status).toBe("IN_PROGRESS");
    run.complete("a", { v: 1 });
    expect(run.task("ej").output).toEqual({ v: 1 });
  });

  test("takes the default when no alternative ever ran", () => {
    const run = simulate(aWorkflow().add(switchOn("sw", "c", { a: [once("a")], b: [once("b")] }), exclusive)).start();
    expect(run.task("ej").output).toEqual({ evaluationResult: ["c"], selectedCase: "c" });
    expect(run.status).toBe("COMPLETED");
  });
});

test("S27: terminating a failed execution makes it TERMINATED and keeps its first reason in a log", () => {
  const run = simulate(aWorkflow().once("w")).start().fail("w", "first");
  run.terminate("second");
  expect([run.status, run.reason]).toEqual(["TERMINATED", "second"]);
  expect(run.logs("w")).toEqual([
    `Terminated after FAILED: Task ${run.task("w").id} failed with status: FAILED and reason: 'first'`,
  ]);
});

test("S28: a child that is over already does not keep its parent from ending", () => {
  const workflow = aWorkflow()
    .fork([subWorkflow("s1", "kid")], [subWorkflow("s2", "kid")])
    .join("j", ["s1", "s2"]);
  const run = simulate(workflow, { workflows: [kid] }).start();
  run.child("s1").complete("k");
  run.terminate();
  expect(run.status).toBe("TERMINATED");
  expect([run.child("s1").status, run.child("s2").status]).toEqual(["COMPLETED", "TERMINATED"]);
});

describe("S30: what a result leaves out stays", () => {
  test("output is replaced only when given", () => {
    const run = simulate(aWorkflow().once("w"))
      .start()
      .progress("w", { output: { a: 1 } });
    run.report("w", "COMPLETED");
    expect(run.task("w").output).toEqual({ a: 1 });
  });

  test("the child of a SUB_WORKFLOW task stays known", () => {
    const run = simulate(aWorkflow().add(subWorkflow("s", "kid")), { workflows: [kid] }).start();
    const child = run.task("s").subWorkflowId;
    run.progress("s");
    expect(run.task("s").subWorkflowId).toBe(child);
  });
});

test("S31: a paused execution still times out", () => {
  const workflow = aWorkflow().once("w").with({ timeoutSeconds: 10, timeoutPolicy: "TIME_OUT_WF" });
  expect(simulate(workflow).start().pause().advance(10_000).status).toBe("TIMED_OUT");
});

test("S32: resumeSubworkflowTasks with nothing to do is no error", () => {
  const run = simulate(aWorkflow().once("w")).start().complete("w");
  expect(run.retry({ resumeSubworkflowTasks: true }).status).toBe("COMPLETED");
});

test("S34: a JOIN script is run, not ignored", () => {
  const script = join("j", ["a", "b"], { evaluatorType: "graaljs", expression: "$.a && $.a.status === 'COMPLETED'" });
  const run = simulate(
    aWorkflow()
      .fork([once("a")], [once("b")])
      .add(script)
      .once("after"),
  ).start();
  run.complete("a");
  expect(run.task("j").status).toBe("COMPLETED");
  expect(run.task("after").status).toBe("SCHEDULED");
});

test("S9: an asyncComplete task is handed out once and then waits", () => {
  const http = entry("HTTP", "h", {
    asyncComplete: true,
    inputParameters: { http_request: { uri: "x", method: "GET" } },
  });
  const run = simulate(aWorkflow().add(http)).start();
  expect(run.task("h").input["asyncComplete"]).toBe(true);
  expect(run.poll("HTTP")).toBeDefined();
  run.progress("h", { output: { response: {} } });
  expect(run.poll("HTTP")).toBeUndefined();
  expect(run.advance(3_600_000).task("h").status).toBe("IN_PROGRESS");
  run.result(run.task("h").no, { status: "COMPLETED", outputMode: "merge", output: new RawJson('{"more":1}') });
  expect(run.task("h").output).toEqual({ response: {}, more: 1 });
  expect(run.status).toBe("COMPLETED");
});
