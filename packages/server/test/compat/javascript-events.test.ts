import {
  conductorEventTask,
  createConductorClient,
  eventTask,
  generateEventTask,
  generateKafkaPublishTask,
  kafkaPublishTask,
  noopLogger,
  sqsEventTask,
} from "@io-orkes/conductor-javascript";
import { describe, expect, test, vi } from "vitest";
import { eventually } from "../support/client.ts";
import { aName, aWorkflow, entry } from "../support/definitions.ts";
import { useSdk } from "./javascript-sdk.ts";

const sdk = useSdk();

/** A handler that starts a workflow which ends at once. */
async function aHandler(event: string) {
  const target = aName("js_target");
  await sdk.plain.register(aWorkflow(target, [entry("NOOP", "n")]));
  return {
    name: aName("js_handler"),
    event,
    active: true,
    actions: [{ action: "start_workflow" as const, start_workflow: { name: target } }],
  };
}

describe("EventClient of the JavaScript SDK", () => {
  test("keeps event handlers", async () => {
    const events = sdk.clients.getEventClient();
    const event = `conductor:${aName("js_event")}`;
    const [one, two] = [await aHandler(event), await aHandler(event)];
    await events.addEventHandler(one);
    await events.addEventHandlers([two]);
    const names = async () => (await events.getEventHandlersForEvent(event)).map(({ name }) => name);
    expect(await names()).toEqual([one.name, two.name]);
    await events.updateEventHandler({ ...one, active: false });
    expect((await events.getEventHandlersForEvent(event, true)).map(({ name }) => name)).toEqual([two.name]);
    expect((await events.getAllEventHandlers()).map(({ name }) => name)).toEqual(expect.arrayContaining([one.name]));
    await events.removeEventHandler(one.name);
    expect(await names()).toEqual([two.name]);
  });

  test("tags event handlers", async () => {
    const events = sdk.clients.getEventClient();
    const handler = await aHandler(`conductor:${aName("js_event")}`);
    await events.addEventHandler(handler);
    const [one, two] = [
      { key: "team", value: "a", type: "METADATA" },
      { key: "cost", value: "b", type: "METADATA" },
    ];
    await events.putTagForEventHandler(handler.name, [one, two]);
    expect(await events.getTagsForEventHandler(handler.name)).toEqual([one, two]);
    await events.deleteTagForEventHandler(handler.name, one);
    expect(await events.getTagsForEventHandler(handler.name)).toEqual([two]);
    await events.deleteTagsForEventHandler(handler.name, [two]);
    expect(await events.getTagsForEventHandler(handler.name)).toEqual([]);
  });

  test("hands in events and sees what became of them", async () => {
    const events = sdk.clients.getEventClient();
    const event = `conductor:${aName("js_event")}`;
    const handler = await aHandler(event);
    await events.addEventHandler(handler);
    expect(await events.getEventHandlerByName(handler.name)).toMatchObject({ name: handler.name, event });
    await events.handleIncomingEvent({ event, messageId: "m", order: "7" });
    expect(await events.getEventExecutions(handler.name, 0)).toMatchObject([
      { id: "m_0", status: "COMPLETED", action: "start_workflow", fullMessagePayload: { order: "7" } },
    ]);
    expect(await events.getEventMessages(event, 0)).toMatchObject([{ id: "m", status: "HANDLED" }]);
    const counted = { name: handler.name, numberOfMessages: 1, numberOfActions: 1 };
    expect((await events.getAllActiveEventHandlers()).results).toContainEqual(expect.objectContaining(counted));
    expect((await events.getEventHandlersWithStats(0)).results).toContainEqual(expect.objectContaining(counted));
    const tried = await events.testConnectivity({ sink: "sqs:orders", input: {} });
    expect(tried).toEqual({ successful: false, reason: "Unknown queue type sqs" });
  });

  test("eventResource of the older interface does too", async () => {
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
    const { eventResource } = await createConductorClient({ serverUrl: sdk.plain.base, logger: noopLogger });
    const handler = await aHandler(`conductor:${aName("js_event")}`);
    await eventResource.addEventHandler(handler);
    await eventResource.updateEventHandler({ ...handler, condition: "true" });
    expect(await eventResource.getEventHandlersForEvent(handler.event)).toMatchObject([{ condition: "true" }]);
    const tag = { key: "team", value: "a", type: "METADATA" };
    await eventResource.putTagForEventHandler(handler.name, [tag]);
    expect(await eventResource.getTagsForEventHandler(handler.name)).toEqual([tag]);
    await eventResource.deleteTagForEventHandler(handler.name, [tag]);
    expect(await eventResource.getTagsForEventHandler(handler.name)).toEqual([]);
    await eventResource.removeEventHandlerStatus(handler.name);
    expect((await eventResource.getEventHandlers()).map(({ name }) => name)).not.toContain(handler.name);
    warned.mockRestore();
  });
});

test("event tasks of the JavaScript SDK reach handlers", async () => {
  const name = aName("js_events");
  const handler = await aHandler(`service:${name}_x`);
  await sdk.clients.getEventClient().addEventHandler(handler);
  const tasks = [
    conductorEventTask("a", `${name}_x`),
    eventTask("b", "service", `${name}_x`),
    generateEventTask({ taskReferenceName: "c", sink: `conductor:${name}_x` }),
  ];
  await sdk.plain.register(
    aWorkflow(
      name,
      tasks.map((task) => ({ ...task })),
    ),
  );
  expect(await sdk.ended(await sdk.plain.start(name))).toMatchObject({ status: "COMPLETED" });
  const query = encodeURIComponent(`workflowType = ${handler.actions[0]?.start_workflow.name}`);
  await eventually(async () => {
    const { totalHits } = (await sdk.plain.get(`/workflow/search?query=${query}`)).json as { totalHits: number };
    return totalHits === 3 ? true : undefined;
  });
});

test("tasks of the JavaScript SDK that publish to brokers say what keeps them from it", async () => {
  const request = { topic: "t", value: "v", bootStrapServers: "127.0.0.1:1", headers: {}, key: "k", keySerializer: "" };
  const tasks = {
    kafka: kafkaPublishTask("kafka", request),
    generated: generateKafkaPublishTask({ inputParameters: { kafka_request: { ...request, topic: "" } } }),
    sqs: sqsEventTask("sqs", "orders"),
  };
  const reasons: Record<string, string | undefined> = {};
  for (const [what, task] of Object.entries(tasks)) {
    const name = aName(`js_${what}`);
    await sdk.plain.register(aWorkflow(name, [{ ...task }]));
    const { tasks: ended } = await sdk.ended(await sdk.plain.start(name));
    reasons[what] = ended?.[0]?.reasonForIncompletion;
  }
  expect(reasons).toEqual({
    kafka: expect.stringMatching(/^Failed to invoke kafka task due to: .*ECONNREFUSED/),
    generated: expect.stringContaining("Missing Kafka topic"),
    sqs: expect.stringContaining("Unknown queue type sqs"),
  });
});
