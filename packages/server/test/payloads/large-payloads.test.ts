import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesIn } from "../files/local-files.ts";
import type { Client, Json, WireExecution } from "../support/client.ts";
import { aName, aTask, aWorkflow, entry, simple } from "../support/definitions.ts";
import { aFolder, removeFolder, startServer, type TestServer } from "../support/server.ts";

const KB = 1024;
const folder = aFolder();
const stored = (): string[] => {
  try {
    return filesIn(join(folder, "test.db.payloads"));
  } catch {
    // No payload was large yet.
    return [];
  }
};

let server: TestServer;
let client: Client;

const start = async () => {
  server = await startServer({
    folder,
    settings: {
      "service.app.workflowInputPayloadSizeThreshold": "20KB",
      "service.app.workflowOutputPayloadSizeThreshold": "20KB",
      "service.app.taskInputPayloadSizeThreshold": "20KB",
      "service.app.taskOutputPayloadSizeThreshold": "20KB",
      "service.app.maxWorkflowInputPayloadSizeThreshold": "200KB",
      "service.app.maxWorkflowOutputPayloadSizeThreshold": "200KB",
      "service.app.maxTaskInputPayloadSizeThreshold": "200KB",
      "service.app.maxTaskOutputPayloadSizeThreshold": "300KB",
      "service.server.body-limit": "1MB",
    },
  });
  client = server.client;
};
beforeAll(start);
afterAll(async () => {
  await server.close();
  removeFolder(folder);
  expect(server.errors).toEqual([]);
});

const large = (kilobytes: number, mark = "é"): Json => ({
  mark,
  list: Array(kilobytes).fill("x".repeat(KB - 3)),
  end: { n: 1 },
});

async function registered(stem: string, tasks: (type: string) => readonly Json[], more: Json = {}): Promise<string> {
  const name = aName(stem);
  await client.registerTasks(aTask(name));
  await client.register(aWorkflow(name, tasks(name), more));
  return name;
}

describe("above the threshold", () => {
  test("input and output move to the payload store, and come back whole", async () => {
    const name = await registered("moves", (type) => [
      simple(type, "a", { inputParameters: { all: "${workflow.input}" } }),
      simple(type, "b", {
        inputParameters: { whole: "${a.output}", part: "${a.output.end.n}", mark: "${a.output.mark}" },
      }),
    ]);
    const [input, output] = [large(30, "in"), large(40, "out ☃")];
    const id = await client.start(name, input);
    const a = await client.take(name);
    expect(a.inputData).toEqual({ all: input });
    await client.complete(a, output);
    const b = await client.take(name);
    expect(b.inputData).toEqual({ whole: output, part: 1, mark: "out ☃" });
    await client.complete(b, output);
    const ended = await client.ended(id);
    expect(ended).toMatchObject({ status: "COMPLETED", input, output });
    expect(ended.tasks.map(({ outputData }) => outputData)).toEqual([output, output]);
    expect(await client.task(b.taskId)).toMatchObject({ inputData: { whole: output }, outputData: output });
    // Three inputs and two outputs; the workflow's output is that of its last task, and is not stored twice.
    expect(stored()).toHaveLength(5);
    const summary = await client.get(`/workflow/search?query=${encodeURIComponent(`workflowId='${id}'`)}`);
    expect((summary.json as { results: Json[] }).results[0]).toMatchObject({
      input: "{}",
      externalInputPayloadStoragePath: expect.stringMatching(/^workflow\/input\//),
      externalOutputPayloadStoragePath: expect.stringMatching(/^task\/output\//),
    });
    const found = await client.get(`/workflow/search-v2?query=${encodeURIComponent(`workflowId='${id}'`)}`);
    expect((found.json as { results: Json[] }).results[0]).toMatchObject({ input, output });
    const status = await client.get(`/workflow/${id}/status?includeOutput=true`);
    expect(status.json).toMatchObject({ output });
    const page = await client.get(`/workflow/${id}/tasks`);
    expect((page.json as { results: Json[] }).results.map(({ outputData }) => outputData)).toEqual([output, output]);
  });

  test("asked for, they are shown by their path, and can be fetched there", async () => {
    const name = await registered("paths", (type) => [simple(type, "a")]);
    const [input, output] = [large(30), large(31)];
    const id = await client.start(name, input);
    const task = await client.take(name);
    await client.complete(task, output);
    const shown = (await client.get(`/workflow/${id}?externalPayloads=true`)).json as WireExecution;
    expect(shown).toMatchObject({ input: {}, output: {}, tasks: [{ outputData: {} }] });
    for (const [path, payload] of [
      [shown["externalInputPayloadStoragePath"], input],
      [shown["externalOutputPayloadStoragePath"], output],
      [shown.tasks[0]?.["externalOutputPayloadStoragePath"], output],
    ] as const) {
      const query = `path=${path}&operation=READ&payloadType=TASK_OUTPUT`;
      const { uri } = (await client.get(`/tasks/externalstoragelocation?${query}`)).json as { uri: string };
      expect(await (await fetch(uri)).json()).toEqual(payload);
    }
    const one = (await client.get(`/tasks/${task.taskId}?externalPayloads=true`)).json;
    expect(one).toMatchObject({ outputData: {}, externalOutputPayloadStoragePath: expect.any(String) });
    const whole = await client.execution(id);
    expect(whole).not.toHaveProperty("externalInputPayloadStoragePath");
  });

  test("they pass through forks, joins, loops and sub-workflows", async () => {
    const child = await registered("child", (type) => [
      simple(type, "inside", { inputParameters: { got: "${workflow.input.of}" } }),
    ]);
    const name = await registered("through", (type) => [
      entry("FORK_JOIN", "fork", { forkTasks: [[simple(type, "l")], [simple(type, "r")]] }),
      entry("JOIN", "join", { joinOn: ["l", "r"] }),
      entry("DO_WHILE", "loop", { loopCondition: "$.loop.iteration < 2", loopOver: [simple(type, "turn")] }),
      entry("SUB_WORKFLOW", "sub", {
        subWorkflowParam: { name: child },
        inputParameters: { of: "${join.output.l}" },
      }),
      entry("INLINE", "script", {
        inputParameters: { evaluatorType: "javascript", expression: "$.given.list.length", given: "${sub.output}" },
      }),
    ]);
    const output = large(30);
    const id = await client.start(name);
    for (let i = 0; i < 4; i++) await client.complete(await client.take(name), output);
    const inside = await client.take(child);
    expect(inside.inputData).toEqual({ got: output });
    await client.complete(inside, output);
    const { tasks, status } = await client.ended(id);
    expect(status).toBe("COMPLETED");
    const outputOf = (ref: string) => tasks.find(({ referenceTaskName }) => referenceTaskName === ref)?.outputData;
    expect(outputOf("join")).toEqual({ l: output, r: output });
    expect(outputOf("loop")).toEqual({ 1: { turn: output }, 2: { turn: output }, iteration: 2 });
    expect(outputOf("sub")).toMatchObject(output);
    expect(outputOf("script")).toEqual({ result: 30 });
    // The child's payloads go with it; the parent has its own.
    await client.delete(`/workflow/${inside.workflowInstanceId}/remove`);
    const again = await client.execution(id);
    expect(again.tasks.find(({ referenceTaskName }) => referenceTaskName === "sub")?.outputData).toMatchObject(output);
  });

  test("what a definition masks stays masked", async () => {
    const name = await registered("masked", (type) => [simple(type, "a")], { maskedFields: ["mark"] });
    const id = await client.start(name, large(30, "secret"));
    expect((await client.get(`/workflow/${id}`)).text).not.toContain("secret");
  });

  test("retries and reruns find them", async () => {
    const name = await registered("again", (type) => [
      simple(type, "a"),
      simple(type, "b", { inputParameters: { in: "${a.output}" } }),
    ]);
    const id = await client.start(name);
    const output = large(30);
    await client.complete(await client.take(name), output);
    await client.fail(await client.take(name));
    await client.ended(id);
    await client.post(`/workflow/${id}/retry`);
    const b = await client.take(name);
    expect(b.inputData).toEqual({ in: output });
    await server.close();
    await start();
    await client.complete(b, { done: true });
    expect((await client.ended(id)).output).toEqual({ done: true });
  });
});

describe("above the maximum", () => {
  test.each([310, 900, 3000])("an output of %s KB fails its task for good, and says why", async (kilobytes) => {
    const name = await registered("too_large", (type) => [simple(type, "a")]);
    const id = await client.start(name);
    const task = await client.take(name);
    const outputData = large(kilobytes);
    const size = Buffer.byteLength(JSON.stringify(outputData));
    await client.update(task, { status: "COMPLETED", outputData });
    const { status, tasks } = await client.ended(id);
    expect(status).toBe("FAILED");
    expect(tasks[0]).toMatchObject({
      status: "FAILED_WITH_TERMINAL_ERROR",
      outputData: {},
      reasonForIncompletion: `The payload size: ${size} of task: ${task.taskId} in workflow: ${id}  is greater than the permissible limit: ${300 * KB} bytes`,
    });
  });

  test("an output that was handed over apart fails its task too", async () => {
    const name = await registered("too_large_apart", (type) => [simple(type, "a")]);
    const id = await client.start(name);
    const { uri, path } = (
      await client.get("/tasks/externalstoragelocation?path=&operation=WRITE&payloadType=TASK_OUTPUT")
    ).json as { uri: string; path: string };
    expect((await fetch(uri, { method: "PUT", body: JSON.stringify(large(400)) })).status).toBe(200);
    await client.update(await client.take(name), { status: "COMPLETED", externalOutputPayloadStoragePath: path });
    expect((await client.ended(id)).tasks[0]).toMatchObject({ status: "FAILED_WITH_TERMINAL_ERROR" });
  });

  test("a start is refused", async () => {
    const name = await registered("start_too_large", (type) => [simple(type, "a")]);
    const refused = await client.post("/workflow", { name, input: large(300) });
    expect(refused.json).toMatchObject({
      status: 400,
      message: expect.stringContaining(`is greater than the permissible limit: ${200 * KB} bytes`),
    });
  });

  test("an input of a task fails it, and an output of a workflow the workflow", async () => {
    const name = await registered("sums", (type) => [
      simple(type, "a"),
      simple(type, "b", { inputParameters: { x: "${a.output}" } }),
    ]);
    const id = await client.start(name);
    await client.complete(await client.take(name), large(250));
    expect((await client.ended(id)).tasks[1]).toMatchObject({ status: "FAILED_WITH_TERMINAL_ERROR", inputData: {} });
    const single = await registered("single", (type) => [simple(type, "a")]);
    const other = await client.start(single);
    await client.complete(await client.take(single), large(250));
    expect(await client.ended(other)).toMatchObject({ status: "FAILED", output: {} });
  });
});

describe("what comes in", () => {
  test("a large result with broken JSON is a 400, whole or in pieces", async () => {
    const name = await registered("broken", (type) => [simple(type, "a")]);
    await client.start(name);
    const { taskId, workflowInstanceId } = await client.take(name);
    const good = JSON.stringify({ taskId, workflowInstanceId, status: "COMPLETED", outputData: large(50) });
    for (const text of [
      good.slice(0, -2),
      good.replace('"end"', "end"),
      good.replace("é", "\u0007"),
      `${good.slice(0, -1)}`,
    ]) {
      expect((await client.send("POST", "/tasks", { text })).status).toBe(400);
    }
    expect((await client.send("POST", "/tasks", { text: good })).status).toBe(200);
  });

  test("a result that does not say its size is taken all the same", async () => {
    const name = await registered("chunked", (type) => [simple(type, "a")]);
    for (const outputData of [{ small: 1 }, large(50)]) {
      const id = await client.start(name);
      const { taskId, workflowInstanceId } = await client.take(name);
      const text = JSON.stringify({ outputData, taskId, workflowInstanceId, status: "COMPLETED" });
      const body = new Blob([text]).stream();
      const { status } = await fetch(`${client.base}/tasks`, { method: "POST", body, duplex: "half" } as RequestInit);
      expect(status).toBe(200);
      expect((await client.ended(id)).output).toEqual(outputData);
    }
  });

  test("one upload may serve several executions, and each keeps its own", async () => {
    const name = await registered("shared", (type) => [
      simple(type, "a", { inputParameters: { n: "${workflow.input.end.n}" } }),
    ]);
    const { uri, path } = (
      await client.get("/workflow/externalstoragelocation?path=mine/&operation=WRITE&payloadType=WORKFLOW_INPUT")
    ).json as { uri: string; path: string };
    await fetch(uri, { method: "PUT", body: JSON.stringify(large(60)) });
    const ids: string[] = [];
    for (let i = 0; i < 2; i++) {
      ids.push((await client.post("/workflow", { name, externalInputPayloadStoragePath: path })).text);
      expect((await client.take(name)).inputData).toEqual({ n: 1 });
    }
    await client.delete(`/workflow/${ids[0]}/remove`);
    expect((await client.execution(ids[1] ?? "")).input).toEqual(large(60));
  });
});

test("an output that a worker reports again and again is stored once", async () => {
  const name = await registered("progress", (type) => [simple(type, "a")]);
  const id = await client.start(name);
  const before = stored().length;
  for (let i = 0; i < 5; i++) {
    const outputData = large(30 + i);
    await client.update(await client.take(name), { status: "IN_PROGRESS", outputData });
    expect((await client.execution(id)).tasks[0]?.outputData).toEqual(outputData);
  }
  expect(stored().length).toBe(before + 1);
  await client.complete(await client.take(name), large(50));
  expect((await client.ended(id)).output).toEqual(large(50));
  expect(stored().length).toBe(before + 1);
});

test("payloads go with their execution", async () => {
  const before = stored().length;
  const name = await registered("removed", (type) => [
    simple(type, "a", { inputParameters: { all: "${workflow.input}" } }),
  ]);
  const id = await client.start(name, large(30));
  await client.complete(await client.take(name), large(30));
  await client.ended(id);
  expect(stored().length).toBe(before + 3);
  expect((await client.delete(`/workflow/${id}/remove`)).status).toBe(200);
  expect(stored().length).toBe(before);
});
