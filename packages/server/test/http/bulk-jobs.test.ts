import { afterAll, beforeAll, expect, test } from "vitest";
import { type Client, eventually, type Json } from "../support/client.ts";
import { aName, aTask, aWorkflow, simple } from "../support/definitions.ts";
import { aFolder, NODES, removeFolder, startChildServer, startServer, type TestServer } from "../support/server.ts";
import { Watcher } from "../support/watcher.ts";

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

type Job = Json & { readonly jobId: string; readonly status: string; readonly done: number; readonly failed: number };

async function aCrowd(count: number, on = client): Promise<{ readonly name: string; readonly ids: readonly string[] }> {
  const name = aName("crowd");
  await on.registerTasks(aTask(name));
  await on.register(aWorkflow(name, [simple(name, "t")]));
  return { name, ids: await Promise.all(Array.from({ length: count }, () => on.start(name))) };
}

async function create(body: Json, on = client): Promise<Job> {
  const answer = await on.post("/workflow/bulk/jobs", body);
  expect(answer).toMatchObject({ status: 200 });
  return answer.json as Job;
}

const over = (jobId: string, on = client): Promise<Job> =>
  eventually(async () => {
    const job = (await on.get(`/workflow/bulk/jobs/${jobId}`)).json as Job;
    return job.status === "RUNNING" ? undefined : job;
  }, 60_000);

test("a job does its work to everything that matches and says what it did", async () => {
  const { name, ids } = await aCrowd(250);
  const done = ids.slice(0, 3);
  for (const id of done) await client.put(`/workflow/${id}/pause`);
  const job = await create({ action: "pause", query: `workflowType = '${name}'` });
  expect(job).toMatchObject({ status: "RUNNING", total: 250, action: "pause" });
  const later = await client.start(name);
  expect(await over(job.jobId)).toMatchObject({ status: "COMPLETED", total: 250, done: 250, failed: 0 });
  expect((await client.execution(ids[249] ?? "")).status).toBe("PAUSED");
  expect((await client.execution(later)).status).toBe("RUNNING");
  const results = (await client.get(`/workflow/bulk/jobs/${job.jobId}/results?start=240&size=100`)).json;
  expect(results).toMatchObject({ totalHits: 250, results: { length: 10 } });
  expect((await client.get("/workflow/bulk/jobs")).json).toMatchObject([{ jobId: job.jobId }]);
});

test("what could not be done is in the results, with the reason", async () => {
  const { name, ids } = await aCrowd(2);
  await client.put(`/workflow/${ids[0]}/pause`);
  const { jobId } = await create({ action: "resume", query: `workflowType = '${name}'` });
  expect(await over(jobId)).toMatchObject({ status: "COMPLETED", done: 2, failed: 1 });
  const { results } = (await client.get(`/workflow/bulk/jobs/${jobId}/results`)).json as { results: unknown[] };
  expect(new Set(results)).toEqual(
    new Set([
      { workflowId: ids[0] },
      {
        workflowId: ids[1],
        error: `The workflow ${ids[1]} is not PAUSED so cannot resume. Current status is RUNNING`,
      },
    ]),
  );
});

test("options reach the operation", async () => {
  const { name, ids } = await aCrowd(1);
  await over((await create({ action: "terminate", query: `workflowType = ${name}`, reason: "enough" })).jobId);
  expect((await client.execution(ids[0] ?? "")).reasonForIncompletion).toBe("enough");
  const { jobId } = await create({ action: "remove", query: `workflowType = ${name}`, archiveWorkflow: false });
  expect(await over(jobId)).toMatchObject({ done: 1, failed: 0 });
  expect((await client.get(`/workflow/${ids[0]}`)).status).toBe(404);
});

test("a job is cancelled and forgotten", async () => {
  const { name } = await aCrowd(300);
  const first = await create({ action: "pause", query: `workflowType = ${name}` });
  const second = await create({ action: "resume", query: `workflowType = ${name}` });
  expect((await client.delete(`/workflow/bulk/jobs/${first.jobId}`)).status).toBe(409);
  expect((await client.post(`/workflow/bulk/jobs/${second.jobId}/cancel`)).status).toBe(200);
  expect(await over(second.jobId)).toMatchObject({ status: "CANCELED" });
  expect((await client.post(`/workflow/bulk/jobs/${second.jobId}/cancel`)).status).toBe(409);
  await over(first.jobId);
  expect((await client.delete(`/workflow/bulk/jobs/${first.jobId}`)).status).toBe(200);
  expect((await client.get(`/workflow/bulk/jobs/${first.jobId}`)).status).toBe(404);
});

test("whoever watches hears of all jobs first, however late it came, then how each gets on", async () => {
  const { name } = await aCrowd(150);
  const { jobId: past } = await create({ action: "pause", query: `workflowType = ${name}` });
  await over(past);
  // One at each server.
  const watchers = [await Watcher.open(client, "/workflow/bulk/jobs/stream")];
  if (NODES > 1) watchers.push(await Watcher.open(client, "/workflow/bulk/jobs/stream"));
  for (const watcher of watchers) {
    const { event, data } = await watcher.next();
    expect(event).toBe("jobs");
    expect(data).toContainEqual(expect.objectContaining({ jobId: past, status: "COMPLETED", done: 150 }));
  }
  const { jobId } = await create({ action: "resume", query: `workflowType = ${name}` });
  for (const watcher of watchers) {
    const told = await watcher.until(({ data }) => data["jobId"] === jobId && data["status"] === "COMPLETED");
    expect(told).toMatchObject({ event: "job", data: { total: 150, done: 150, failed: 0 } });
  }
  await client.delete(`/workflow/bulk/jobs/${jobId}`);
  for (const watcher of watchers) {
    expect(await watcher.until(({ event }) => event === "forgotten")).toMatchObject({ data: { jobId } });
    watcher.close();
  }
});

test("cancelling the job under way does not wait for those behind it", async () => {
  const { name } = await aCrowd(200);
  const query = `workflowType = ${name}`;
  const first = await create({ action: "pause", query });
  const others: Job[] = [];
  for (let round = 0; round < 3; round++) others.push(await create({ action: round % 2 ? "pause" : "resume", query }));
  await client.post(`/workflow/bulk/jobs/${first.jobId}/cancel`);
  const { status } = (await client.get(`/workflow/bulk/jobs/${others.at(-1)?.jobId}`)).json as Job;
  expect(status).toBe("RUNNING");
  for (const { jobId } of others) await over(jobId);
});

test.each([
  [{ action: "pause" }, "Expected query to be a text that is not empty"],
  [{ action: "explode", query: "status = RUNNING" }, "Expected action to be one of pause, resume"],
  [{ action: "pause", query: "nofield = 1" }, "unknown field nofield"],
  [[], "Expected a job as body, got a list"],
])("refuses %j", async (body, message) => {
  const answer = await client.post("/workflow/bulk/jobs", body);
  expect(answer.json).toMatchObject({ status: 400, message: expect.stringContaining(message) });
});

test("a job that a crash cut short goes on and does nothing twice", { timeout: 90_000 }, async () => {
  const folder = aFolder();
  try {
    let child = await startChildServer({ folder });
    const { name, ids } = await aCrowd(600, child.client);
    const { jobId } = await create({ action: "terminate", query: `workflowType = '${name}'` }, child.client);
    await eventually(async () => {
      const { done } = (await child.client.get(`/workflow/bulk/jobs/${jobId}`)).json as Job;
      return done > 0 ? true : undefined;
    });
    await child.kill();
    child = await startChildServer({ folder });
    expect(await over(jobId, child.client)).toMatchObject({ status: "COMPLETED", total: 600, done: 600, failed: 0 });
    expect((await child.client.execution(ids[599] ?? "")).status).toBe("TERMINATED");
    expect(await child.stop()).toBe(0);
  } finally {
    removeFolder(folder);
  }
});
