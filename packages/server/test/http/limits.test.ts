import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client, Json, WireTask } from "../support/client.ts";
import { aName, aTask, aWorkflow, simple } from "../support/definitions.ts";
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

async function limited(more: Json, starts: number): Promise<string> {
  const name = aName("limited");
  await client.registerTasks(aTask(name, more));
  await client.register(aWorkflow(name, [simple(name, "t")]));
  await Promise.all(Array.from({ length: starts }, () => client.start(name)));
  return name;
}

describe("a concurrency limit", () => {
  test("holds for every poll, and a batch is cut to it", async () => {
    const name = await limited({ concurrentExecLimit: 2 }, 6);
    expect(await client.poll(name, { count: 5 })).toHaveLength(2);
    expect(await client.poll(name, { count: 5, timeout: 50 })).toEqual([]);
  });

  test("S23: frees a slot for the next at once when a task ends", async () => {
    const name = await limited({ concurrentExecLimit: 1 }, 2);
    const first = await client.take(name);
    const waiting = client.take(name);
    const startedAt = performance.now();
    await client.complete(first);
    await waiting;
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });

  test.each<readonly [string, (task: WireTask) => Promise<unknown>]>([
    ["fails", (task) => client.fail(task)],
    ["is given back for later", (task) => client.update(task, { status: "IN_PROGRESS", callbackAfterSeconds: 600 })],
    ["goes with its execution", (task) => client.delete(`/workflow/${task.workflowInstanceId}`)],
    ["is removed with its execution", (task) => client.delete(`/workflow/${task.workflowInstanceId}/remove`)],
  ])("frees a slot for the next when a task %s", async (_what, end) => {
    const name = await limited({ concurrentExecLimit: 1 }, 2);
    const first = await client.take(name);
    const waiting = client.take(name);
    await end(first);
    expect((await waiting).taskId).not.toBe(first.taskId);
  });

  test("is never exceeded by many workers, and everything is done", async () => {
    const name = await limited({ concurrentExecLimit: 3 }, 40);
    let held = 0;
    let most = 0;
    let done = 0;
    const worker = async (): Promise<void> => {
      while (done < 40) {
        for (const task of await client.poll(name, { count: 2, timeout: 200 })) {
          held++;
          most = Math.max(most, held);
          await client.task(task.taskId);
          // Counted down before the server hears of it: it may give the slot away before its answer is here.
          held--;
          await client.complete(task);
          done++;
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    expect(done).toBe(40);
    expect(most).toBeLessThanOrEqual(3);
  });

  test("lets other task types pass", async () => {
    const full = await limited({ concurrentExecLimit: 1 }, 2);
    const free = await limited({}, 2);
    await client.take(full);
    expect(await client.poll(full)).toEqual([]);
    expect(await client.poll(free, { count: 2 })).toHaveLength(2);
  });

  test("counts over all domains of the task type", async () => {
    const name = await limited({ concurrentExecLimit: 1 }, 1);
    await client.start(name, {}, { taskToDomain: { [name]: "d" } });
    const held = await client.take(name);
    expect(await client.poll(name, { domain: "d" })).toEqual([]);
    const waiting = client.take(name, { domain: "d" });
    await client.complete(held);
    expect(await waiting).toMatchObject({ domain: "d" });
  });

  test("set after the start of an execution does not stop what it has", async () => {
    const name = await limited({}, 3);
    await client.put("/metadata/taskdefs", aTask(name, { concurrentExecLimit: 1 }));
    expect((await client.poll(name, { count: 3 })).length).toBeGreaterThan(0);
  });
});

describe("a rate limit", () => {
  test("gives as many as the window allows, and the rest when it moves on", async () => {
    const name = await limited({ rateLimitPerFrequency: 2, rateLimitFrequencyInSeconds: 1 }, 3);
    const startedAt = performance.now();
    const first = await client.poll(name, { count: 5 });
    expect(first).toHaveLength(2);
    expect(await client.poll(name, { count: 5, timeout: 0 })).toEqual([]);
    await Promise.all(first.map((task) => client.complete(task)));
    expect(await client.poll(name, { count: 5, timeout: 0 })).toEqual([]);
    await client.take(name);
    const waitedMs = performance.now() - startedAt;
    expect(waitedMs).toBeGreaterThan(800);
    expect(waitedMs).toBeLessThan(3000);
  });

  test("is no limit when it is 0", async () => {
    const name = await limited({ rateLimitPerFrequency: 0 }, 20);
    expect(await client.poll(name, { count: 50 })).toHaveLength(20);
  });
});

describe("limits of tasks the server runs itself", () => {
  test("a concurrency limit holds for sub-workflows until they end", async () => {
    const name = aName("limited_child");
    await client.registerTasks(aTask(`${name}_sub`, { concurrentExecLimit: 2 }));
    await client.register(
      aWorkflow(`${name}_child`, [simple(`${name}_t`, "t")]),
      aWorkflow(name, [
        {
          name: `${name}_sub`,
          taskReferenceName: "sub",
          type: "SUB_WORKFLOW",
          subWorkflowParam: { name: `${name}_child`, version: 1 },
        },
      ]),
    );
    const ids = await Promise.all(Array.from({ length: 5 }, () => client.start(name)));
    const open: WireTask[] = [];
    for (let left = 5; left > 0; left--) {
      open.push(...(await client.poll(`${name}_t`, { count: 10, timeout: open.length === 0 ? 3000 : 100 })));
      expect(open.length).toBeLessThanOrEqual(2);
      const task = open.shift();
      if (task === undefined) throw new Error("Expected a freed slot to let the next child start");
      await client.complete(task);
    }
    for (const id of ids) expect((await client.ended(id)).status).toBe("COMPLETED");
  });

  test("a rate limit holds for scripts", async () => {
    const name = aName("limited_script");
    await client.registerTasks(aTask(name, { rateLimitPerFrequency: 2, rateLimitFrequencyInSeconds: 1 }));
    await client.register(
      aWorkflow(name, [
        {
          name,
          taskReferenceName: "i",
          type: "INLINE",
          inputParameters: { evaluatorType: "graaljs", expression: "1" },
        },
      ]),
    );
    const startedAt = performance.now();
    const ids = await Promise.all(Array.from({ length: 5 }, () => client.start(name)));
    for (const id of ids) expect((await client.ended(id)).output).toEqual({ result: 1 });
    expect(performance.now() - startedAt).toBeGreaterThan(1800);
  });

  test("a worker cannot poll what waits for a slot", async () => {
    expect(await client.poll("_limited", { count: 10 })).toEqual([]);
  });
});
