import {
  type ConductorWorker,
  ConductorWorkflow,
  noopLogger,
  OrkesClients,
  simpleTask,
  type Task,
  TaskHandler,
  TaskManager,
  waitTaskDuration,
} from "@io-orkes/conductor-javascript";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Client, eventually } from "../support/client.ts";
import { aName, aWorkflow, entry, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";

type Clients = Awaited<ReturnType<typeof OrkesClients.from>>;

let server: TestServer;
let plain: Client;
let clients: Clients;
const handlers: { stop: () => Promise<unknown> }[] = [];

beforeAll(async () => {
  server = await startServer();
  plain = server.client;
  // With credentials the client asks for a token first; an open server answers 404 and it goes on without.
  clients = await OrkesClients.from({ serverUrl: plain.base, keyId: "id", keySecret: "secret", logger: noopLogger });
});
afterEach(async () => {
  await Promise.all(handlers.splice(0).map(({ stop }) => stop()));
});
afterAll(async () => {
  await server.close();
  expect(server.errors).toEqual([]);
});

const ended = (id: string) =>
  eventually(async () => {
    const execution = await clients.getWorkflowClient().getWorkflow(id, true);
    return execution.status === "RUNNING" ? undefined : execution;
  });

async function startWorkers(...workers: ConductorWorker[]): Promise<void> {
  const handler = new TaskHandler({
    client: clients.getClient(),
    workers,
    scanForDecorated: false,
    logger: noopLogger,
    healthMonitor: { enabled: false },
  });
  await handler.startWorkers();
  handlers.push({ stop: () => handler.stopWorkers() });
}

describe("the JavaScript SDK", () => {
  test("registers definitions and reads them back", async () => {
    const metadata = clients.getMetadataClient();
    const task = aName("js_task");
    const name = aName("js_def");
    await metadata.registerTask({ name: task, retryCount: 2, timeoutSeconds: 60, responseTimeoutSeconds: 30 });
    expect(await metadata.getTask(task)).toMatchObject({ name: task, retryCount: 2, responseTimeoutSeconds: 30 });
    await metadata.updateTask({ name: task, retryCount: 4, timeoutSeconds: 0 });
    expect(await metadata.getTask(task)).toMatchObject({ retryCount: 4 });
    const tasks = [{ name: task, taskReferenceName: "t", type: "SIMPLE" }];
    await metadata.registerWorkflowDef({ name, version: 1, tasks, timeoutSeconds: 0 });
    await metadata.registerWorkflowDef({ name, version: 1, tasks, timeoutSeconds: 9 }, true);
    expect(await metadata.getWorkflowDef(name)).toMatchObject({ name, version: 1, timeoutSeconds: 9 });
    expect((await metadata.getAllTaskDefs()).map((def) => def.name)).toContain(task);
    expect((await metadata.getAllWorkflowDefs()).map((def) => def.name)).toContain(name);
    await metadata.unregisterWorkflow(name, 1);
    await metadata.unregisterTask(task);
    await expect(metadata.getTask(task)).rejects.toThrow();
  });

  test("says a conflict in the server's words", async () => {
    const metadata = clients.getMetadataClient();
    const name = aName("js_twice");
    const def = { name, version: 1, tasks: [{ name: "a", taskReferenceName: "a", type: "SIMPLE" }], timeoutSeconds: 0 };
    await metadata.registerWorkflowDef(def, false);
    await expect(metadata.registerWorkflowDef(def, false)).rejects.toThrow(/already exists/);
  });

  test("runs a workflow with its workers to the end", async () => {
    const name = aName("js_run");
    const seen: Task[] = [];
    const workflow = new ConductorWorkflow(clients.getWorkflowClient(), name)
      .add(simpleTask("greet", `${name}_greet`, { name: "${workflow.input.name}" }))
      .add(waitTaskDuration("pause", "0s"))
      .add(simpleTask("shout", `${name}_shout`, { text: "${greet.output.text}" }))
      .outputParameters({ result: "${shout.output.text}" });
    await workflow.register(true);
    await startWorkers(
      {
        taskDefName: `${name}_greet`,
        execute: async (task) => {
          seen.push(task);
          return { status: "COMPLETED", outputData: { text: `Hello ${task.inputData?.["name"]}` } };
        },
      },
      {
        taskDefName: `${name}_shout`,
        execute: async (task) => ({
          status: "COMPLETED",
          outputData: { text: String(task.inputData?.["text"]).toUpperCase() },
          logs: [{ log: "shouted" }],
        }),
      },
    );
    const id = await clients.getWorkflowClient().startWorkflow({ name, version: 1, input: { name: "you" } });
    const execution = await ended(id);
    expect(execution).toMatchObject({ workflowId: id, status: "COMPLETED", output: { result: "HELLO YOU" } });
    expect(seen).toMatchObject([{ workflowInstanceId: id, status: "IN_PROGRESS", referenceTaskName: "greet" }]);
    const shout = execution.tasks?.find((task) => task.referenceTaskName === "shout");
    expect(await clients.getTaskClient().getTaskLogs(shout?.taskId ?? "")).toMatchObject([{ log: "shouted" }]);
  });

  test("works off a hundred executions with batch polls and update-v2", async () => {
    const name = aName("js_many");
    await plain.register(aWorkflow(name, [simple(name, "t", { inputParameters: { n: "${workflow.input.n}" } })]));
    const done = new Set<number>();
    await startWorkers({
      taskDefName: name,
      concurrency: 10,
      pollInterval: 10,
      execute: async (task) => {
        done.add(Number(task.inputData?.["n"]));
        return { status: "COMPLETED", outputData: { n: task.inputData?.["n"] } };
      },
    });
    const ids = await Promise.all(Array.from({ length: 100 }, (_, n) => plain.start(name, { n })));
    const executions = await Promise.all(ids.map((id) => plain.ended(id)));
    expect(executions.every(({ status }) => status === "COMPLETED")).toBe(true);
    expect(executions.map(({ output }) => output["n"])).toEqual(ids.map((_, n) => n));
    expect(done.size).toBe(100);
  });

  test("has a worker's exception retried, and a non-retryable one not", async () => {
    const name = aName("js_fail");
    await plain.registerTasks({ name, retryCount: 1, retryDelaySeconds: 0 });
    await plain.register(aWorkflow(name, [simple(name, "t")]));
    let calls = 0;
    await startWorkers({
      taskDefName: name,
      execute: async () => {
        calls++;
        if (calls === 1) throw new Error("first time");
        return { status: "FAILED_WITH_TERMINAL_ERROR", reasonForIncompletion: "for good", outputData: {} };
      },
    });
    const execution = await ended(await plain.start(name));
    expect(execution).toMatchObject({ status: "FAILED" });
    expect(execution.tasks?.map((task) => [task.status, task.reasonForIncompletion])).toEqual([
      ["FAILED", "first time"],
      ["FAILED_WITH_TERMINAL_ERROR", "for good"],
    ]);
  });

  test("lets a worker come back to its task later", async () => {
    const name = aName("js_later");
    await plain.register(aWorkflow(name, [simple(name, "t")]));
    await startWorkers({
      taskDefName: name,
      pollInterval: 10,
      execute: async (task) =>
        (task.pollCount ?? 0) < 2
          ? { status: "IN_PROGRESS", callbackAfterSeconds: 0, outputData: { step: 1 } }
          : { status: "COMPLETED", outputData: { polls: task.pollCount, before: task.outputData } },
    });
    expect(await ended(await plain.start(name))).toMatchObject({
      status: "COMPLETED",
      output: { polls: 2, before: { step: 1 } },
    });
  });

  test("polls in a domain, also through the older task manager", async () => {
    const name = aName("js_domain");
    await plain.register(aWorkflow(name, [simple(name, "t")]));
    const worker = {
      taskDefName: name,
      domain: "blue",
      execute: async (task: Task) => ({ status: "COMPLETED" as const, outputData: { domain: task.domain } }),
    };
    const manager = new TaskManager(clients.getClient(), [worker], {
      logger: noopLogger,
      options: { pollInterval: 10, domain: "blue" },
    });
    manager.startPolling();
    handlers.push({ stop: () => manager.stopPolling() });
    const id = await clients.getWorkflowClient().startWorkflow({ name, taskToDomain: { [name]: "blue" } });
    expect(await ended(id)).toMatchObject({ status: "COMPLETED", output: { domain: "blue" } });
  });

  test("operates on executions", async () => {
    const workflows = clients.getWorkflowClient();
    const name = aName("js_operate");
    await plain.registerTasks({ name, retryCount: 0 });
    await plain.register(aWorkflow(name, [simple(name, "a"), simple(`${name}_b`, "b")]));
    const id = await workflows.startWorkflowByName(name, { k: 1 }, 1, "corr", 5);
    expect(await workflows.getExecution(id)).toMatchObject({ correlationId: "corr", priority: 5, input: { k: 1 } });
    await workflows.pause(id);
    expect(await workflows.getWorkflowStatus(id, true, true)).toMatchObject({ status: "PAUSED", workflowId: id });
    await workflows.resume(id);
    await workflows.skipTasksFromWorkflow(id, "b", { taskOutput: { skipped: true } });
    await workflows.updateTaskByRefName("a", id, "FAILED", { why: "test" });
    expect(await ended(id)).toMatchObject({ status: "FAILED" });
    await workflows.retry(id, false);
    const retried = (await workflows.getWorkflow(id, true)).tasks?.find((task) => task.status === "SCHEDULED");
    expect(await workflows.updateTask(retried?.taskId ?? "", id, "COMPLETED", { r: 1 })).toBe(retried?.taskId);
    expect(await ended(id)).toMatchObject({ status: "COMPLETED" });
    await workflows.restart(id, false);
    await workflows.terminate(id, "enough");
    expect(await workflows.getWorkflow(id, false)).toMatchObject({
      status: "TERMINATED",
      reasonForIncompletion: "enough",
    });
    expect(await workflows.reRun(id, { workflowInput: { k: 2 } })).toBe(id);
    expect(await workflows.getExecution(id)).toMatchObject({ status: "RUNNING", input: { k: 2 } });
    await workflows.terminate(id, "enough");
    await workflows.deleteWorkflow(id);
    await expect(workflows.getExecution(id)).rejects.toThrow(/No such workflow found by id/);
  });

  test("writes and reads logs, and sees who polls", async () => {
    const tasks = clients.getTaskClient();
    const name = aName("js_log");
    await plain.register(aWorkflow(name, [simple(name, "t")]));
    await plain.start(name);
    const task = await plain.take(name, { workerid: "watcher" });
    await tasks.addTaskLog(task.taskId, "one line");
    expect(await tasks.getTaskLogs(task.taskId)).toMatchObject([{ log: "one line", taskId: task.taskId }]);
    expect(await tasks.getTask(task.taskId)).toMatchObject({ taskId: task.taskId, status: "IN_PROGRESS" });
    expect(await tasks.getTaskPollData(name)).toMatchObject([{ queueName: name, workerId: "watcher" }]);
  });

  test("completes a waiting task by its reference name", async () => {
    const name = aName("js_wait");
    await plain.register(aWorkflow(name, [entry("WAIT", "w")]));
    const id = await plain.start(name);
    await clients.getTaskClient().updateTaskResult(id, "w", "COMPLETED", { answer: 42 });
    // The SDK sends the output inside a map of its own.
    expect(await ended(id)).toMatchObject({ status: "COMPLETED", output: { outputData: { answer: 42 } } });
  });
});

test("a client that is given the address alone needs no token either", async () => {
  const open = await OrkesClients.from({ serverUrl: plain.base, logger: noopLogger });
  expect(await open.getMetadataClient().getAllWorkflowDefs()).toBeInstanceOf(Array);
});
