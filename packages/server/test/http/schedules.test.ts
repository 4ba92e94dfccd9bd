import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, eventually, type Json } from "../support/client.ts";
import { aName, aWorkflow, entry } from "../support/definitions.ts";
import { aFolder, NODES, removeFolder, startServer, type TestServer } from "../support/server.ts";

const everySecond = "* * * * * *";
const never = "0 0 0 1 1 *";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const aSchedule = (name: string, more: Json = {}): Json => ({
  name,
  cronExpression: never,
  startWorkflowRequest: { name: "scheduled" },
  ...more,
});

type Record = {
  readonly executionId: string;
  readonly scheduledTime: number;
  readonly executionTime: number;
  readonly workflowId: string;
  readonly state: string;
  readonly zoneId: string;
};

const save = async (client: Client, schedule: Json): Promise<Json> => {
  const { status, json, text } = await client.post("/scheduler/schedules", schedule);
  if (status !== 200) throw new Error(text);
  return json as Json;
};

const records = async (client: Client, name: string, more = "&sort=scheduledTime:ASC"): Promise<readonly Record[]> => {
  const query = encodeURIComponent(`scheduleName IN (${name})`);
  const { json } = await client.get(`/scheduler/search/executions?query=${query}${more}`);
  return (json as { results: Record[] }).results;
};

const ran = (client: Client, name: string, times: number): Promise<readonly Record[]> =>
  eventually(async () => {
    const found = await records(client, name);
    return found.length >= times ? found : undefined;
  }, 15_000);

const register = (client: Client) =>
  client.register(aWorkflow("scheduled", [entry("NOOP", "n")], { outputParameters: { in: "${workflow.input}" } }));

describe("a schedule", () => {
  let server: TestServer;
  let client: Client;
  beforeAll(async () => {
    server = await startServer();
    client = server.client;
    await register(client);
  });
  afterAll(async () => {
    await server.close();
    expect(server.errors).toEqual([]);
  });

  test("fires every slot once, on time, and tells the execution about it", async () => {
    const name = aName("fires");
    const request = { name: "scheduled", input: { a: 1, _scheduledTime: "mine" }, priority: 7 };
    const correlationId = "${scheduleName} ${scheduledTime} ${executedTime} ${executionId} ${other}";
    const savedAt = Date.now();
    await save(
      client,
      aSchedule(name, { cronExpression: everySecond, startWorkflowRequest: { ...request, correlationId } }),
    );
    const [first, second] = await ran(client, name, 2);
    await client.delete(`/scheduler/schedules/${name}`);
    if (first === undefined || second === undefined) throw new Error("Expected two records");
    expect(first.scheduledTime).toBeGreaterThan(savedAt);
    expect(second.scheduledTime - first.scheduledTime).toBe(1000);
    expect(first.executionTime).toBeGreaterThanOrEqual(first.scheduledTime);
    expect(first).toEqual({
      executionId: expect.stringMatching(UUID),
      scheduleName: name,
      scheduledTime: first.scheduledTime,
      executionTime: first.executionTime,
      workflowName: "scheduled",
      workflowId: expect.stringMatching(UUID),
      startWorkflowRequest: { ...request, correlationId, taskToDomain: {} },
      state: "EXECUTED",
      zoneId: "UTC",
    });
    const { input, priority, correlationId: filled } = await client.execution(first.workflowId);
    expect(input).toEqual({
      a: 1,
      _scheduledTime: first.scheduledTime,
      _executedTime: first.executionTime,
      _startedByScheduler: name,
      _executionId: first.executionId,
      _schedulerCron: "* * * * * * UTC",
    });
    const { scheduledTime, executionTime, executionId } = first;
    expect([priority, filled]).toEqual([7, `${name} ${scheduledTime} ${executionTime} ${executionId} \${other}`]);
  });

  test("whose workflow cannot be started has records that say why, and goes on", async () => {
    const name = aName("fails");
    await save(
      client,
      aSchedule(name, { cronExpression: everySecond, startWorkflowRequest: { name: "unknown", version: 3 } }),
    );
    const [first] = await ran(client, name, 2);
    expect(first).toMatchObject({ state: "FAILED", reason: "No such workflow defined. name=unknown, version=3" });
    expect(first).not.toHaveProperty("workflowId");
    await client.register(aWorkflow("unknown", [entry("NOOP", "n")], { version: 3 }));
    await eventually(async () =>
      (await records(client, name)).some(({ state }) => state === "EXECUTED") ? true : undefined,
    );
    await client.delete(`/scheduler/schedules/${name}`);
  });

  test("with several expressions fires each of them, in its own zone", async () => {
    const name = aName("several");
    const cronSchedules = [{ cronExpression: everySecond, zoneId: "Asia/Tokyo" }, { cronExpression: "*/1 * * * * *" }];
    const saved = await save(client, aSchedule(name, { cronExpression: never, cronSchedules }));
    expect(saved["cronSchedules"]).toEqual([cronSchedules[0], { ...cronSchedules[1], zoneId: "UTC" }]);
    const found = (await ran(client, name, 4)).slice(0, 4);
    await client.delete(`/scheduler/schedules/${name}`);
    const [slot = 0] = found.map(({ scheduledTime }) => scheduledTime);
    expect(found.map(({ scheduledTime, zoneId }) => `${scheduledTime - slot} ${zoneId}`).sort()).toEqual([
      "0 Asia/Tokyo",
      "0 UTC",
      "1000 Asia/Tokyo",
      "1000 UTC",
    ]);
  });

  test("fires within its window only, both ends included", async () => {
    const name = aName("window");
    const second = Math.ceil(Date.now() / 1000) * 1000 + 1000;
    await save(
      client,
      aSchedule(name, { cronExpression: everySecond, scheduleStartTime: second, scheduleEndTime: second + 1000 }),
    );
    expect((await client.get(`/scheduler/schedules/${name}/next`)).json).toEqual([second, second + 1000]);
    const found = await ran(client, name, 2);
    expect(found.map(({ scheduledTime }) => scheduledTime)).toEqual([second, second + 1000]);
    const after = await eventually(async () => {
      const { json } = await client.get(`/scheduler/schedules/${name}`);
      return Object.hasOwn(json as Json, "nextRunTime") ? undefined : (json as Json);
    });
    expect(after).toMatchObject({ paused: false });
  });

  test("that is paused does not fire, shows why, and does not make up for it", async () => {
    const name = aName("paused");
    await save(client, aSchedule(name, { cronExpression: everySecond, runCatchupScheduleInstances: true }));
    await ran(client, name, 1);
    expect((await client.put(`/scheduler/schedules/${name}/pause?reason=holiday`)).status).toBe(200);
    const before = await records(client, name);
    const paused = (await client.get(`/scheduler/schedules/${name}`)).json as Json;
    expect(paused).toMatchObject({ paused: true, pausedReason: "holiday" });
    expect(paused).not.toHaveProperty("nextRunTime");
    const missed = Math.floor(Date.now() / 1000) * 1000 + 1000;
    await eventually(async () => (Date.now() > missed + 100 ? true : undefined));
    expect(await records(client, name)).toEqual(before);
    expect((await client.put(`/scheduler/schedules/${name}/resume`)).status).toBe(200);
    expect((await client.put(`/scheduler/schedules/${name}/resume`)).status).toBe(200);
    const after = await ran(client, name, before.length + 1);
    await client.delete(`/scheduler/schedules/${name}`);
    expect(after.map(({ scheduledTime }) => scheduledTime)).not.toContain(missed);
    expect((await client.get(`/scheduler/schedules/${name}`)).status).toBe(404);
  });

  test("is shown with everything it has", async () => {
    const name = aName("shown");
    const before = Date.now();
    const saved = await save(client, aSchedule(name, { description: "d", scheduleStartTime: 0, scheduleEndTime: 0 }));
    expect(saved).toEqual({
      name,
      cronExpression: never,
      zoneId: "UTC",
      cronSchedules: [],
      startWorkflowRequest: { name: "scheduled", input: {}, taskToDomain: {}, priority: 0 },
      runCatchupScheduleInstances: false,
      paused: false,
      description: "d",
      createTime: expect.any(Number),
      updatedTime: expect.any(Number),
      createdBy: "",
      updatedBy: "",
      nextRunTime: Date.UTC(new Date().getUTCFullYear() + 1, 0, 1),
    });
    expect(saved["createTime"]).toBeGreaterThanOrEqual(before);
    const again = await save(client, aSchedule(name, { zoneId: "Asia/Kolkata" }));
    expect(again).toMatchObject({ createTime: saved["createTime"], zoneId: "Asia/Kolkata" });
    expect(again).not.toHaveProperty("description");
    expect((await client.get(`/scheduler/schedules/${name}`)).json).toEqual(again);
  });

  test.each([
    [{ name: " " }, "Schedule name is required"],
    [{ name: "x".repeat(501) }, "Expected a schedule name of at most 500 characters, got 501"],
    [{ startWorkflowRequest: undefined }, "startWorkflowRequest.name is required"],
    [{ startWorkflowRequest: { input: {} } }, "startWorkflowRequest.name is required"],
    [{ cronExpression: undefined }, "cronExpression is required"],
    [
      { cronExpression: "0 0 25 * * *" },
      'Invalid cron expression "0 0 25 * * *": hour 25 at character 5 is not between 0 and 23',
    ],
    [{ zoneId: "Mars/Base" }, "Unknown time-zone ID: Mars/Base"],
    [{ scheduleStartTime: 2000, scheduleEndTime: 2000 }, "scheduleEndTime must be after scheduleStartTime"],
    [{ startWorkflowRequest: { name: "a", priority: 100 } }, "priority: 100 should be maximum 99"],
    [{ startWorkflowRequest: { name: "a", priority: -1 } }, "priority: -1 should be minimum 0"],
    [{ cronSchedules: [{ cronExpression: never }, {}] }, "cronExpression is required in cronSchedules[1]"],
    [
      { cronSchedules: [{ cronExpression: never, zoneId: "Nowhere" }] },
      "Unknown time-zone ID: Nowhere in cronSchedules[0]",
    ],
    [{ paused: "perhaps" }, 'Expected paused to be a boolean, got "perhaps"'],
  ])("with %o is refused", async (fields, message) => {
    const { status, json } = await client.post("/scheduler/schedules", aSchedule("bad", fields));
    expect([status, json]).toEqual([400, expect.objectContaining({ status: 400, message, retryable: false })]);
    expect((await client.get("/scheduler/schedules/bad")).status).toBe(404);
  });

  test("without a slot to come, and with a blank zone, is taken", async () => {
    const saved = await save(client, aSchedule(aName("30 February"), { cronExpression: "0 0 0 30 2 ?", zoneId: " " }));
    expect(saved).not.toHaveProperty("nextRunTime");
    expect(saved["zoneId"]).toBe(" ");
  });

  test("runs now when asked, also while it is paused", async () => {
    const name = aName("by hand");
    const path = `/scheduler/schedules/${encodeURIComponent(name)}`;
    await save(client, aSchedule(name, { paused: true }));
    const { status, json } = await client.post(`${path}/run`);
    const record = json as Record;
    expect([status, record.state, record.scheduledTime]).toEqual([200, "EXECUTED", record.executionTime]);
    expect((await client.ended(record.workflowId)).input).toMatchObject({ _startedByScheduler: name });
    expect(await records(client, name)).toEqual([record]);
    await save(client, aSchedule(name, { startWorkflowRequest: { name: "nothing" } }));
    expect((await client.post(`${path}/run`)).json).toMatchObject({ state: "FAILED" });
    expect((await client.post("/scheduler/schedules/nobody/run")).status).toBe(404);
  });

  test("whose idempotency key is taken shows the execution that has it, in every record", async () => {
    const name = aName("same");
    const key = { idempotencyKey: name, idempotencyStrategy: "RETURN_EXISTING" };
    const startWorkflowRequest = { name: "scheduled", ...key };
    await save(client, aSchedule(name, { cronExpression: everySecond, startWorkflowRequest }));
    await ran(client, name, 2);
    const { workflowId } = (await client.post(`/scheduler/schedules/${name}/run`)).json as Record;
    await client.delete(`/scheduler/schedules/${name}`);
    const found = await records(client, name);
    expect(found.length).toBeGreaterThanOrEqual(3);
    expect(new Set(found.map((one) => one.workflowId))).toEqual(new Set([workflowId]));
    expect(new Set(found.map((one) => one.scheduledTime)).size).toBe(found.length);
  });

  test("shows its next slots", async () => {
    const name = aName("next");
    await save(client, aSchedule(name, { paused: true }));
    const { json } = await client.get(`/scheduler/schedules/${name}/next`);
    const year = new Date().getUTCFullYear() + 1;
    expect(json).toEqual(Array.from({ length: 20 }, (_, index) => Date.UTC(year + index, 0, 1)));
    expect((await client.get(`/scheduler/schedules/${name}/next?limit=1`)).json).toHaveLength(1);
  });

  test("GET of pause and resume is 405, and so are other methods", async () => {
    const name = aName("verbs");
    await save(client, aSchedule(name));
    for (const action of ["pause", "resume"]) {
      const { status, json } = await client.get(`/scheduler/schedules/${name}/${action}`);
      expect([status, json]).toEqual([
        405,
        expect.objectContaining({ message: "Request method 'GET' is not supported" }),
      ]);
    }
    expect((await client.post(`/scheduler/schedules/${name}/pause`)).status).toBe(405);
  });

  test("what is not there is 404 by name, and deleted all the same", async () => {
    for (const [method, path] of [
      ["GET", ""],
      ["PUT", "/pause"],
      ["PUT", "/resume"],
      ["GET", "/next"],
      ["GET", "/tags"],
    ] as const) {
      const { status, json } = await client.send(method, `/scheduler/schedules/no body${path}`);
      expect([status, json]).toEqual([404, expect.objectContaining({ message: "Schedule 'no body' not found" })]);
    }
    expect((await client.delete("/scheduler/schedules/nobody")).status).toBe(204);
  });

  test("several are paused and resumed at once", async () => {
    const [one, other] = [aName("bulk"), aName("bulk")];
    for (const name of [one, other]) await save(client, aSchedule(name));
    const { json } = await client.put("/scheduler/bulk/pause", [one, "nobody", other]);
    expect(json).toEqual({
      bulkSuccessfulResults: [one, other],
      bulkErrorResults: { nobody: "Schedule 'nobody' not found" },
    });
    expect((await client.get(`/scheduler/schedules/${one}`)).json).toMatchObject({ paused: true });
    expect((await client.put("/scheduler/bulk/resume", [one])).json).toEqual({
      bulkSuccessfulResults: [one],
      bulkErrorResults: {},
    });
    expect((await client.get(`/scheduler/schedules/${one}`)).json).toMatchObject({ paused: false });
  });

  test("has tags, which it keeps when it is saved again", async () => {
    const name = aName("tagged");
    const [a, b] = [
      { key: name, value: "1", type: "METADATA" },
      { key: "b", value: "2", type: "METADATA" },
    ];
    await save(client, aSchedule(name));
    const path = `/scheduler/schedules/${name}/tags`;
    await client.put(path, [a, b]);
    expect((await client.get(path)).json).toEqual([a, b]);
    await client.send("DELETE", path, { body: [{ key: "b", value: "2" }] });
    expect(await save(client, aSchedule(name))).toMatchObject({ tags: [a] });
    const tagged = (await client.get(`/scheduler/schedules/tags?tag=${encodeURIComponent(`${name}:1`)}`))
      .json as Json[];
    expect(tagged.map((one) => one["name"])).toEqual([name]);
  });

  test("is found by workflow, name, state and text, in order, page by page", async () => {
    const workflow = aName("found");
    const names = ["Alpha", "beta", "gamma"].map((stem) => aName(stem));
    for (const [index, name] of names.entries()) {
      const cronExpression = `0 0 0 1 ${12 - index} *`;
      const startWorkflowRequest = { name: workflow };
      const description = index === 2 ? "The Third" : "";
      await save(client, aSchedule(name, { cronExpression, startWorkflowRequest, description, paused: index === 1 }));
    }
    const find = async (query: string) => {
      const { json } = await client.get(`/scheduler/schedules/search?workflowName=${workflow}&${query}`);
      const { totalHits, results } = json as { totalHits: number; results: { name: string }[] };
      return [totalHits, ...results.map(({ name }) => name)];
    };
    const [alpha, beta, gamma] = names;
    expect(await find("")).toEqual([3, alpha, beta, gamma]);
    expect(await find("scheduleName=ALPHA")).toEqual([1, alpha]);
    expect(await find("paused=true")).toEqual([1, beta]);
    expect(await find("paused=false&sort=nextRunTime:ASC")).toEqual([2, ...[gamma, alpha].sort(byMonth)]);
    expect(await find("freeText=third")).toEqual([1, gamma]);
    expect(await find("sort=createTime:DESC&size=1")).toEqual([3, gamma]);
    expect(await find("sort=nonsense&start=1&size=1")).toEqual([3, beta]);
    expect(((await client.get(`/scheduler/schedules?workflowName=${workflow}`)).json as Json[]).length).toBe(3);
    function byMonth(one: string | undefined, other: string | undefined): number {
      const at = (name: string | undefined) => {
        const month = name === alpha ? 11 : 9;
        const now = new Date();
        const year = now.getUTCFullYear() + (Date.UTC(now.getUTCFullYear(), month, 1) > now.getTime() ? 0 : 1);
        return Date.UTC(year, month, 1);
      };
      return at(one) - at(other);
    }
  });

  test("runs are searched as the reference's clients do it, and as other things are", async () => {
    const name = aName("Searched");
    await save(client, aSchedule(name, { paused: true }));
    const runs: Record[] = [];
    for (let n = 0; n < 3; n++) runs.push((await client.post(`/scheduler/schedules/${name}/run`)).json as Record);
    const search = async (query: string, more = "") => {
      const path = `/scheduler/search/executions?query=${encodeURIComponent(query)}${more}`;
      const { status, json, text } = await client.get(path);
      return status === 200 ? (json as { totalHits: number }).totalHits : text;
    };
    expect(await search(name)).toBe(3);
    expect(await search(`scheduleName = '${name}'`)).toBe(3);
    expect(await search(`scheduleName IN (${name},other) AND state IN (EXECUTED,POLLED)`)).toBe(3);
    expect(await search(`scheduleName=${name} AND state=FAILED`)).toBe(0);
    expect(await search(`scheduleName=${name} AND workflowName=CHEDUL`)).toBe(3);
    expect(await search(`executionId=${runs[1]?.executionId}`)).toBe(1);
    expect(await search(`scheduleName=${name} AND scheduledTime>${(runs[2]?.scheduledTime ?? 0) - 1}`)).toBe(
      runs.filter(({ scheduledTime }) => scheduledTime === runs[2]?.scheduledTime).length,
    );
    expect(await search("", `&freeText=${name.toLowerCase()}`)).toBe(3);
    expect(await search("", `&freeText=${runs[0]?.workflowId}`)).toBe(1);
    expect(await search("", "&sort=startTime:DESC&sort=ASC")).toBeGreaterThanOrEqual(3);
    expect(await search("nothing=1")).toContain("unknown field nothing");
    const page = await records(client, name, "&start=1&size=1");
    expect(page).toHaveLength(1);
  });
});

describe("a server that was away", () => {
  const away = async (schedule: Json, settings: Readonly<{ [key: string]: string }>, awayMs: number) => {
    const folder = aFolder();
    const name = String(schedule["name"]);
    const before = await startServer({ folder, settings });
    await register(before.client);
    await save(before.client, schedule);
    await ran(before.client, name, 1);
    await before.close();
    await new Promise((resolve) => setTimeout(resolve, awayMs));
    const backAt = Date.now();
    const after = await startServer({ folder, settings });
    const known = await records(after.client, name);
    const found = await eventually(async () => {
      const now = await records(after.client, name, "&sort=scheduledTime:ASC&size=1000");
      return (now.at(-1)?.scheduledTime ?? 0) > backAt + 1000 ? now : undefined;
    }, 30_000);
    expect(known.length).toBeLessThanOrEqual(found.length);
    await after.close();
    expect([...before.errors, ...after.errors]).toEqual([]);
    removeFolder(folder);
    return { slots: found.map(({ scheduledTime }) => scheduledTime), found, backAt };
  };

  test("makes up for missed slots in order when the schedule wants it", async () => {
    const schedule = aSchedule("catch-up", { cronExpression: everySecond, runCatchupScheduleInstances: true });
    const settings = { "service.scheduler.misfire-grace": "1s", "service.scheduler.catchup-rate": "100" };
    const { slots, found } = await away(schedule, settings, 3000);
    expect(slots).toEqual(Array.from(slots, (_, index) => (slots[0] ?? 0) + index * 1000));
    const fired = found.map(({ executionTime }) => executionTime);
    expect(fired).toEqual([...fired].sort((a, b) => a - b));
  }, 60_000);

  test("skips what is later than the grace when it does not, and goes on with the first slot after now", async () => {
    // More than a busy machine is late by itself.
    const settings = { "service.scheduler.misfire-grace": "3s" };
    const { slots, backAt } = await away(aSchedule("no-catch-up", { cronExpression: everySecond }), settings, 4500);
    const gaps = slots.slice(1).map((slot, index) => slot - (slots[index] ?? 0));
    expect(gaps.filter((gap) => gap > 1000)).toHaveLength(1);
    expect(slots.find((slot, index) => index > 0 && slot - (slots[index - 1] ?? 0) > 1000)).toBeGreaterThan(backAt);
  }, 60_000);

  test("fires what is late by less than the grace", async () => {
    const { slots } = await away(aSchedule("grace", { cronExpression: everySecond }), {}, 2000);
    expect(slots).toEqual(Array.from(slots, (_, index) => (slots[0] ?? 0) + index * 1000));
  }, 60_000);
});

// Each server has its own.
describe.skipIf(NODES > 0)("the scheduler of a node", () => {
  test("holds and goes on when told to; nothing is ever left half done", async () => {
    const server = await startServer({ settings: { "service.scheduler.misfire-grace": "1s" } });
    const { client } = server;
    await register(client);
    expect((await client.get("/scheduler/admin/pause")).json).toEqual({ status: "done" });
    await save(client, aSchedule("held", { cronExpression: everySecond }));
    const missed = Math.floor(Date.now() / 1000) * 1000 + 1000;
    await eventually(async () => (Date.now() > missed + 1500 ? true : undefined));
    expect(await records(client, "held")).toEqual([]);
    expect((await client.get("/scheduler/admin/resume")).json).toEqual({ status: "done" });
    expect((await ran(client, "held", 1))[0]?.scheduledTime).toBeGreaterThan(missed);
    expect((await client.get("/scheduler/admin/requeue")).json).toEqual({ "recordIds.size": 0, sampleIds: [] });
    await server.close();
  });

  test("begins after its initial delay", async () => {
    const startedAt = Date.now();
    const server = await startServer({ settings: { "service.scheduler.initialDelayMs": "2500ms" } });
    await register(server.client);
    await save(server.client, aSchedule("delayed", { cronExpression: everySecond }));
    const [first] = await ran(server.client, "delayed", 1);
    expect(first?.executionTime).toBeGreaterThanOrEqual(startedAt + 2500);
    await server.close();
  });

  test("keeps the youngest records of a schedule", async () => {
    const settings = {
      "service.scheduler.archivalMaxRecords": "3",
      "service.scheduler.archivalMaxRecordThreshold": "5",
    };
    const server = await startServer({ settings });
    const { client } = server;
    await register(client);
    await save(client, aSchedule("kept", { paused: true }));
    const runs: Record[] = [];
    for (let n = 0; n < 9; n++) {
      // A millisecond of its own for each.
      await eventually(async () => (Date.now() > (runs.at(-1)?.scheduledTime ?? 0) ? true : undefined));
      runs.push((await client.post("/scheduler/schedules/kept/run")).json as Record);
    }
    expect(await records(client, "kept")).toEqual(runs.slice(-3));
    await server.close();
  });

  test("can be switched off, and there is nothing of it then", async () => {
    const server = await startServer({ settings: { "service.scheduler.enabled": "false" } });
    for (const path of [
      "/scheduler/schedules",
      "/scheduler/nextFewSchedules?cronExpression=@daily",
      "/scheduler/admin/pause",
    ]) {
      expect((await server.client.get(path)).status).toBe(404);
    }
    await server.close();
  });
});
