import {
  createConductorClient,
  InvalidCronExpression,
  noopLogger,
  Schedule,
  ScheduleNotFound,
} from "@io-orkes/conductor-javascript";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { eventually } from "../support/client.ts";
import { aName, aWorkflow, entry } from "../support/definitions.ts";
import { useSdk } from "./javascript-sdk.ts";

const sdk = useSdk();
const start = Date.UTC(2030, 0, 1);
const days = [start, start + 86_400_000];
const newYear = "0 0 0 1 1 *";
const workflowName = "js_scheduled";
const aSchedule = (name: string, cronExpression = newYear) => ({
  name,
  cronExpression,
  startWorkflowRequest: { name: workflowName, input: { from: "js" } },
});

beforeAll(async () => {
  await sdk.plain.register(aWorkflow(workflowName, [entry("NOOP", "n")]));
});

describe("SchedulerClient of the JavaScript SDK", () => {
  const client = () => sdk.clients.getSchedulerClient();

  test("previews a cron expression", async () => {
    const scheduler = client();
    expect(await scheduler.getNextFewSchedules("0 0 0 * * *", start, undefined, 2)).toEqual(days);
    expect(await scheduler.previewNext("0 0 0 * * *", { n: 2 })).toHaveLength(2);
  });

  test("saves, reads, pauses, resumes and deletes a schedule", async () => {
    const scheduler = client();
    const name = aName("js");
    await scheduler.saveSchedule(aSchedule(name));
    expect(await scheduler.getSchedule(name)).toMatchObject({ ...aSchedule(name), paused: false });
    await scheduler.pauseSchedule(name, "holiday");
    expect(await scheduler.getSchedule(name)).toMatchObject({ paused: true, pausedReason: "holiday" });
    await scheduler.resumeSchedule(name);
    expect((await scheduler.getAllSchedules(workflowName)).map((one) => [one.name, one.paused])).toContainEqual([
      name,
      false,
    ]);
    await scheduler.deleteSchedule(name);
    await expect(scheduler.getSchedule(name)).rejects.toThrow("not found");
  });

  test("finds what came of a schedule", async () => {
    const scheduler = client();
    const name = aName("js");
    await scheduler.saveSchedule(aSchedule(name, "* * * * * *"));
    const found = await eventually(async () => {
      const { results = [] } = await scheduler.search(0, 10, "startTime:DESC", "*", `scheduleName IN (${name})`);
      return results[0];
    });
    await scheduler.deleteSchedule(name);
    expect(found).toMatchObject({ scheduleName: name, workflowName, state: "EXECUTED" });
    expect((await sdk.ended(String(found.workflowId))).input).toMatchObject({ from: "js", _startedByScheduler: name });
  });

  test("tags a schedule", async () => {
    const scheduler = client();
    const name = aName("js");
    const tag = { key: "team", value: "red" };
    await scheduler.saveSchedule(aSchedule(name));
    await scheduler.setSchedulerTags([tag], name);
    expect(await scheduler.getSchedulerTags(name)).toEqual([expect.objectContaining(tag)]);
    await scheduler.deleteSchedulerTags([tag], name);
    expect(await scheduler.getSchedulerTags(name)).toEqual([]);
  });

  test("holds the scheduler of a server", async () => {
    const scheduler = client();
    await scheduler.pauseAllSchedules();
    await scheduler.resumeAllSchedules();
    await scheduler.requeueAllExecutionRecords();
  });

  test("keeps the schedules of an agent as they are declared", async () => {
    const scheduler = client();
    const agent = aName("js_agent");
    await sdk.plain.register(aWorkflow(agent, [entry("NOOP", "n")]));
    const daily = new Schedule({ name: "daily", cron: "0 0 0 * * *", input: { a: 1 } });
    const yearly = new Schedule({ name: "yearly", cron: newYear, timezone: "Asia/Tokyo", paused: true });
    await scheduler.save(daily, agent);
    await scheduler.reconcile(agent, [yearly]);
    expect((await scheduler.listForAgent(agent)).map(({ shortName }) => shortName)).toEqual(["yearly"]);
    const wireName = `${agent}-yearly`;
    await scheduler.resume(wireName);
    await scheduler.pause(wireName, "because");
    const info = await scheduler.get(wireName, agent);
    expect(info).toMatchObject({ timezone: "Asia/Tokyo", paused: true, pausedReason: "because" });
    expect((await sdk.ended(await scheduler.runNow(info))).status).toBe("COMPLETED");
    await scheduler.delete(wireName);
    await expect(scheduler.get(wireName, agent)).rejects.toBeInstanceOf(ScheduleNotFound);
    const bad = scheduler.save(new Schedule({ name: "bad", cron: "0 0 25 * * *" }), agent);
    await expect(bad).rejects.toBeInstanceOf(InvalidCronExpression);
  });
});

test("schedulerResource of the older interface works too", async () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  const { schedulerResource } = await createConductorClient({ serverUrl: sdk.plain.base, logger: noopLogger });
  const name = aName("js");
  expect(await schedulerResource.getNextFewSchedules("@daily", start, undefined, 2)).toEqual(days);
  await schedulerResource.saveSchedule(aSchedule(name));
  expect(await schedulerResource.getSchedule(name)).toMatchObject({ name });
  expect(await schedulerResource.getAllSchedules(workflowName)).toContainEqual(expect.objectContaining({ name }));
  expect(await schedulerResource.searchV21(0, 10, "", "*", name)).toEqual({ totalHits: 0, results: [] });
  expect(await schedulerResource.pauseAllSchedules()).toEqual({ status: "done" });
  expect(await schedulerResource.resumeAllSchedules()).toEqual({ status: "done" });
  expect(await schedulerResource.requeueAllExecutionRecords()).toEqual({ "recordIds.size": 0, sampleIds: [] });
  await schedulerResource.deleteSchedule(name);
  expect(await schedulerResource.getAllSchedules(workflowName)).not.toContainEqual(expect.objectContaining({ name }));
  warned.mockRestore();
});
