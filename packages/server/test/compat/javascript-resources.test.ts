import { createConductorClient, noopLogger } from "@io-orkes/conductor-javascript";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Json } from "../support/client.ts";
import { aName, aTask, aWorkflow, entry, simple } from "../support/definitions.ts";
import { useSdk } from "./javascript-sdk.ts";

const sdk = useSdk();
const resources = async () => await createConductorClient({ serverUrl: sdk.plain.base, logger: noopLogger });

// Each call of a resource says on the console that it is the older way.
beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function defined(tasks: readonly Json[], more: Json = {}): Promise<string> {
  const name = aName("js_resource");
  await sdk.plain.register(aWorkflow(name, tasks, more));
  return name;
}

const statusOf = async (id: string) => (await sdk.plain.execution(id)).status;

describe("resources of the JavaScript SDK's older interface: definitions and health", () => {
  test("healthCheckResource says that the server is well", async () => {
    const { healthCheckResource } = await resources();
    expect(await healthCheckResource.doCheck()).toMatchObject({ healthy: true });
  });

  test("metadataResource keeps task definitions", async () => {
    const { metadataResource } = await resources();
    const name = aName("js_resource_task");
    await metadataResource.registerTaskDef([{ name, retryCount: 1 }]);
    await metadataResource.updateTaskDef({ name, retryCount: 2 });
    expect(await metadataResource.getTaskDef(name)).toMatchObject({ name, retryCount: 2 });
    expect((await metadataResource.getTaskDefs()).map((def) => def.name)).toContain(name);
    await metadataResource.unregisterTaskDef(name);
    await expect(metadataResource.getTaskDef(name)).rejects.toMatchObject({ status: 404 });
  });

  test("metadataResource keeps workflow definitions", async () => {
    const { metadataResource } = await resources();
    const def = aWorkflow(aName("js_resource_def"), [simple("a")]);
    const name = String(def["name"]);
    await metadataResource.create(def);
    await metadataResource.update([{ ...def, version: 2, description: "second" }]);
    expect(await metadataResource.get(name)).toMatchObject({ version: 2, description: "second" });
    expect((await metadataResource.getAllWorkflows()).filter((found) => found.name === name)).toHaveLength(2);
    await metadataResource.unregisterWorkflowDef(name, 2);
    expect(await metadataResource.get(name, 1)).toMatchObject({ version: 1 });
    await expect(metadataResource.get(name, 2)).rejects.toMatchObject({ status: 404 });
  });
});

describe("workflowResource of the JavaScript SDK's older interface", () => {
  test("starts, executes and tries out", async () => {
    const { workflowResource } = await resources();
    const name = await defined([simple("js_nobody_polls", "t")], { outputParameters: { y: "${t.output.y}" } });
    const id = await workflowResource.startWorkflow({ name, input: { k: 1 } });
    const other = await workflowResource.startWorkflow1(name, { k: 2 }, 1, "corr", 3);
    expect(await workflowResource.getExecutionStatus(id)).toMatchObject({ input: { k: 1 } });
    expect(await workflowResource.getExecutionStatus(other, false)).toMatchObject({
      correlationId: "corr",
      priority: 3,
    });
    const instant = await defined([entry("SET_VARIABLE", "set", { inputParameters: { x: 1 } })]);
    expect(await workflowResource.executeWorkflow({ input: {} }, instant, 1, "r")).toMatchObject({
      status: "COMPLETED",
      requestId: "r",
    });
    const mocks = { t: [{ status: "COMPLETED", output: { y: 1 } }] };
    const tried = await workflowResource.testWorkflow({ name, version: 1, input: {}, taskRefToMockOutput: mocks });
    expect(tried).toMatchObject({ status: "COMPLETED", output: { y: 1 } });
  });

  test("finds executions", async () => {
    const { workflowResource } = await resources();
    const name = await defined([simple(aName("js_found"), "t")]);
    const id = await sdk.plain.start(name, {}, { correlationId: name });
    const query = `workflowType='${name}'`;
    expect(await workflowResource.getRunningWorkflow(name)).toEqual([id]);
    expect(await workflowResource.getWorkflows(name, [name])).toMatchObject({ [name]: [{ workflowId: id }] });
    expect(await workflowResource.getWorkflows1(name, name)).toMatchObject([{ workflowId: id }]);
    expect(await workflowResource.getWorkflowStatusSummary(id)).toMatchObject({ workflowId: id, status: "RUNNING" });
    const summary = { totalHits: 1, results: [{ workflowId: id, workflowType: name }] };
    const whole = { totalHits: 1, results: [{ workflowId: id, workflowName: name }] };
    expect(await workflowResource.search1(undefined, 0, 10, undefined, "*", query)).toMatchObject(summary);
    expect(await workflowResource.searchV21(0, 10, undefined, "*", query)).toMatchObject(whole);
    expect(await workflowResource.searchWorkflowsByTasks(0, 10, undefined, "*", query)).toMatchObject(summary);
    expect(await workflowResource.searchWorkflowsByTasksV2(0, 10, undefined, "*", query)).toMatchObject(whole);
  });

  test("operates on executions", async () => {
    const { workflowResource } = await resources();
    const taskType = aName("js_operated");
    await sdk.plain.registerTasks(aTask(taskType));
    const id = await sdk.plain.start(await defined([entry("WAIT", "w"), simple(taskType, "t")]));
    await workflowResource.pauseWorkflow(id);
    expect(await statusOf(id)).toBe("PAUSED");
    await workflowResource.resumeWorkflow(id);
    expect(await statusOf(id)).toBe("RUNNING");
    await workflowResource.decide(id);
    await workflowResource.resetWorkflow(id);
    await workflowResource.skipTaskFromWorkflow(id, "t", { taskOutput: { s: 1 } });
    await workflowResource.terminate1(id, "enough");
    expect(await sdk.plain.execution(id)).toMatchObject({ status: "TERMINATED", reasonForIncompletion: "enough" });
    await workflowResource.retry1(id);
    expect(await statusOf(id)).toBe("RUNNING");
    await workflowResource.terminate1(id);
    await workflowResource.restart1(id);
    expect((await sdk.plain.execution(id)).tasks).toMatchObject([{ referenceTaskName: "w" }]);
    await workflowResource.terminate1(id);
    expect(await workflowResource.rerun(id, { workflowInput: { k: 2 } })).toBe(id);
    expect(await sdk.plain.execution(id)).toMatchObject({ status: "RUNNING", input: { k: 2 } });
    await workflowResource.terminate1(id);
    await workflowResource.delete(id);
    expect((await sdk.plain.get(`/workflow/${id}`)).status).toBe(404);
  });

  test("says where large payloads go", async () => {
    const { workflowResource, taskResource } = await resources();
    const workflow = await workflowResource.getExternalStorageLocation("p", "WRITE", "WORKFLOW_INPUT");
    expect(workflow).toMatchObject({ uri: expect.stringContaining("http"), path: expect.any(String) });
    const task = await taskResource.getExternalStorageLocation1("p", "WRITE", "TASK_OUTPUT");
    expect(task).toMatchObject({ uri: expect.stringContaining("http"), path: expect.any(String) });
  });
});

describe("workflowBulkResource of the JavaScript SDK's older interface", () => {
  test("operates on many executions at once", async () => {
    const { workflowBulkResource } = await resources();
    const name = await defined([entry("WAIT", "w")]);
    const ids = [await sdk.plain.start(name), await sdk.plain.start(name)];
    const unknown = "00000000-0000-7000-8000-000000000000";
    const statuses = async () => await Promise.all(ids.map(statusOf));
    const paused = await workflowBulkResource.pauseWorkflow1([...ids, unknown]);
    expect(paused).toMatchObject({ bulkSuccessfulResults: ids, bulkErrorResults: { [unknown]: expect.any(String) } });
    expect(await statuses()).toEqual(["PAUSED", "PAUSED"]);
    await workflowBulkResource.resumeWorkflow(ids);
    expect(await statuses()).toEqual(["RUNNING", "RUNNING"]);
    await workflowBulkResource.terminate(ids, "enough");
    expect(await statuses()).toEqual(["TERMINATED", "TERMINATED"]);
    await workflowBulkResource.restart(ids);
    expect(await statuses()).toEqual(["RUNNING", "RUNNING"]);
    await workflowBulkResource.terminate(ids);
    await workflowBulkResource.retry(ids);
    expect(await statuses()).toEqual(["RUNNING", "RUNNING"]);
  });
});

describe("taskResource of the JavaScript SDK's older interface", () => {
  test("polls, logs and updates", async () => {
    const { taskResource } = await resources();
    const name = aName("js_polled");
    await sdk.plain.register(aWorkflow(name, [simple(name, "t")]));
    const ids = [await sdk.plain.start(name), await sdk.plain.start(name), await sdk.plain.start(name)];
    expect(await taskResource.size1([name])).toEqual({ [name]: 3 });
    const first = await taskResource.poll(name, "me");
    expect(first).toMatchObject({ workflowInstanceId: ids[0], workerId: "me", status: "IN_PROGRESS" });
    const [second] = await taskResource.batchPoll(name, "me", undefined, 1, 100);
    expect(second).toMatchObject({ workflowInstanceId: ids[1] });
    expect(await taskResource.all()).toMatchObject({ [name]: 1 });
    expect(await taskResource.allVerbose()).toMatchObject({ [name]: expect.any(Object) });
    await taskResource.log(first.taskId ?? "", "one line");
    expect(await taskResource.getTaskLogs(first.taskId ?? "")).toMatchObject([{ log: "one line" }]);
    expect(await taskResource.getPollData(name)).toMatchObject([{ queueName: name, workerId: "me" }]);
    expect(await taskResource.getAllPollData()).toEqual(expect.anything());
    const result = { taskId: first.taskId, workflowInstanceId: ids[0], status: "COMPLETED", outputData: { a: 1 } };
    expect(await taskResource.updateTask1(result)).toBe(first.taskId);
    expect(await taskResource.getTask(first.taskId ?? "")).toMatchObject({ status: "COMPLETED", outputData: { a: 1 } });
    await taskResource.updateTask(ids[1] ?? "", "t", "COMPLETED", { b: 2 });
    expect(await sdk.ended(ids[1] ?? "")).toMatchObject({ status: "COMPLETED", output: { b: 2 } });
    expect(await taskResource.updateTaskSync(ids[2] ?? "", "t", "COMPLETED", { c: 3 }, "me")).toMatchObject({
      workflowId: ids[2],
      status: "COMPLETED",
      output: { c: 3 },
    });
    await taskResource.requeuePendingTask(name);
  });

  test("searches tasks", async () => {
    const { taskResource } = await resources();
    const name = await defined([simple("js_nobody_polls", "t")]);
    const id = await sdk.plain.start(name);
    const query = `workflowType='${name}'`;
    expect(await taskResource.search(0, 10, undefined, "*", query)).toMatchObject({
      totalHits: 1,
      results: [{ workflowId: id }],
    });
    expect(await taskResource.searchV22(0, 10, undefined, "*", query)).toMatchObject({
      totalHits: 1,
      results: [{ workflowInstanceId: id }],
    });
  });

  test("signals", async () => {
    const { taskResource } = await resources();
    const id = await sdk.plain.start(await defined([entry("WAIT", "first"), entry("WAIT", "second")]));
    await taskResource.signalAsync(id, "COMPLETED", { a: 1 });
    const answer = await taskResource.signal(id, "COMPLETED", { b: 2 });
    expect(answer).toMatchObject({ responseType: "TARGET_WORKFLOW", workflowId: id, status: "COMPLETED" });
    expect((await sdk.plain.execution(id)).tasks.map(({ outputData }) => outputData)).toEqual([{ a: 1 }, { b: 2 }]);
  });
});
