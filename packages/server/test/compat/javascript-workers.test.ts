import {
  type ConductorWorker,
  clearWorkerRegistry,
  getRegisteredWorker,
  getRegisteredWorkers,
  getTaskContext,
  getWorkerCount,
  NonRetryableException,
  noopLogger,
  type Task,
  TaskHandler,
  TaskManager,
  TaskRunner,
  worker,
} from "@io-orkes/conductor-javascript";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { eventually } from "../support/client.ts";
import { aName, aTask, aWorkflow, simple } from "../support/definitions.ts";
import { useSdk } from "./javascript-sdk.ts";

const sdk = useSdk();

// The SDK reports each update on the console when it finds itself in CI.
beforeEach(() => {
  vi.spyOn(console, "log").mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A definition of one worker's task, which has the definition's name. */
async function definedTask(taskDef: Record<string, unknown> = {}): Promise<string> {
  const name = aName("js_worker");
  await sdk.plain.registerTasks(aTask(name, taskDef));
  const inputParameters = { n: "${workflow.input.n}" };
  await sdk.plain.register(aWorkflow(name, [simple(name, "t", { inputParameters })]));
  return name;
}

const echo = async (task: Task) => ({ status: "COMPLETED" as const, outputData: { n: task.inputData?.["n"] } });

describe("TaskHandler of the JavaScript SDK", () => {
  test("runs the workers of a workflow, and tells how they are", async () => {
    const name = await definedTask();
    const seen: Task[] = [];
    const handler = await sdk.startWorkers([
      {
        taskDefName: name,
        execute: async (task) => {
          seen.push(task);
          return { ...(await echo(task)), logs: [{ log: "done" }] };
        },
      },
    ]);
    expect(handler.isHealthy()).toBe(true);
    expect(handler).toMatchObject({ running: true, workerCount: 1, runningWorkerCount: 1 });
    expect(handler.getWorkerStatus()).toMatchObject([{ taskDefName: name, polling: true, paused: false }]);
    handler.printSummary();
    const id = await sdk.plain.start(name, { n: 3 });
    const execution = await sdk.ended(id);
    expect(execution).toMatchObject({ status: "COMPLETED", output: { n: 3 } });
    expect(seen).toMatchObject([{ workflowInstanceId: id, status: "IN_PROGRESS", referenceTaskName: "t" }]);
    const logs = await sdk.clients.getTaskClient().getTaskLogs(execution.tasks?.[0]?.taskId ?? "");
    expect(logs).toMatchObject([{ log: "done" }]);
    await handler.stopWorkers();
    expect(handler.running).toBe(false);
  });

  test("works off a hundred executions with batch polls and update-v2", async () => {
    const name = await definedTask();
    const done = new Set<unknown>();
    await sdk.startWorkers([
      {
        taskDefName: name,
        concurrency: 10,
        execute: async (task) => {
          done.add(task.inputData?.["n"]);
          return await echo(task);
        },
      },
    ]);
    const ids = await Promise.all(Array.from({ length: 100 }, (_, n) => sdk.plain.start(name, { n })));
    const executions = await Promise.all(ids.map((id) => sdk.plain.ended(id)));
    expect(executions.every(({ status }) => status === "COMPLETED")).toBe(true);
    expect(executions.map(({ output }) => output["n"])).toEqual(ids.map((_, n) => n));
    expect(done.size).toBe(100);
  });

  test("finds decorated workers and registers their task definitions", async () => {
    clearWorkerRegistry();
    const name = aName("js_decorated");
    const taskDef = { name, retryCount: 7, timeoutSeconds: 0, totalTimeoutSeconds: 0 };
    // With overwriteTaskDef it would send a PUT, which does not make a definition that is not there.
    const options = { taskDefName: name, pollInterval: 10, registerTaskDef: true, overwriteTaskDef: false, taskDef };
    worker(options)(echo, { kind: "method", name: "echo" });
    expect(getWorkerCount()).toBe(1);
    expect(getRegisteredWorker(name)).toMatchObject({ taskDefName: name, registerTaskDef: true });
    expect(getRegisteredWorkers().map(({ taskDefName }) => taskDefName)).toEqual([name]);
    const handler = await TaskHandler.create({
      client: sdk.clients.getClient(),
      logger: noopLogger,
      healthMonitor: { enabled: false },
    });
    sdk.stopAfterwards(() => handler.stopWorkers());
    await handler.startWorkers();
    expect(await sdk.clients.getMetadataClient().getTask(name)).toMatchObject({ name, retryCount: 7 });
    await sdk.plain.register(aWorkflow(name, [simple(name, "t", { inputParameters: { n: 5 } })]));
    expect(await sdk.ended(await sdk.plain.start(name))).toMatchObject({ status: "COMPLETED", output: { n: 5 } });
    clearWorkerRegistry();
  });

  test("has a worker's exception retried, and a non-retryable one not", async () => {
    const name = await definedTask({ retryCount: 5, retryDelaySeconds: 0 });
    let calls = 0;
    await sdk.startWorkers([
      {
        taskDefName: name,
        execute: async () => {
          calls++;
          if (calls === 1) throw new Error("first time");
          throw new NonRetryableException("for good");
        },
      },
    ]);
    const execution = await sdk.ended(await sdk.plain.start(name));
    expect(execution).toMatchObject({ status: "FAILED" });
    expect(execution.tasks?.map((task) => [task.status, task.reasonForIncompletion, task.retryCount])).toEqual([
      ["FAILED", "first time", 0],
      ["FAILED_WITH_TERMINAL_ERROR", "for good", 1],
    ]);
  });

  test("lets a worker come back to its task later", async () => {
    const name = await definedTask();
    await sdk.startWorkers([
      {
        taskDefName: name,
        execute: async (task) =>
          (task.pollCount ?? 0) < 2
            ? { status: "IN_PROGRESS", callbackAfterSeconds: 0, outputData: { step: 1 } }
            : { status: "COMPLETED", outputData: { polls: task.pollCount, before: task.outputData } },
      },
    ]);
    expect(await sdk.ended(await sdk.plain.start(name))).toMatchObject({
      status: "COMPLETED",
      output: { polls: 2, before: { step: 1 } },
    });
  });

  test("keeps a task that takes longer than its response timeout, with heartbeats", async () => {
    const name = await definedTask({ responseTimeoutSeconds: 3 });
    let calls = 0;
    await sdk.startWorkers([
      {
        taskDefName: name,
        leaseExtendEnabled: true,
        execute: async (task) => {
          calls++;
          // What the test is about: longer than the response timeout.
          await new Promise((resolve) => setTimeout(resolve, 3800));
          return await echo(task);
        },
      },
    ]);
    const execution = await sdk.ended(await sdk.plain.start(name, { n: 1 }));
    expect(execution).toMatchObject({ status: "COMPLETED", output: { n: 1 } });
    expect(execution.tasks).toMatchObject([{ status: "COMPLETED", retryCount: 0 }]);
    expect(calls).toBe(1);
  });

  test("tells its listeners what happens", async () => {
    const name = await definedTask();
    const heard: string[] = [];
    await sdk.startWorkers([{ taskDefName: name, execute: echo }], {
      eventListeners: [
        {
          onTaskExecutionCompleted: ({ taskType }) => void heard.push(`executed ${taskType}`),
          onTaskUpdateCompleted: ({ taskType }) => void heard.push(`updated ${taskType}`),
        },
      ],
    });
    await sdk.ended(await sdk.plain.start(name));
    await eventually(async () => (heard.length === 2 ? heard : undefined));
    expect(heard).toEqual([`executed ${name}`, `updated ${name}`]);
  });
});

describe("TaskContext of the JavaScript SDK", () => {
  test("gives a worker its task, and takes its logs and its output", async () => {
    const name = await definedTask();
    const seen: unknown[] = [];
    await sdk.startWorkers([
      {
        taskDefName: name,
        execute: async () => {
          const context = getTaskContext();
          if (context === undefined) throw new Error("Expected a context");
          seen.push([
            context.getTaskId(),
            context.getWorkflowInstanceId(),
            context.getRetryCount(),
            context.getPollCount(),
            context.getInput(),
            context.getTaskDefName(),
            context.getWorkflowTaskType(),
            context.getTask().referenceTaskName,
          ]);
          context.addLog(`poll ${context.getPollCount()}`);
          expect(context.getLogs()).toHaveLength(1);
          context.setOutput({ polls: context.getPollCount() });
          expect(context.getOutput()).toEqual({ polls: context.getPollCount() });
          if (context.getPollCount() === 1) {
            context.setCallbackAfter(1);
            expect(context.getCallbackAfterSeconds()).toBe(1);
            return { status: "IN_PROGRESS" };
          }
          return { status: "COMPLETED" };
        },
      },
    ]);
    const id = await sdk.plain.start(name, { n: 1 });
    const execution = await sdk.ended(id);
    const taskId = execution.tasks?.[0]?.taskId;
    expect(execution).toMatchObject({ status: "COMPLETED", output: { polls: 2 } });
    expect(seen).toEqual([1, 2].map((polls) => [taskId, id, 0, polls, { n: 1 }, name, name, "t"]));
    const logs = await sdk.clients.getTaskClient().getTaskLogs(taskId ?? "");
    expect(logs.map(({ log }) => log)).toEqual(["poll 1", "poll 2"]);
  });
});

describe("TaskManager and TaskRunner of the JavaScript SDK", () => {
  test("the manager polls in a domain, also with options changed on the way", async () => {
    const name = await definedTask();
    const inDomain: ConductorWorker = {
      taskDefName: name,
      domain: "blue",
      execute: async (task) => ({ status: "COMPLETED", outputData: { domain: task.domain } }),
    };
    const manager = new TaskManager(sdk.clients.getClient(), [inDomain], {
      logger: noopLogger,
      options: { pollInterval: 1000, domain: "blue" },
    });
    manager.sanityCheck();
    manager.startPolling();
    sdk.stopAfterwards(() => manager.stopPolling());
    expect(manager.isPolling).toBe(true);
    manager.updatePollingOptions({ pollInterval: 10 });
    manager.updatePollingOptionForWorker(name, { concurrency: 2 });
    const id = await sdk.clients.getWorkflowClient().startWorkflow({ name, taskToDomain: { [name]: "blue" } });
    expect(await sdk.ended(id)).toMatchObject({ status: "COMPLETED", output: { domain: "blue" } });
    await manager.stopPolling();
    expect(manager.isPolling).toBe(false);
  });

  test("a runner stops taking tasks while it is paused", async () => {
    const name = await definedTask();
    const runner = new TaskRunner({
      worker: { taskDefName: name, execute: echo },
      client: sdk.clients.getClient(),
      options: { workerID: "runner", domain: undefined, pollInterval: 10, concurrency: 1, batchPollingTimeout: 10 },
      logger: noopLogger,
    });
    runner.setPaused(true);
    runner.startPolling();
    sdk.stopAfterwards(() => runner.stopPolling());
    expect([runner.isPolling, runner.isPaused]).toEqual([true, true]);
    const id = await sdk.plain.start(name, { n: 9 });
    expect(await sdk.plain.execution(id)).toMatchObject({ status: "RUNNING", tasks: [{ status: "SCHEDULED" }] });
    runner.handleUnknownError(new Error("It is told about what went wrong, and goes on"));
    runner.updateOptions({ concurrency: 3 });
    expect(runner.getOptions).toMatchObject({ concurrency: 3, workerID: "runner" });
    runner.setPaused(false);
    const execution = await sdk.ended(id);
    expect(execution).toMatchObject({ status: "COMPLETED", output: { n: 9 } });
    expect(execution.tasks).toMatchObject([{ workerId: "runner" }]);
    await runner.stopPolling();
    expect(runner.isPolling).toBe(false);
  });

  test("a runner's update brings the next task of the queue along", async () => {
    const name = await definedTask();
    const runner = new TaskRunner({
      worker: { taskDefName: name, execute: echo },
      client: sdk.clients.getClient(),
      options: { workerID: "runner", domain: undefined, pollInterval: 10, concurrency: 1 },
      logger: noopLogger,
    });
    const ids = [await sdk.plain.start(name, { n: 1 }), await sdk.plain.start(name, { n: 2 })];
    const first = (await sdk.plain.take(name)) as Task;
    const result = { workflowInstanceId: ids[0] ?? "", taskId: first.taskId ?? "", status: "COMPLETED" as const };
    const next = await runner.updateTaskWithRetry(first, { ...result, outputData: { n: 1 } });
    expect(next).toMatchObject({ workflowInstanceId: ids[1], inputData: { n: 2 }, status: "IN_PROGRESS" });
    expect(await sdk.ended(ids[0] ?? "")).toMatchObject({ status: "COMPLETED" });
  });
});
