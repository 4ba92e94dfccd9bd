import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client, Json } from "../support/client.ts";
import { aName, aTask, aWorkflow, entry, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let client: Client;

beforeAll(async () => {
  server = await startServer();
  client = server.client;
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

type Run = Json & {
  readonly responseType: string;
  readonly workflowId: string;
  readonly targetWorkflowId: string;
  readonly signalTimeout: boolean;
  readonly status: string;
  readonly tasks: readonly Json[];
};

const execute = async (name: string, query = "", body: Json = { input: { a: 1 } }): Promise<Run> => {
  const answer = await client.post(`/workflow/execute/${name}/1?${query}`, body);
  expect(answer).toMatchObject({ status: 200 });
  return answer.json as Run;
};

/** NOOP, WAIT w1, WAIT w2; its output shows what the waits were given. */
async function aWaiting(): Promise<string> {
  const name = aName("waiting");
  await client.register(
    aWorkflow(name, [entry("NOOP", "n"), entry("WAIT", "w1"), entry("WAIT", "w2")], {
      outputParameters: { one: "${w1.output.v}", two: "${w2.output.v}" },
    }),
  );
  return name;
}

async function aParent(child: string): Promise<string> {
  const name = aName("parent");
  await client.register(
    aWorkflow(name, [entry("SUB_WORKFLOW", "s", { subWorkflowParam: { name: child, version: 1 } })]),
  );
  return name;
}

describe("execute", () => {
  test("answers with the ended execution", async () => {
    const name = aName("quick");
    await client.register(
      aWorkflow(name, [entry("SET_VARIABLE", "v", { inputParameters: { x: "${workflow.input.a}" } })], {
        outputParameters: { x: "${workflow.variables.x}" },
      }),
    );
    const run = await execute(name, "requestId=mine");
    expect(run).toMatchObject({
      responseType: "TARGET_WORKFLOW",
      requestId: "mine",
      status: "COMPLETED",
      targetWorkflowStatus: "COMPLETED",
      signalTimeout: false,
      input: { a: 1 },
      output: { x: 1 },
      variables: { x: 1 },
    });
    expect(run.targetWorkflowId).toBe(run.workflowId);
    expect(run.tasks.map((task) => task["referenceTaskName"])).toEqual(["v"]);
    expect((await client.post(`/workflow/execute/${name}/0`, {})).json).toMatchObject({ status: "COMPLETED" });
  });

  test("stands at a WAIT, shown as each strategy says", async () => {
    const name = await aWaiting();
    expect(await execute(name)).toMatchObject({
      responseType: "TARGET_WORKFLOW",
      status: "RUNNING",
      signalTimeout: false,
    });
    const blocking = await execute(name, "returnStrategy=BLOCKING_TASK");
    expect(blocking).toMatchObject({
      responseType: "BLOCKING_TASK",
      taskType: "WAIT",
      referenceTaskName: "w1",
      status: "IN_PROGRESS",
      targetWorkflowStatus: "RUNNING",
    });
    expect(blocking).not.toHaveProperty("tasks");
    expect(await execute(name, "returnStrategy=BLOCKING_TASK_INPUT")).toMatchObject({
      referenceTaskName: "w1",
      input: {},
    });
  });

  test("finds what blocks inside sub-workflows, HUMAN and YIELD too", async () => {
    for (const type of ["HUMAN", "YIELD"]) {
      const child = aName("child");
      await client.register(aWorkflow(child, [entry(type, "inside")]));
      const parent = await aParent(child);
      const run = await execute(parent, "returnStrategy=BLOCKING_WORKFLOW");
      expect(run.workflowId).not.toBe(run.targetWorkflowId);
      expect(run.tasks.map((task) => task["referenceTaskName"])).toEqual(["inside"]);
      expect((await client.execution(run.workflowId))["parentWorkflowId"]).toBe(run.targetWorkflowId);
    }
  });

  test("ends its wait when a named task has ended", async () => {
    const name = aName("until");
    await client.registerTasks(aTask(name));
    await client.register(aWorkflow(name, [simple(name, "first"), simple(name, "second")]));
    const waiting = execute(name, "waitUntilTaskRef=other, first&returnStrategy=BLOCKING_TASK");
    await client.complete(await client.take(name), { done: 1 });
    expect(await waiting).toMatchObject({ referenceTaskName: "first", status: "COMPLETED", output: { done: 1 } });
  });

  test.each(["n", "n__1"])("ends its wait when the task %s of a loop has ended", async (ref) => {
    const name = aName("looped");
    await client.registerTasks(aTask(name));
    const loop = entry("DO_WHILE", "l", {
      loopCondition: "$.l.iteration < 2",
      inputParameters: { l: "${l.output}" },
      loopOver: [entry("NOOP", "n"), simple(name, "t")],
    });
    await client.register(aWorkflow(name, [loop]));
    const run = await execute(name, `waitUntilTaskRef=${ref}&returnStrategy=BLOCKING_TASK`);
    expect(run).toMatchObject({ referenceTaskName: "n__1", signalTimeout: false });
  });

  test("gives up after its time and lets the execution go on", async () => {
    const name = aName("slow");
    await client.registerTasks(aTask(name));
    await client.register(aWorkflow(name, [simple(name)]));
    const run = await execute(name, "waitForSeconds=1&returnStrategy=BLOCKING_TASK");
    expect(run).toMatchObject({ responseType: "BLOCKING_TASK", signalTimeout: true, status: "RUNNING" });
    await client.complete(await client.take(name));
    expect((await client.ended(run.workflowId)).status).toBe("COMPLETED");
  });

  test("with a definition of its own marks the input", async () => {
    const workflowDef = aWorkflow("own", [entry("NOOP", "n")]);
    const run = await execute("own", "", { workflowDef, input: { x: 1 } });
    expect(run).toMatchObject({ status: "COMPLETED", input: { x: 1, _systemMetadata: { dynamic: true } } });
  });

  test("refuses what it cannot read", async () => {
    const name = await aWaiting();
    expect((await client.post(`/workflow/execute/${name}/x`, {})).status).toBe(400);
    expect((await client.post(`/workflow/execute/${name}/1`)).status).toBe(400);
    expect((await client.post(`/workflow/execute/${name}/1?returnStrategy=ALL`, {})).json).toMatchObject({
      status: 400,
      message: expect.stringContaining("TARGET_WORKFLOW, BLOCKING_WORKFLOW"),
    });
    expect((await client.post("/workflow/execute/none/1", {})).json).toMatchObject({
      status: 404,
      message: "No such workflow defined. name=none, version=1",
    });
  });
});

describe("signal", () => {
  const signal = (id: string, body: Json, query = "") =>
    client.post(`/tasks/${id}/COMPLETED/signal/sync?${query}`, body);

  test("ends one wait after the other, answered from the commit", async () => {
    const { workflowId: id } = await execute(await aWaiting());
    expect((await signal(id, { v: "a" }, "returnStrategy=BLOCKING_TASK")).json).toMatchObject({
      referenceTaskName: "w2",
      targetWorkflowStatus: "RUNNING",
    });
    expect((await signal(id, { v: "b" })).json).toMatchObject({ status: "COMPLETED", output: { one: "a", two: "b" } });
    expect((await signal(id, {})).json).toMatchObject({
      status: 404,
      message: `Found no blocked task in workflow ${id} to signal`,
    });
  });

  test("at the same moment as another is for the next wait", async () => {
    const { workflowId: id } = await execute(await aWaiting());
    const answers = await Promise.all([signal(id, { v: "a" }), signal(id, { v: "b" })]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { status, output } = await client.ended(id);
    expect([status, Object.values(output).sort()]).toEqual(["COMPLETED", ["a", "b"]]);
  });

  test("without waiting answers empty, also when nothing is blocked", async () => {
    const { workflowId: id } = await execute(await aWaiting());
    for (let round = 0; round < 3; round++) {
      const answer = await client.post(`/tasks/${id}/COMPLETED/signal`, { v: round });
      expect([answer.status, answer.text]).toEqual([200, ""]);
    }
    expect((await client.ended(id)).output).toEqual({ one: 0, two: 1 });
  });

  test("reaches a task inside a sub-workflow, and its failure comes up", async () => {
    const child = aName("child");
    await client.register(aWorkflow(child, [entry("HUMAN", "ask")]));
    const { workflowId: id } = await execute(await aParent(child));
    const { json } = await client.post(`/tasks/${id}/FAILED/signal/sync`, { why: "no" });
    expect(json).toMatchObject({ status: "FAILED", targetWorkflowId: id });
  });

  test("refuses unknown executions and statuses", async () => {
    const { workflowId: id } = await execute(await aWaiting());
    expect((await client.post(`/tasks/${id}/CANCELED/signal`, {})).status).toBe(400);
    expect((await client.post("/tasks/none/COMPLETED/signal", {})).json).toMatchObject({
      status: 404,
      message: "No such workflow found by id: none",
    });
    expect((await signal(id, {}, "timeoutMillis=abc")).status).toBe(400);
  });

  test("many waits at once cost each other nothing", async () => {
    const name = aName("crowd");
    await client.register(aWorkflow(name, [entry("WAIT", "w")]));
    const ids = await Promise.all(Array.from({ length: 50 }, () => client.start(name)));
    const answers = await Promise.all(ids.map((id, v) => signal(id, { v })));
    expect(new Set(answers.map(({ json }) => (json as Run).status))).toEqual(new Set(["COMPLETED"]));
  });
});

describe("an update by reference, synchronous", () => {
  test("answers with the execution after it", async () => {
    const { workflowId: id } = await execute(await aWaiting());
    const answer = await client.post(`/tasks/${id}/w1/COMPLETED/sync?workerid=me`, { v: 1 });
    expect(answer.json).toMatchObject({
      workflowId: id,
      tasks: [{}, { referenceTaskName: "w1", status: "COMPLETED", workerId: "me" }, { referenceTaskName: "w2" }],
    });
    expect((await client.post(`/tasks/${id}/none/COMPLETED/sync`, {})).json).toMatchObject({
      status: 404,
      message: `Found no running task none of workflow ${id} to update`,
    });
  });
});
