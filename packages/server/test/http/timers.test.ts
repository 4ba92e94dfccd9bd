import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client, Json } from "../support/client.ts";
import { aName, aTask, aWorkflow, entry, simple } from "../support/definitions.ts";
import { startServer, type TestServer } from "../support/server.ts";

// Everything here waits for a second or two of real time, so the tests of the file wait side by side.
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

async function oneTask(more: Json): Promise<string> {
  const name = aName("timed");
  await client.registerTasks(aTask(name, more));
  await client.register(aWorkflow(name, [simple(name, "t")]));
  return name;
}

async function measure<T>(work: Promise<T>): Promise<{ result: T; ms: number }> {
  const startedAt = performance.now();
  const result = await work;
  return { result, ms: performance.now() - startedAt };
}

describe.concurrent("a task without an answer", () => {
  test("is timed out after its response timeout and offered to another worker", async () => {
    const name = await oneTask({ responseTimeoutSeconds: 1, retryCount: 1, retryDelaySeconds: 0 });
    const id = await client.start(name);
    const lost = await client.take(name, { workerid: "lost" });
    const { result: again, ms } = await measure(client.take(name, { workerid: "other" }));
    expect(ms).toBeGreaterThan(700);
    expect(again).toMatchObject({ retryCount: 1, retriedTaskId: lost.taskId, workerId: "other" });
    expect(await client.task(lost.taskId)).toMatchObject({ status: "TIMED_OUT", retried: true });
    await client.complete(again);
    expect(await client.ended(id)).toMatchObject({ status: "COMPLETED" });
  });

  test("keeps its worker as long as the lease is extended", async () => {
    const name = await oneTask({ responseTimeoutSeconds: 1 });
    const id = await client.start(name);
    const task = await client.take(name);
    for (let beat = 0; beat < 4; beat++) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await client.update(task, { extendLease: true });
    }
    expect(await client.task(task.taskId)).toMatchObject({ status: "IN_PROGRESS" });
    await client.complete(task);
    expect(await client.ended(id)).toMatchObject({ status: "COMPLETED" });
  });

  test("without a response timeout is waited for", async () => {
    const name = await oneTask({});
    const id = await client.start(name);
    await client.take(name);
    expect(await client.poll(name, { timeout: 1500 })).toEqual([]);
    expect(await client.execution(id)).toMatchObject({ status: "RUNNING", tasks: [{ status: "IN_PROGRESS" }] });
  });

  test("ends its execution after its timeout when that is the policy", async () => {
    const name = await oneTask({ timeoutSeconds: 1, timeoutPolicy: "TIME_OUT_WF" });
    const id = await client.start(name);
    await client.take(name);
    expect(await client.ended(id)).toMatchObject({ status: "TIMED_OUT", tasks: [{ status: "TIMED_OUT" }] });
  });

  test("goes on after its timeout when the policy is only to alert", async () => {
    const name = await oneTask({ timeoutSeconds: 1, timeoutPolicy: "ALERT_ONLY" });
    const id = await client.start(name);
    const task = await client.take(name);
    expect(await client.poll(name, { timeout: 1500 })).toEqual([]);
    await client.complete(task);
    expect(await client.ended(id)).toMatchObject({ status: "COMPLETED" });
  });

  test("that nobody polls is given up after its poll timeout", async () => {
    const name = await oneTask({ pollTimeoutSeconds: 1 });
    const id = await client.start(name);
    const { result, ms } = await measure(client.ended(id));
    expect(result).toMatchObject({ status: "TIMED_OUT", tasks: [{ status: "TIMED_OUT" }] });
    expect(ms).toBeGreaterThan(700);
    expect(await client.poll(name)).toEqual([]);
  });
});

describe.concurrent("a failed task", () => {
  test("is retried after its delay, as often as its definition says", async () => {
    const name = await oneTask({ retryCount: 2, retryDelaySeconds: 1 });
    const id = await client.start(name);
    await client.fail(await client.take(name), "first");
    const { result: second, ms } = await measure(client.take(name));
    expect(ms).toBeGreaterThan(700);
    expect(second).toMatchObject({ retryCount: 1 });
    await client.fail(second, "second");
    await client.fail(await client.take(name), "third");
    const execution = await client.ended(id);
    expect(execution).toMatchObject({ status: "FAILED", reasonForIncompletion: expect.stringContaining("third") });
    expect(execution.tasks.map(({ retryCount, retried }) => [retryCount, retried])).toEqual([
      [0, true],
      [1, true],
      [2, false],
    ]);
  });

  test("is retried at once without a delay", async () => {
    const name = await oneTask({ retryCount: 1, retryDelaySeconds: 0 });
    await client.start(name);
    await client.fail(await client.take(name));
    const { ms } = await measure(client.take(name));
    expect(ms).toBeLessThan(3000);
  });

  test("waits longer each time with exponential back-off", async () => {
    const name = await oneTask({ retryCount: 2, retryDelaySeconds: 1, retryLogic: "EXPONENTIAL_BACKOFF" });
    await client.start(name);
    await client.fail(await client.take(name));
    const first = await measure(client.take(name));
    await client.fail(first.result);
    const second = await measure(client.take(name));
    expect(first.ms).toBeGreaterThan(700);
    expect(second.ms).toBeGreaterThan(1700);
    expect(second.ms).toBeGreaterThan(first.ms);
  });
});

describe.concurrent("a WAIT", () => {
  test.each([
    ["1s", 700],
    ["1 second", 700],
    ["0S", 0],
  ])("of %s ends by itself", async (duration, atLeastMs) => {
    const name = aName("wait");
    await client.register(aWorkflow(name, [entry("WAIT", "w", { inputParameters: { duration } })]));
    const { result, ms } = await measure(client.start(name).then((id) => client.ended(id)));
    expect(result).toMatchObject({ status: "COMPLETED", tasks: [{ status: "COMPLETED" }] });
    expect(ms).toBeGreaterThan(atLeastMs);
    expect(ms).toBeLessThan(4000);
  });

  test("takes its duration from an expression, and ends early when told to", async () => {
    const name = aName("wait");
    const inputParameters = { duration: "${workflow.input.d}" };
    await client.register(aWorkflow(name, [entry("WAIT", "w", { inputParameters })]));
    const id = await client.start(name, { d: "1h" });
    expect(await client.execution(id)).toMatchObject({ tasks: [{ status: "IN_PROGRESS" }] });
    await client.post(`/tasks/${id}/w/COMPLETED`, { early: true });
    expect(await client.ended(id)).toMatchObject({ status: "COMPLETED", output: { early: true } });
  });

  test("until a moment that is past ends at once", async () => {
    const name = aName("wait");
    await client.register(aWorkflow(name, [entry("WAIT", "w", { inputParameters: { until: "2020-01-01 10:00" } })]));
    expect(await client.ended(await client.start(name))).toMatchObject({ status: "COMPLETED" });
  });

  test("with both duration and until fails for good", async () => {
    const name = aName("wait");
    const inputParameters = { duration: "1s", until: "2030-01-01" };
    await client.register(aWorkflow(name, [entry("WAIT", "w", { inputParameters })]));
    expect(await client.ended(await client.start(name))).toMatchObject({
      status: "FAILED",
      tasks: [{ status: "FAILED_WITH_TERMINAL_ERROR" }],
    });
  });
});

describe.concurrent("an execution", () => {
  test("is timed out as a whole when its definition says so", async () => {
    const name = aName("whole");
    await client.register(aWorkflow(name, [simple("any")], { timeoutSeconds: 1, timeoutPolicy: "TIME_OUT_WF" }));
    expect(await client.ended(await client.start(name))).toMatchObject({
      status: "TIMED_OUT",
      reasonForIncompletion: expect.stringContaining("Timeout configured as 1 seconds"),
    });
  });

  test("starts a task after its start delay", async () => {
    const name = aName("delayed");
    await client.register(aWorkflow(name, [simple(name, "t", { startDelay: 1 })]));
    await client.start(name);
    const { result, ms } = await measure(client.take(name));
    expect(result).toMatchObject({ startDelayInSeconds: 1 });
    expect(ms).toBeGreaterThan(700);
  });
});
