import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { aName, aTask, aWorkflow, entry, simple } from "../support/definitions.ts";
import { aFolder, NODES, removeFolder, startServer, type TestServer } from "../support/server.ts";

let folder: string;
let server: TestServer;
let client: Client;
beforeEach(async () => {
  folder = aFolder();
  server = await startServer({ folder });
  client = server.client;
});
afterEach(async () => {
  await server.close();
  removeFolder(folder);
  expect(server.errors).toEqual([]);
});

async function restart(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  await server.close();
  expect(server.errors).toEqual([]);
  server = await startServer({ folder, settings });
  client = server.client;
}

describe("a server that comes back on its database", () => {
  test("has every definition, execution, output and log it had", async () => {
    const name = aName("kept");
    await client.registerTasks(aTask(name, { description: "kept" }));
    await client.register(aWorkflow(name, [simple(name, "t")]));
    const ended = await client.start(name, { k: "ü" }, { correlationId: "c" });
    const task = await client.take(name);
    await client.update(task, { status: "COMPLETED", outputData: { r: 1 }, logs: [{ log: "line", createdTime: 5 }] });
    const open = await client.start(name);
    const before = [await client.execution(ended), await client.execution(open)];
    const defs = (await client.get(`/metadata/workflow/${name}`)).json;
    const taskDefs = (await client.get("/metadata/taskdefs")).json;
    await restart();
    expect([await client.execution(ended), await client.execution(open)]).toEqual(before);
    expect((await client.get(`/metadata/workflow/${name}`)).json).toEqual(defs);
    expect((await client.get("/metadata/taskdefs")).json).toEqual(taskDefs);
    expect((await client.get(`/tasks/${task.taskId}/log`)).json).toMatchObject([{ log: "line", createdTime: 5 }]);
  });

  test("offers what was queued, in order, and takes the answers of workers that held a task", async () => {
    const name = aName("queued");
    await client.registerTasks(aTask(name));
    await client.register(aWorkflow(name, [simple(name, "t")]));
    const heldId = await client.start(name);
    const held = await client.take(name);
    const low = await client.start(name, {}, { priority: 1 });
    const high = await client.start(name, {}, { priority: 9 });
    await restart();
    expect(await client.task(held.taskId)).toMatchObject({ status: "IN_PROGRESS", pollCount: 1 });
    const offered = await client.poll(name, { count: 5 });
    expect(offered.map(({ workflowInstanceId }) => workflowInstanceId)).toEqual([high, low]);
    await client.complete(held, { late: true });
    expect(await client.ended(heldId)).toMatchObject({ status: "COMPLETED", output: { late: true } });
  });

  test("keeps its timers: waits, retries, postponed tasks and response timeouts", async () => {
    const wait = aName("wait");
    const retried = aName("retried");
    const postponed = aName("postponed");
    const lost = aName("lost");
    await client.registerTasks(
      aTask(retried, { retryCount: 1, retryDelaySeconds: 1 }),
      aTask(postponed),
      aTask(lost, { responseTimeoutSeconds: 1, retryCount: 1, retryDelaySeconds: 0 }),
    );
    await client.register(
      aWorkflow(wait, [entry("WAIT", "w", { inputParameters: { duration: "1s" } })]),
      ...[retried, postponed, lost].map((name) => aWorkflow(name, [simple(name, "t")])),
    );
    const waiting = await client.start(wait);
    for (const name of [retried, postponed, lost]) await client.start(name);
    await client.fail(await client.take(retried));
    await client.update(await client.take(postponed), { status: "IN_PROGRESS", callbackAfterSeconds: 1 });
    const held = await client.take(lost);
    await restart();
    expect(await client.take(retried)).toMatchObject({ retryCount: 1 });
    expect(await client.take(postponed)).toMatchObject({ pollCount: 2 });
    expect(await client.take(lost)).toMatchObject({ retriedTaskId: held.taskId });
    expect(await client.ended(waiting)).toMatchObject({ status: "COMPLETED" });
  });

  test("fires at once what was due while it was away", async () => {
    const name = aName("away");
    await client.register(aWorkflow(name, [entry("WAIT", "w", { inputParameters: { duration: "1s" } })]));
    const id = await client.start(name);
    const { createTime } = await client.execution(id);
    await server.close();
    await new Promise((resolve) => setTimeout(resolve, (createTime as number) + 1100 - Date.now()));
    server = await startServer({ folder });
    client = server.client;
    const askedAt = performance.now();
    expect(await client.ended(id)).toMatchObject({ status: "COMPLETED" });
    expect(performance.now() - askedAt).toBeLessThan(1000);
  });

  test("keeps parents and children together", async () => {
    const child = aName("child");
    const parent = aName("parent");
    await client.register(
      aWorkflow(child, [simple(`${child}_t`, "t")]),
      aWorkflow(parent, [entry("SUB_WORKFLOW", "s", { subWorkflowParam: { name: child } })]),
    );
    const id = await client.start(parent);
    const task = await client.take(`${child}_t`);
    await restart();
    await client.complete(task, { r: 1 });
    expect(await client.ended(id)).toMatchObject({ status: "COMPLETED", output: { r: 1 } });
  });

  test("keeps its idempotency keys, limits and domains", async () => {
    const name = aName("limits");
    await client.registerTasks(aTask(name, { concurrentExecLimit: 1 }));
    await client.register(aWorkflow(name, [simple(name, "t")]));
    const once = { idempotencyKey: "k", idempotencyStrategy: "RETURN_EXISTING" };
    const id = await client.start(name, {}, once);
    const held = await client.take(name);
    await client.start(name, {}, { taskToDomain: { [name]: "d" } });
    await restart();
    expect(await client.start(name, {}, once)).toBe(id);
    expect(await client.poll(name, { domain: "d" })).toEqual([]);
    const waiting = client.take(name, { domain: "d" });
    await client.complete(held);
    expect(await waiting).toMatchObject({ domain: "d" });
  });

  test("goes on with executions of a definition that has been changed since", async () => {
    const name = aName("changed");
    await client.register(aWorkflow(name, [simple(`${name}_a`, "a"), simple(`${name}_b`, "b")]));
    const id = await client.start(name);
    await client.register(aWorkflow(name, [entry("NOOP", "n")]));
    await restart();
    await client.complete(await client.take(`${name}_a`));
    await client.complete(await client.take(`${name}_b`));
    expect(await client.ended(id)).toMatchObject({ status: "COMPLETED" });
  });

  test("makes a removed execution not come back", async () => {
    const name = aName("removed");
    await client.register(aWorkflow(name, [simple(name, "t")]));
    const id = await client.start(name);
    await client.delete(`/workflow/${id}/remove`);
    await restart();
    expect((await client.get(`/workflow/${id}`)).status).toBe(404);
    expect(await client.poll(name)).toEqual([]);
  });
});

test.skipIf(NODES > 0)("a server does not share its database with another", async () => {
  await expect(startServer({ folder })).rejects.toThrow("another server has it open");
});
