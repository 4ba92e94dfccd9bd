import { describe, expect, test } from "vitest";
import { aName, aWorkflow, entry, simple } from "../support/definitions.ts";
import { useSdk } from "./javascript-sdk.ts";

const sdk = useSdk();
const client = () => sdk.clients.getTaskClient();

describe("TaskClient of the JavaScript SDK", () => {
  test("reads a task, writes and reads its logs, and sees who polls", async () => {
    const tasks = client();
    const name = aName("js_log");
    await sdk.plain.register(aWorkflow(name, [simple(name, "t")]));
    await sdk.plain.start(name);
    const { taskId } = await sdk.plain.take(name, { workerid: "watcher" });
    await tasks.addTaskLog(taskId, "one line");
    await tasks.addTaskLog(taskId, 'another, with "quotes"');
    expect((await tasks.getTaskLogs(taskId)).map(({ log }) => log)).toEqual(["one line", 'another, with "quotes"']);
    expect(await tasks.getTask(taskId)).toMatchObject({ taskId, status: "IN_PROGRESS", workerId: "watcher" });
    expect(await tasks.getTaskPollData(name)).toMatchObject([{ queueName: name, workerId: "watcher" }]);
  });

  test("counts what waits in the queues", async () => {
    const name = aName("js_sizes");
    const other = aName("js_sizes");
    await sdk.plain.register(aWorkflow(name, [simple(name, "t")]), aWorkflow(other, [simple(other, "t")]));
    await sdk.plain.start(name);
    await sdk.plain.start(name);
    await sdk.plain.start(other);
    expect(await client().getQueueSizeForTask([name, other])).toEqual({ [name]: 2, [other]: 1 });
    expect(await client().getQueueSizeForTask([name])).toEqual({ [name]: 2 });
  });

  test("searches tasks", async () => {
    const name = aName("js_search");
    await sdk.plain.register(aWorkflow(name, [simple(name, "t")]));
    const ids = [await sdk.plain.start(name), await sdk.plain.start(name)];
    const page = await client().search(0, 10, undefined, "*", `workflowType='${name}'`);
    expect(page.totalHits).toBe(2);
    expect(page.results?.map((task) => task.workflowId)).toEqual(expect.arrayContaining(ids));
    expect(page.results?.[0]).toMatchObject({ taskType: name, status: "SCHEDULED" });
    const first = await client().search(0, 1, "startTime:ASC", "*", `workflowType='${name}'`);
    expect(first).toMatchObject({ totalHits: 2, results: [{ workflowType: name }] });
  });

  test("completes a waiting task by its reference name", async () => {
    const name = aName("js_wait");
    await sdk.plain.register(aWorkflow(name, [entry("WAIT", "w")]));
    const id = await sdk.plain.start(name);
    await client().updateTaskResult(id, "w", "COMPLETED", { answer: 42 });
    // The SDK sends the output inside a map of its own.
    expect(await sdk.ended(id)).toMatchObject({ status: "COMPLETED", output: { outputData: { answer: 42 } } });
  });

  test("completes a task and is given the execution after it", async () => {
    const name = aName("js_sync");
    await sdk.plain.register(aWorkflow(name, [entry("WAIT", "w"), entry("WAIT", "x")]));
    const id = await sdk.plain.start(name);
    const workflow = await client().updateTaskSync(id, "w", "COMPLETED", { answer: 42 }, "somebody");
    expect(workflow).toMatchObject({ workflowId: id, status: "RUNNING" });
    expect(workflow.tasks?.map((task) => [task.referenceTaskName, task.status])).toEqual([
      ["w", "COMPLETED"],
      ["x", "IN_PROGRESS"],
    ]);
    expect(workflow.tasks?.[0]).toMatchObject({ outputData: { answer: 42 }, workerId: "somebody" });
  });
});
