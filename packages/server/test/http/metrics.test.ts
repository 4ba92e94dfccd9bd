import { afterAll, beforeAll, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { aWorkflow, simple } from "../support/definitions.ts";
import { NODES, startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let client: Client;
beforeAll(async () => {
  server = await startServer();
  client = server.client;
});
afterAll(() => server.close());

/** Values by name and labels, as they are written. Of several servers, all together. */
async function metrics(): Promise<ReadonlyMap<string, number>> {
  const all = new Map<string, number>();
  for (let asked = 0; asked < Math.max(1, NODES); asked++) {
    const { status, headers, text } = await client.get("/../actuator/prometheus");
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain;version=0.0.4;charset=utf-8"]);
    for (const line of text.split("\n").filter((one) => one !== "" && !one.startsWith("#"))) {
      const at = line.lastIndexOf(" ");
      const name = line.slice(0, at);
      all.set(name, (all.get(name) ?? 0) + Number(line.slice(at + 1)));
    }
  }
  return all;
}

test("executions, tasks, polls and queues are counted and timed", async () => {
  const name = 'a "quoted" name';
  await client.register(aWorkflow(name, [simple("metered", "a"), simple("metered", "b")]));
  const [first, second] = [await client.start(name), await client.start(name)];
  await client.complete(await client.take("metered"), {});
  await client.complete(await client.take("metered"), {});
  await client.complete(await client.take("metered"), {});
  await client.delete(`/workflow/${second}`);
  await client.ended(first);
  const found = await metrics();
  const label = 'workflowName="a \\"quoted\\" name"';
  expect(found.get(`workflow_start_success_total{${label}}`)).toBe(2);
  expect(found.get(`workflow_execution_seconds_count{${label}}`)).toBe(2);
  expect(found.get(`workflow_failure_total{${label},status="TERMINATED"}`)).toBe(1);
  expect(found.get('task_scheduled_total{taskType="metered"}')).toBe(4);
  expect(found.get('task_execution_seconds_count{taskType="metered",status="COMPLETED"}')).toBe(3);
  expect(found.get('task_poll_count_total{taskType="metered"}')).toBe(3);
  expect(found.get('task_poll_total{taskType="metered",domain=""}')).toBeGreaterThanOrEqual(3);
  expect(found.get("store_units_total")).toBeGreaterThanOrEqual(found.get("store_groups_total") ?? Infinity);
  expect(found.get("process_resident_memory_bytes")).toBeGreaterThan(1e7);
});

test("work that waits is the depth of its queue", async () => {
  await client.register(aWorkflow("deep", [simple("deep_task", "a")]));
  for (let n = 0; n < 3; n++) await client.start("deep");
  const depth = (await metrics()).get('task_queue_depth{taskType="deep_task"}');
  expect((depth ?? 0) / Math.max(1, NODES)).toBe(3);
});
