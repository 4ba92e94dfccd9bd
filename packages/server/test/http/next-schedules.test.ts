import { afterAll, beforeAll, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
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

const start = Date.UTC(2030, 0, 1);
const next = (parameters: Readonly<Record<string, string | number>>) => {
  const pairs = Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]);
  return client.get(`/scheduler/nextFewSchedules?${new URLSearchParams(pairs)}`);
};

test("the next times of a cron expression, the start among them, up to the end", async () => {
  const cronExpression = "0 0/10 * * * ?";
  const minutes = (...list: number[]) => list.map((minute) => start + minute * 60_000);
  expect((await next({ cronExpression, scheduleStartTime: start })).json).toEqual(minutes(0, 10, 20, 30, 40));
  const bounded = { cronExpression, scheduleStartTime: start, scheduleEndTime: start + 1_200_000, limit: 50 };
  expect((await next(bounded)).json).toEqual(minutes(0, 10, 20));
  expect((await next({ cronExpression, limit: 0 })).json).toEqual([]);
  expect((await next({ cronExpression: "0 0 0 * * *", limit: 1200 })).json).toHaveLength(1000);
});

test("in a time zone", async () => {
  const noon = { cronExpression: "0 0 12 * * *", scheduleStartTime: start, limit: 1, zoneId: "Asia/Tokyo" };
  expect((await next(noon)).json).toEqual([start + 3 * 3_600_000]);
});

test.each([
  [{ cronExpression: "0 0 25 * * *" }, "cron"],
  [{ cronExpression: "nope" }, "cron"],
  [{ cronExpression: "@daily", zoneId: "Mars/Base" }, "Unknown time-zone ID: Mars/Base"],
  [{ limit: 1 }, "Required request parameter 'cronExpression'"],
])("refuses %j", async (parameters, message) => {
  expect((await next(parameters)).json).toMatchObject({ status: 400, message: expect.stringContaining(message) });
});
