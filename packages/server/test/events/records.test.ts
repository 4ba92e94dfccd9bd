import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, eventually, type Json, type WireExecution } from "../support/client.ts";
import { aName, aWorkflow, entry } from "../support/definitions.ts";
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

async function aTarget(): Promise<string> {
  const name = aName("target");
  await client.register(aWorkflow(name, [entry("WAIT", "w")]));
  return name;
}

async function aHandler(event: string, actions: readonly Json[], more: Json = {}): Promise<string> {
  const name = aName("handler");
  expect((await client.post("/event", { name, event, active: true, actions, ...more })).status).toBe(200);
  return name;
}

const starts = (name: string): Json => ({
  action: "start_workflow",
  start_workflow: { name, input: { id: "${id}" }, correlationId: "c-${id}" },
});

const found = async (name: string): Promise<readonly WireExecution[]> => {
  const query = encodeURIComponent(`workflowType = ${name}`);
  return ((await client.get(`/workflow/search-v2?query=${query}`)).json as { results: WireExecution[] }).results;
};

const path = (event: string): string => encodeURIComponent(event);

describe("records of events", () => {
  test("say what each action of each handler did", async () => {
    const [event, target] = [`service:${aName("e")}`, await aTarget()];
    const handler = await aHandler(event, [
      starts(target),
      { action: "complete_task", complete_task: { workflowId: "none", taskRefName: "w" } },
      { action: "start_workflow", start_workflow: { name: "no_such_workflow" } },
    ]);
    const skipping = await aHandler(event, [starts(target)], { condition: "$.id > 100" });
    const before = Date.now();
    const { json } = await client.post("/event/handleIncomingEvent", { event, messageId: "m-1", payload: { id: 7 } });
    const [execution] = await eventually(async () => {
      const executions = await found(target);
      return executions.length > 0 ? executions : undefined;
    });
    const records = (await client.get(`/event/execution/${handler}?from=${before}`)).json as Json[];
    expect(records).toHaveLength(3);
    expect(records).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          id: "m-1_0",
          messageId: "m-1",
          name: handler,
          event,
          status: "COMPLETED",
          action: "start_workflow",
          output: { workflowId: execution?.workflowId },
          payload: { id: 7 },
          eventHandler: expect.objectContaining({ name: handler }),
        }),
        expect.objectContaining({
          id: "m-1_1",
          status: "COMPLETED",
          output: { error: "No workflow found with ID: none" },
        }),
        expect.objectContaining({
          id: "m-1_2",
          status: "FAILED",
          statusDescription: "No such workflow defined. name=no_such_workflow, version=null",
        }),
      ]),
    );
    expect((json as { eventExecutions: Json[] }).eventExecutions).toHaveLength(4);
    expect((await client.get(`/event/execution/${skipping}`)).json).toMatchObject([
      { id: "m-1_0", status: "SKIPPED", output: { condition: "$.id > 100" } },
    ]);
    expect((await client.get(`/event/execution/${handler}?from=${Date.now() + 60_000}`)).json).toEqual([]);

    const messages = (await client.get(`/event/message/${path(event)}`)).json as Json[];
    expect(messages).toMatchObject([{ id: "m-1", eventTarget: event, status: "REJECTED", payload: { id: 7 } }]);
    const [first] = messages as { eventExecutions: Json[] }[];
    expect(first?.eventExecutions.map(({ id }) => id)).toEqual(["m-1_0", "m-1_1", "m-1_2", "m-1_0"]);
    const { results } = (await client.get("/event/execution")).json as { results: Json[] };
    expect(results.find(({ name }) => name === handler)).toEqual({
      name: handler,
      event,
      active: true,
      numberOfMessages: 1,
      numberOfActions: 3,
    });
  });

  test("of messages that EVENT tasks publish", async () => {
    const [event, target, source] = [aName("short"), await aTarget(), aName("source")];
    await client.register(aWorkflow(source, [entry("EVENT", "e", { sink: `service:${event}` })]));
    const handler = await aHandler(`service:${event}`, [starts(target)]);
    const id = await client.start(source);
    const [taskId] = (await client.ended(id)).tasks.map((task) => task.taskId);
    await eventually(async () => {
      const records = (await client.get(`/event/execution/${handler}`)).json as Json[];
      return records.some(({ messageId }) => messageId === taskId) ? true : undefined;
    });
    expect((await client.get(`/event/message/${path(`service:${source}:${event}`)}`)).json).toMatchObject([
      { id: taskId, status: "HANDLED" },
    ]);
  });

  test("a message that is handed in twice under its id is handled once", async () => {
    const [event, target] = [`service:${aName("e")}`, await aTarget()];
    await aHandler(event, [starts(target)]);
    const send = () => client.post("/event/handleIncomingEvent", { event, messageId: "same", payload: { id: 1 } });
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.filter(({ json }) => !(json as { duplicate: boolean }).duplicate)).toHaveLength(1);
    expect(await found(target)).toHaveLength(1);
  });

  test("a message is handled again when someone asks for it, as one of its own", async () => {
    const [event, target] = [`service:${aName("e")}`, await aTarget()];
    await aHandler(event, [starts(target)]);
    await client.post("/event/handleIncomingEvent", { event, messageId: "first", payload: { id: 5 } });
    const replayed = await client.post(`/event/message/${path(event)}/first/replay`);
    expect(replayed.json).toMatchObject({ duplicate: false, eventExecutions: [{ status: "COMPLETED" }] });
    await eventually(async () => ((await found(target)).length === 2 ? true : undefined));
    expect((await client.get(`/event/message/${path(event)}`)).json).toMatchObject([
      { replayOf: "first", payload: { id: 5 } },
      { id: "first" },
    ]);
    const missing = await client.post(`/event/message/${path(event)}/none/replay`);
    expect(missing.json).toMatchObject({ status: 404, message: `No message found with id: none, event: ${event}` });
  });

  test("what could not be handled is kept until it is replayed or forgotten", async () => {
    const event = `service:${aName("e")}`;
    const later = aName("later");
    await aHandler(event, [starts(later)]);
    await client.post("/event/handleIncomingEvent", { event, messageId: "early", payload: { id: 9 } });
    const letters = async () => {
      const { results } = (await client.get("/event/dead-letter?size=1000")).json as { results: Json[] };
      return results.filter((letter) => letter["event"] === event);
    };
    const [letter] = await letters();
    expect(letter).toMatchObject({ messageId: "early", payload: { id: 9 }, reason: expect.stringContaining(later) });
    const id = encodeURIComponent(String(letter?.["id"]));
    await client.register(aWorkflow(later, [entry("NOOP", "n")]));
    const { json } = await client.post(`/event/dead-letter/${id}/replay`);
    expect(json).toMatchObject({ eventExecutions: [{ status: "COMPLETED" }] });
    expect(await letters()).toEqual([]);
    expect((await client.delete(`/event/dead-letter/${id}`)).status).toBe(404);
  });

  test("a dry run shows what would happen, and does nothing", async () => {
    const [event, target] = [`service:${aName("e")}`, await aTarget()];
    const one = await aHandler(event, [starts(target), { action: "start_workflow", start_workflow: { name: "none" } }]);
    const two = await aHandler(event, [starts(target)], { condition: "$.id > 100", active: false });
    const three = await aHandler(event, [starts(target)], { condition: "nothing.at.all" });
    const { json, status } = await client.post("/event/dry-run", { event, payload: { id: 3 } });
    expect([status, json]).toMatchObject([
      200,
      {
        event,
        handlers: [
          {
            name: one,
            active: true,
            isMet: true,
            actions: [
              {
                action: "start_workflow",
                would: { start: target, version: 1, correlationId: "c-3", input: { id: 3 } },
              },
              { action: "start_workflow", error: "No such workflow defined. name=none, version=null" },
            ],
          },
          { name: two, active: false, isMet: false, actions: [] },
          { name: three, isMet: false, error: expect.stringContaining("nothing") },
        ],
      },
    ]);
    expect(await found(target)).toEqual([]);
    expect((await client.get(`/event/message/${path(event)}`)).json).toEqual([]);
  });

  test("a body that names no event is refused", async () => {
    for (const body of [{}, { event: 7 }, [], { event: "service:x", messageId: 7 }]) {
      expect((await client.post("/event/handleIncomingEvent", body)).status).toBe(400);
      expect((await client.post("/event/dry-run", body)).status).toBe(400);
    }
  });

  test("handlers are found by name and carry tags", async () => {
    const handler = await aHandler(`service:${aName("e")}`, [starts("x")]);
    expect((await client.get(`/event/handler/${handler}`)).json).toMatchObject({ name: handler });
    expect((await client.get("/event/handler/none")).status).toBe(404);
    await client.put(`/event/${handler}/tags`, [{ key: "team", value: "a" }]);
    expect((await client.get(`/event/${handler}/tags`)).json).toMatchObject([{ key: "team", value: "a" }]);
    expect((await client.get("/event/none/tags")).status).toBe(404);
  });

  test("a sink that nobody answers for says so", async () => {
    const { json } = await client.post("/event/queue/connectivity", { sink: "kafka:orders", input: {} });
    expect(json).toEqual({ successful: false, reason: "Unknown queue type kafka" });
  });
});

test("records go when they are old, and what was seen with them", async () => {
  const old = await startServer({ settings: { "service.events.retention": "1s", "service.events.upkeep": "50ms" } });
  try {
    const event = `service:${aName("e")}`;
    await old.client.register(aWorkflow("t", [entry("NOOP", "n")]));
    const handler = { name: "h", event, active: true, actions: [starts("t")] };
    expect((await old.client.post("/event", handler)).status).toBe(200);
    const send = async () =>
      (await old.client.post("/event/handleIncomingEvent", { event, messageId: "m", payload: {} })).json;
    expect(await send()).toMatchObject({ duplicate: false });
    await eventually(async () => {
      const [messages, records] = await Promise.all([
        old.client.get(`/event/message/${path(event)}`),
        old.client.get("/event/execution/h"),
      ]);
      return (messages.json as Json[]).length + (records.json as Json[]).length === 0 ? true : undefined;
    });
    expect(await send()).toMatchObject({ duplicate: false });
  } finally {
    await old.close();
  }
});
