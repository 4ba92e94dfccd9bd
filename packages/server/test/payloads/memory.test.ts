import { request } from "node:http";
import { afterAll, expect, test } from "vitest";
import { aTask, aWorkflow, simple } from "../support/definitions.ts";
import { canMeasureMemory, memoryOf } from "../support/memory.ts";
import { aFolder, type ChildServer, removeFolder, startChildServer } from "../support/server.ts";

const MB = 1024 * 1024;
const OUTPUT_MB = 100;
const folder = aFolder();
let server: ChildServer;

afterAll(async () => {
  await server?.kill();
  removeFolder(folder);
});

/** Sends an object of so many megabytes as a member of a body, without ever having it. */
async function sendLarge(url: string, method: string, before: string, after: string): Promise<number> {
  const [head, tail] = [Buffer.from(`${before}{"list":[`), Buffer.from(`0]}${after}`)];
  const line = Buffer.from(`"${"y".repeat(1021)}",`);
  const block = Buffer.concat(Array(1024).fill(line));
  expect(block.length).toBe(MB);
  const headers = { "content-type": "application/json", "content-length": head.length + OUTPUT_MB * MB + tail.length };
  const sending = request(url, { method, headers });
  const answered = new Promise<number>((resolve, reject) => {
    sending.on("error", reject);
    sending.on("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
  });
  sending.write(head);
  for (let i = 0; i < OUTPUT_MB; i++) {
    if (!sending.write(block)) await new Promise((resolve) => sending.once("drain", resolve));
  }
  sending.end(tail);
  return await answered;
}

async function sizeOf(url: string): Promise<number> {
  const { body } = await fetch(url);
  let bytes = 0;
  for await (const chunk of body ?? []) bytes += (chunk as Uint8Array).length;
  return bytes;
}

test.skipIf(!canMeasureMemory)(
  "an output of 100 MB passes through while the memory grows by less than twice that",
  { timeout: 180_000 },
  async () => {
    const settings = {
      "service.app.maxTaskOutputPayloadSizeThreshold": "200MB",
      "service.app.maxWorkflowOutputPayloadSizeThreshold": "200MB",
    };
    server = await startChildServer({ folder, settings });
    const { client, pid } = server;
    await client.registerTasks(aTask("big"));
    await client.register(aWorkflow("big", [simple("big", "a")]));
    const inline = await client.start("big");
    const task = await client.take("big");
    const before = memoryOf(pid).now;
    const result = `{"taskId":"${task.taskId}","workflowInstanceId":"${inline}","status":"COMPLETED","outputData":`;
    expect(await sendLarge(`${client.base}/tasks`, "POST", result, "}")).toBe(200);
    expect(await sizeOf(`${client.base}/workflow/${inline}`)).toBeGreaterThan(2 * OUTPUT_MB * MB);

    const apart = await client.start("big");
    const other = await client.take("big");
    const location = await client.get("/tasks/externalstoragelocation?path=&operation=WRITE&payloadType=TASK_OUTPUT");
    const { uri, path } = location.json as { uri: string; path: string };
    expect(await sendLarge(uri, "PUT", "", "")).toBe(200);
    await client.update(other, { status: "COMPLETED", externalOutputPayloadStoragePath: path });
    expect(await sizeOf(`${client.base}/tasks/${other.taskId}`)).toBeGreaterThan(OUTPUT_MB * MB);
    expect((await client.get(`/workflow/${apart}?externalPayloads=true`)).json).toMatchObject({ status: "COMPLETED" });

    const grown = memoryOf(pid).peak - before;
    process.stdout.write(`A server of ${Math.round(before / MB)} MB grew by ${Math.round(grown / MB)} MB at most\n`);
    expect(grown).toBeLessThan(2 * OUTPUT_MB * MB);
  },
);
