import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { aName, aTask, aWorkflow, entry, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";

/** Fields that other servers store and ignore; here they do what they say. */
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

describe("rateLimitConfig", () => {
  const limited = (name: string, policy: string) =>
    aWorkflow(name, [simple(`${name}_t`)], {
      rateLimitConfig: { rateLimitKey: "${workflow.input.customer}", concurrentExecLimit: 2, policy },
    });

  test("executions over the limit of their key wait, and begin as others end", async () => {
    const name = aName("queued");
    await client.register(limited(name, "QUEUE"));
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await client.start(name, { customer: "a" }));
    const other = await client.start(name, { customer: "b" });
    const first = await client.poll(`${name}_t`, { count: 10, timeout: 500 });
    expect(first.map((task) => task.workflowInstanceId).sort()).toEqual([ids[0], ids[1], other].sort());
    expect((await client.execution(ids[4] ?? "")).tasks).toEqual([]);
    for (const task of first) await client.complete(task);
    for (let left = 3; left > 0; left--) await client.complete(await client.take(`${name}_t`));
    for (const id of ids) expect((await client.ended(id)).status).toBe("COMPLETED");
  });

  test("the policy REJECT answers 429 while no slot is free", async () => {
    const name = aName("rejected");
    await client.register(limited(name, "REJECT"));
    await client.start(name);
    await client.start(name);
    expect((await client.post("/workflow", { name, input: {} })).status).toBe(429);
    await client.complete(await client.take(`${name}_t`));
    expect((await client.post("/workflow", { name, input: {} })).status).toBe(200);
  });

  test("an execution that waits for a slot can be terminated", async () => {
    const name = aName("given_up");
    await client.register(limited(name, "QUEUE"));
    const ids = [await client.start(name), await client.start(name), await client.start(name)];
    expect((await client.delete(`/workflow/${ids[2]}`)).status).toBe(200);
    expect((await client.ended(ids[2] ?? "")).status).toBe("TERMINATED");
  });

  test("a worker cannot poll the executions that wait", async () => {
    const name = aName("not_for_workers");
    await client.register(limited(name, "QUEUE"));
    for (let i = 0; i < 3; i++) await client.start(name, { customer: "c" });
    expect(await client.poll(`_rateLimit:${name}:c`, { count: 10 })).toEqual([]);
    expect(await client.poll(`${name}:c`, { count: 10, domain: "_rateLimit" })).toEqual([]);
    for (let left = 3; left > 0; left--) await client.complete(await client.take(`${name}_t`));
  });
});

describe("schemas", () => {
  const schema = {
    name: "s",
    type: "JSON",
    data: { type: "object", required: ["id"], properties: { id: { type: "integer" } } },
  };

  test("a start whose input does not fit the workflow's inputSchema is a 400 that says where", async () => {
    const name = aName("strict_start");
    await client.register(aWorkflow(name, [entry("NOOP", "n")], { inputSchema: schema }));
    const refused = await client.post("/workflow", { name, input: { id: "x" } });
    expect(refused.status).toBe(400);
    expect((refused.json as { message: string }).message).toContain("/id must be integer");
    expect((await client.post("/workflow", { name, input: { id: 1 } })).status).toBe(200);
  });

  test("two schemas may carry the same $id", async () => {
    for (const type of ["integer", "string"]) {
      const name = aName("same_id");
      const data = { $id: "order", type: "object", properties: { id: { type } } };
      await client.register(aWorkflow(name, [entry("NOOP", "n")], { inputSchema: { ...schema, data } }));
      const id = type === "integer" ? 1 : "one";
      expect((await client.post("/workflow", { name, input: { id } })).status).toBe(200);
    }
  });

  test("enforceSchema false lets any input pass", async () => {
    const name = aName("lenient_start");
    await client.register(aWorkflow(name, [entry("NOOP", "n")], { inputSchema: schema, enforceSchema: false }));
    expect((await client.post("/workflow", { name, input: {} })).status).toBe(200);
  });

  test("a task whose input does not fit fails for good before any worker sees it", async () => {
    const name = aName("strict_task");
    await client.registerTasks(aTask(`${name}_t`, { inputSchema: schema, enforceSchema: true }));
    await client.register(aWorkflow(name, [simple(`${name}_t`, "t", { inputParameters: { id: "no" } })]));
    const { status, tasks } = await client.ended(await client.start(name));
    expect(status).toBe("FAILED");
    expect(tasks[0]?.status).toBe("FAILED_WITH_TERMINAL_ERROR");
    expect(tasks[0]?.reasonForIncompletion).toContain("inputSchema");
  });

  test("a completed task whose output does not fit has failed after all", async () => {
    const name = aName("strict_output");
    await client.registerTasks(aTask(`${name}_t`, { outputSchema: schema, enforceSchema: true }));
    await client.register(aWorkflow(name, [simple(`${name}_t`, "t")]));
    const id = await client.start(name);
    await client.complete(await client.take(`${name}_t`), { id: "no" });
    const { status, tasks } = await client.ended(id);
    expect(status).toBe("FAILED");
    expect(tasks[0]?.status).toBe("FAILED_WITH_TERMINAL_ERROR");
    expect(tasks[0]?.outputData).toEqual({ id: "no" });
  });
});

test("maskedFields are hidden from readers and not from workers", async () => {
  const name = aName("masked");
  await client.register(
    aWorkflow(name, [simple(`${name}_t`, "t", { inputParameters: { card: "${workflow.input.card}" } })], {
      maskedFields: ["card"],
      outputParameters: { paid: { card: "${t.output.card}", ok: true } },
    }),
  );
  const id = await client.start(name, { card: "4111" });
  const task = await client.take(`${name}_t`);
  expect(task.inputData).toEqual({ card: "4111" });
  await client.complete(task, { card: "4111" });
  const execution = await client.ended(id);
  expect(execution.input).toEqual({ card: "***" });
  expect(execution.output).toEqual({ paid: { card: "***", ok: true } });
  expect(execution.tasks[0]?.inputData).toEqual({ card: "***" });
  expect((await client.task(task.taskId)).outputData).toEqual({ card: "***" });
});

test("a task with a cacheConfig whose key was seen lately takes the stored output", async () => {
  const name = aName("cached");
  const cacheConfig = { key: "${id}", ttlInSecond: 60 };
  await client.register(
    aWorkflow(name, [simple(`${name}_t`, "t", { inputParameters: { id: "${workflow.input.id}" }, cacheConfig })]),
  );
  const first = await client.start(name, { id: 7 });
  await client.complete(await client.take(`${name}_t`), { found: "once" });
  await client.ended(first);
  const second = await client.ended(await client.start(name, { id: 7 }));
  expect(second.output).toEqual({ found: "once" });
  const other = await client.start(name, { id: 8 });
  expect((await client.take(`${name}_t`)).workflowInstanceId).toBe(other);
});
