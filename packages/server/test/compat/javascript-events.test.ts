import {
  conductorEventTask,
  createConductorClient,
  eventTask,
  generateEventTask,
  noopLogger,
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

  test("eventResource of the older interface does too", async () => {
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
    const { eventResource } = await createConductorClient({ serverUrl: sdk.plain.base, logger: noopLogger });
    const handler = await aHandler(`conductor:${aName("js_event")}`);
    await eventResource.addEventHandler(handler);
    await eventResource.updateEventHandler({ ...handler, condition: "true" });
    expect(await eventResource.getEventHandlersForEvent(handler.event)).toMatchObject([{ condition: "true" }]);
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
