import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  ConductorWorkflow,
  doWhileTask,
  dynamicForkTask,
  dynamicTask,
  forkTask,
  forkTaskJoin,
  generate,
  generateDoWhileTask,
  generateForkJoinTask,
  generateHTTPTask,
  generateInlineTask,
  generateJoinTask,
  generateJQTransformTask,
  generateSetVariableTask,
  generateSimpleTask,
  generateSubWorkflowTask,
  generateSwitchTask,
  generateTerminateTask,
  generateWaitTask,
  httpTask,
  humanTask,
  inlineTask,
  joinTask,
  jsonJqTask,
  newLoopTask,
  pullWorkflowMessages,
  setVariableTask,
  simpleTask,
  startWorkflowTask,
  subWorkflowTask,
  switchTask,
  taskDefinition,
  taskGenMapper,
  terminateTask,
  waitTaskDuration,
  waitTaskUntil,
  workflow,
} from "@io-orkes/conductor-javascript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aName } from "../support/definitions.ts";
import { useSdk } from "./javascript-sdk.ts";

type WorkflowTask = Parameters<ConductorWorkflow["add"]>[0];

const sdk = useSdk();
const client = () => sdk.clients.getWorkflowClient();
const built = (name = aName("js_built")) => new ConductorWorkflow(client(), name);

/** Runs the tasks to where they stand still; the output is what is asked for. */
async function outcome(
  tasks: WorkflowTask[],
  output: Record<string, unknown> = {},
  input: Record<string, unknown> = {},
) {
  const definition = built();
  for (const task of tasks) definition.add(task);
  await definition.outputParameters(output).register(true);
  return await definition.execute(input);
}

const page = createServer((request, response) => {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ method: request.method, path: request.url }));
});
let pageUrl = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", resolve));
  pageUrl = `http://127.0.0.1:${(page.address() as AddressInfo).port}/page`;
});
afterAll(() => page.close());

describe("ConductorWorkflow of the JavaScript SDK", () => {
  test("says all about a definition, and the server keeps it", async () => {
    const name = aName("js_full");
    const definition = new ConductorWorkflow(client(), name, 1, "first")
      .description("what it is for")
      .version(4)
      .timeoutPolicy("ALERT_ONLY")
      .timeoutSeconds(77)
      .ownerEmail("team@example.com")
      .failureWorkflow("on_failure")
      .restartable(false)
      .inputParameters(["who"])
      .inputTemplate({ who: "nobody" })
      .variables({ v: 1 })
      .outputParameters({ a: 1 })
      .outputParameter("b", 2)
      .enableStatusListener("listener")
      .disableStatusListener()
      .add(simpleTask("s", "js_s", {}));
    expect([definition.getName(), definition.getVersion()]).toEqual([name, 4]);
    expect([definition.input("who"), definition.output("a"), definition.output()]).toEqual([
      "${workflow.input.who}",
      "${workflow.output.a}",
      "${workflow.output}",
    ]);
    await definition.register();
    const stored = await sdk.clients.getMetadataClient().getWorkflowDef(name, 4);
    expect(stored).toMatchObject({
      description: "what it is for",
      timeoutPolicy: "ALERT_ONLY",
      timeoutSeconds: 77,
      ownerEmail: "team@example.com",
      failureWorkflow: "on_failure",
      restartable: false,
      inputParameters: ["who"],
      inputTemplate: { who: "nobody" },
      variables: { v: 1 },
      outputParameters: { a: 1, b: 2 },
      workflowStatusListenerEnabled: false,
    });
    expect(stored.tasks).toMatchObject([{ name: "js_s", taskReferenceName: "s", type: "SIMPLE" }]);
    expect(definition.toWorkflowDef()).toMatchObject({ name, version: 4 });
  });

  test("starts and executes what it describes", async () => {
    const definition = built()
      .workflowInput({ who: "nobody" })
      .add(setVariableTask("set", { who: "${workflow.input.who}" }))
      .outputParameter("who", "${workflow.variables.who}");
    await definition.register(true);
    expect(await definition.execute({ who: "me" })).toMatchObject({ status: "COMPLETED", output: { who: "me" } });
    expect(await definition.execute()).toMatchObject({ output: { who: "nobody" } });
    const id = await definition.startWorkflow({ who: "you" }, "corr", 3);
    expect(await sdk.ended(id)).toMatchObject({ correlationId: "corr", priority: 3, output: { who: "you" } });
  });

  test("starts once for one idempotency key", async () => {
    const definition = built().add(waitTaskDuration("w", "1h"));
    await definition.register(true);
    const start = () => definition.startWorkflow({}, undefined, undefined, "once", "RETURN_EXISTING");
    expect(await start()).toBe(await start());
  });

  test("forks, and embeds another workflow", async () => {
    const child = built()
      .add(setVariableTask("set", { x: 5 }))
      .outputParameter("x", "${workflow.variables.x}");
    const definition = built()
      .fork([[setVariableTask("a", { a: 1 })], [setVariableTask("b", { b: 2 }), child.toSubWorkflowTask("sub")]])
      .outputParameters({ a: "${workflow.variables.a}", x: "${sub.output.x}" });
    await definition.register(true);
    expect(await definition.execute()).toMatchObject({ status: "COMPLETED", output: { a: 1, x: 5 } });
  });
});

describe("task builders of the JavaScript SDK", () => {
  test("simple and dynamic tasks go to workers", async () => {
    const name = aName("js_simple");
    await sdk.startWorkers([
      { taskDefName: name, execute: async (task) => ({ status: "COMPLETED", outputData: { got: task.inputData } }) },
    ]);
    const run = await outcome(
      [simpleTask("s", name, { a: "${workflow.input.a}" }), dynamicTask("d", "${workflow.input.which}")],
      { simple: "${s.output.got}", dynamic: "${d.output.got}" },
      { a: 1, which: name },
    );
    expect(run).toMatchObject({ status: "COMPLETED", output: { simple: { a: 1 }, dynamic: { taskToExecute: name } } });
  });

  test("http, inline and jq tasks run in the server", async () => {
    const run = await outcome(
      [
        httpTask("h", { uri: pageUrl, method: "PUT" }),
        inlineTask("i", "(function () { return 6 * 7; })();"),
        inlineTask("g", "'graal' + 'js'", "graaljs"),
        jsonJqTask("j", "1 + 2"),
      ],
      { body: "${h.output.response.body}", i: "${i.output.result}", g: "${g.output.result}", j: "${j.output.result}" },
    );
    expect(run).toMatchObject({
      status: "COMPLETED",
      output: { body: { method: "PUT", path: "/page" }, i: 42, g: "graaljs", j: 3 },
    });
  });

  test("a switch takes the case of its value, or the default", async () => {
    const tasks = [
      switchTask("which", "${workflow.input.way}", { left: [setVariableTask("l", { went: "left" })] }, [
        setVariableTask("r", { went: "elsewhere" }),
      ]),
    ];
    const output = { went: "${workflow.variables.went}" };
    expect(await outcome(tasks, output, { way: "left" })).toMatchObject({ output: { went: "left" } });
    expect(await outcome(tasks, output, { way: "up" })).toMatchObject({ output: { went: "elsewhere" } });
  });

  test("fork and join run a branch", async () => {
    const apart = [forkTask("fork", [setVariableTask("a", { a: 1 })]), joinTask("join", ["a"])];
    expect(await outcome(apart, { a: "${workflow.variables.a}" })).toMatchObject({
      status: "COMPLETED",
      output: { a: 1 },
    });
    const together = forkTaskJoin("both", [setVariableTask("b", { b: 2 })]);
    expect(await outcome([together], { b: "${workflow.variables.b}" })).toMatchObject({
      status: "COMPLETED",
      output: { b: 2 },
    });
  });

  test("a dynamic fork runs the tasks of its input", async () => {
    const inner = [1, 2].map((n) => inlineTask(`inner_${n}`, "$.n * 10"));
    const fork = dynamicForkTask("fork", inner, "${workflow.input.inputs}");
    const inputs = { inner_1: { n: 1 }, inner_2: { n: 2 } };
    const run = await outcome([fork, joinTask("join", [])], { all: "${join.output}" }, { inputs });
    expect(run).toMatchObject({
      status: "COMPLETED",
      output: { all: { inner_1: { result: 10 }, inner_2: { result: 20 } } },
    });
  });

  test("loops repeat while their condition holds", async () => {
    const counted = await outcome([newLoopTask("loop", 3, [setVariableTask("in", { x: 1 })])], {
      rounds: "${loop.output.iteration}",
    });
    expect(counted).toMatchObject({ status: "COMPLETED", output: { rounds: 3 } });
    const asked = await outcome([doWhileTask("again", "$.again['iteration'] < 2", [setVariableTask("in", { x: 1 })])], {
      rounds: "${again.output.iteration}",
    });
    expect(asked).toMatchObject({ status: "COMPLETED", output: { rounds: 2 } });
  });

  test("waits end by themselves when their time has come, a human task when somebody ends it", async () => {
    const definition = built()
      .add(waitTaskDuration("short", "0s"))
      .add(waitTaskUntil("past", "2020-01-01 00:00"))
      .add(humanTask("person", { displayName: "Please look", assignee: { userType: "EXTERNAL_USER", user: "me" } }));
    await definition.register(true);
    const id = await definition.startWorkflow();
    const execution = await sdk.plain.until(id, ({ tasks }) => tasks.length === 3);
    expect(execution.tasks.map(({ status }) => status)).toEqual(["COMPLETED", "COMPLETED", "IN_PROGRESS"]);
    expect(execution.tasks[2]?.inputData).toMatchObject({ __humanTaskDefinition: { displayName: "Please look" } });
    await client().updateTaskByRefName("person", id, "COMPLETED", { seen: true });
    expect(await sdk.ended(id)).toMatchObject({ status: "COMPLETED", output: { seen: true } });
  });

  test("terminate ends the execution there", async () => {
    const run = await outcome([terminateTask("end", "FAILED", "as told"), setVariableTask("never", { x: 1 })]);
    expect(run).toMatchObject({ status: "FAILED" });
    const execution = await client().getExecution(run.workflowId ?? "");
    expect(execution).toMatchObject({ reasonForIncompletion: expect.stringContaining("as told"), variables: {} });
    expect(execution.tasks).toHaveLength(1);
  });

  test("a sub-workflow is waited for, a started one is not", async () => {
    const child = built()
      .add(setVariableTask("set", { x: 5 }))
      .outputParameter("x", "${workflow.variables.x}");
    await child.register(true);
    const other = built().add(waitTaskDuration("w", "1h"));
    await other.register(true);
    const run = await outcome(
      [
        subWorkflowTask("sub", child.getName(), 1),
        startWorkflowTask("start", other.getName(), { k: 1 }, 1, "from-a-task"),
      ],
      { x: "${sub.output.x}", started: "${start.output.workflowId}" },
    );
    expect(run).toMatchObject({ status: "COMPLETED", output: { x: 5, started: expect.any(String) } });
    const started = String((run.output as { started: unknown }).started);
    // The id is given out before the execution is there.
    expect(await sdk.plain.until(started, ({ status }) => status === "RUNNING")).toMatchObject({
      workflowName: other.getName(),
      input: { k: 1 },
      correlationId: "from-a-task",
    });
  });
});

describe("definition helpers of the JavaScript SDK", () => {
  test("workflow and taskDefinition make what the server registers", async () => {
    const name = aName("js_helper");
    await client().registerWorkflow(true, workflow(name, [setVariableTask("set", { x: 1 })]));
    expect(await client().executeWorkflow({ name, version: 1 }, name, 1, "r")).toMatchObject({ status: "COMPLETED" });
    await sdk.clients.getMetadataClient().registerTask(taskDefinition({ name, retryCount: 6, timeoutSeconds: 0 }));
    expect(await sdk.clients.getMetadataClient().getTask(name)).toMatchObject({ name, retryCount: 6 });
  });

  test("generators fill a definition that the server runs", async () => {
    const child = aName("js_generated_child");
    const name = aName("js_generated");
    await client().registerWorkflow(true, generate({ name: child, tasks: [generateSetVariableTask()] }));
    const tasks = [
      ...taskGenMapper([generateSetVariableTask({ inputParameters: { x: 1 } })]),
      generateInlineTask({ name: "in", taskReferenceName: "in", inputParameters: { value: 2, expression: "$.value" } }),
      generateJQTransformTask(),
      generateHTTPTask({ inputParameters: { http_request: { uri: pageUrl, method: "GET" } } }),
      generateSwitchTask({
        decisionCases: { a: [generateSetVariableTask()] },
        defaultCase: [generateSetVariableTask()],
      }),
      generateForkJoinTask({ forkTasks: [[generateSetVariableTask({ name: "f", taskReferenceName: "f" })]] }),
      generateJoinTask({ joinOn: ["f"] }),
      generateDoWhileTask({
        name: "loop",
        taskReferenceName: "loop",
        loopCondition: "$.loop['iteration'] < 2",
        loopOver: [generateSetVariableTask()],
      }),
      generateSubWorkflowTask({ subWorkflowParam: { name: child, version: 1 } }),
      generateWaitTask({ name: "w", taskReferenceName: "w" }),
      generateSimpleTask({ name: "js_generated_simple", taskReferenceName: "s" }),
      generateTerminateTask(),
    ];
    await client().registerWorkflow(true, { ...generate({ name }), tasks });
    const id = await client().startWorkflow({ name });
    await sdk.plain.until(id, (execution) => execution.tasks.some((task) => task.referenceTaskName === "w"));
    await client().updateTaskByRefName("w", id, "COMPLETED", {});
    await sdk.plain.complete(await sdk.plain.take("js_generated_simple"));
    const execution = await sdk.ended(id);
    expect(execution).toMatchObject({ status: "COMPLETED", variables: { x: 1 } });
    expect(new Set(execution.tasks?.map((task) => task.status))).toEqual(new Set(["COMPLETED"]));
  });
});

test("pullWorkflowMessages takes the messages of an execution", async () => {
  const definition = built().add(pullWorkflowMessages("p", 2));
  await definition.register(true);
  const id = await definition.startWorkflow({});
  await sdk.plain.post(`/workflow/${id}/messages`, { from: "js" });
  const { status, output } = await sdk.ended(id);
  expect([status, output?.["count"]]).toEqual(["COMPLETED", 1]);
});
