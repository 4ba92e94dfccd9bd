import { createConductorClient, noopLogger } from "@io-orkes/conductor-javascript";
import { expect, test, vi } from "vitest";
import { useSdk } from "./javascript-sdk.ts";

const sdk = useSdk();
const start = Date.UTC(2030, 0, 1);
const days = [start, start + 86_400_000];

test("SchedulerClient of the JavaScript SDK previews a cron expression", async () => {
  const scheduler = sdk.clients.getSchedulerClient();
  expect(await scheduler.getNextFewSchedules("0 0 0 * * *", start, undefined, 2)).toEqual(days);
  expect(await scheduler.previewNext("0 0 0 * * *", { n: 2 })).toHaveLength(2);
});

test("schedulerResource of the older interface does too", async () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  const { schedulerResource } = await createConductorClient({ serverUrl: sdk.plain.base, logger: noopLogger });
  expect(await schedulerResource.getNextFewSchedules("@daily", start, undefined, 2)).toEqual(days);
  warned.mockRestore();
});
