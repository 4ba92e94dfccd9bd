import { test } from "vitest";
import { define, defineTask, simple, start } from "./support/scenes.ts";
import { expectAccessible, withUi } from "./support/ui.ts";

const ui = withUi({ colorScheme: "dark" });

test("pages about definitions, schedules, events and queues are as readable in the dark", async () => {
  const { page, server } = ui;
  await defineTask(server, "weigh");
  await define(server, "parcel", [simple("weigh")]);
  await define(server, "parcel", [simple("weigh"), simple("label")], { version: 2, description: "With a label" });
  await start(server, "parcel");
  await server.request("POST", "/scheduler/schedules", {
    name: "nightly",
    cronExpression: "0 30 2 * * *",
    startWorkflowRequest: { name: "parcel", version: 1 },
  });
  await server.request("POST", "/scheduler/schedules/nightly/run");
  await server.request("POST", "/event", {
    name: "on_paid",
    event: "service:paid",
    active: true,
    actions: [{ action: "start_workflow", start_workflow: { name: "parcel" } }],
  });
  await server.request("POST", "/event/handleIncomingEvent", { event: "service:paid", payload: { id: 1 } });
  for (const [path, ready] of [
    ["/definitions", "With a label"],
    ["/definitions/parcel", "No problems"],
    ["/definitions/parcel?tab=versions", '"With a label"'],
    ["/definitions/parcel?tab=run", "Correlation id"],
    ["/definitions/parcel?tab=test", "Nothing tested yet"],
    ["/definitions/parcel?tab=usage", "on_paid"],
    ["/task-definitions", "weigh"],
    ["/task-definitions/weigh", "wait for a worker"],
    ["/schedules", "nightly"],
    ["/schedules/nightly", "Executed"],
    ["/event-handlers", "on_paid"],
    ["/event-handlers/on_paid", "No problems"],
    ["/event-handlers/on_paid?tab=records", "start workflow"],
    ["/event-handlers/on_paid?tab=try", "Nothing tried yet"],
    ["/queues", "no worker has asked"],
  ] as const) {
    await ui.open(path);
    await page.getByText(ready).first().waitFor();
    await expectAccessible(page);
  }
});
