import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { define, defineTask, simple, start, work } from "./support/scenes.ts";
import { expectAccessible, withUi } from "./support/ui.ts";

const ui = withUi();

async function write(page: Page, name: string, value: unknown): Promise<void> {
  await page.getByRole("textbox", { name }).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(JSON.stringify(value, null, 2));
}

describe("event handlers", () => {
  test("one is written, tried without effect, watched, and a message handled again", async () => {
    const { page, server } = ui;
    await define(server, "shipping", [simple("pack")]);
    await ui.open("/event-handlers");
    await page.getByText("No event handlers yet").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "New event handler" }).click();
    await page.getByRole("textbox", { name: "The event handler as JSON" }).waitFor();
    await write(page, "The event handler as JSON", {
      name: "ship_paid",
      event: "service:paid",
      condition: "$.id > 0",
      active: true,
      actions: [{ action: "start_workflow", start_workflow: { name: "shipping", input: { order: "${id}" } } }],
    });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.waitForURL("**/event-handlers/ship_paid");
    await page.getByRole("tab", { name: "Try it" }).click();
    await write(page, "Message", { id: 7 });
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByText("would act", { exact: true }).waitFor();
    await expectAccessible(page);
    await write(page, "Message", { id: 0 });
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByText(/condition is not met/).waitFor();
    const none = await server.request<{ totalHits: number }>("GET", "/workflow/search?query=workflowType=shipping");
    expect(none.totalHits).toBe(0);

    await page.getByRole("tab", { name: "What it did" }).click();
    await page.getByText("No message came yet").waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await server.request("POST", "/event/handleIncomingEvent", { event: "service:paid", payload: { id: 9 } });
    const rows = page.getByRole("row", { name: /start workflow/ });
    await rows.first().waitFor();
    await rows.first().getByText("Completed").click();
    await page.getByRole("complementary", { name: "Message" }).getByText("id:", { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Handle again" }).click();
    await rows.nth(1).waitFor();
    const some = await server.request<{ totalHits: number }>("GET", "/workflow/search?query=workflowType=shipping");
    expect(some.totalHits).toBe(2);
    await ui.open("/event-handlers?text=paid");
    await page.getByRole("row", { name: /ship_paid/ }).waitFor();
    await expectAccessible(page);
  });

  test("a message that could not be handled is shown; its cause mended, it is handled again", async () => {
    const { page, server } = ui;
    await server.request("POST", "/event", {
      name: "bill",
      event: "service:billed",
      active: true,
      actions: [{ action: "start_workflow", start_workflow: { name: "billing" } }],
    });
    for (const id of [1, 2]) {
      await server.request("POST", "/event/handleIncomingEvent", { event: "service:billed", payload: { id } });
    }
    await ui.open("/event-handlers");
    const letters = page.getByRole("region", { name: "Dead letters" });
    await letters.getByText("2 messages could not be handled").waitFor();
    await letters.getByRole("button", { name: "Show" }).click();
    await expectAccessible(page);
    await define(server, "billing", [simple("send_bill")]);
    await letters.getByRole("button", { name: "Handle again" }).first().click();
    await letters.getByText("One message could not be handled").waitFor();
    const started = await server.request<{ totalHits: number }>("GET", "/workflow/search?query=workflowType=billing");
    expect(started.totalHits).toBe(1);
    await letters.getByRole("button", { name: "Forget" }).click();
    await letters.waitFor({ state: "detached" });
  });
});

describe("queues and workers", () => {
  test("what waits and who asks is shown as it happens", async () => {
    const { page, server } = ui;
    await ui.open("/queues");
    await defineTask(server, "dig");
    await define(server, "garden", [simple("dig")]);
    await start(server, "garden");
    await start(server, "garden");
    const row = page.getByRole("row", { name: /dig/ });
    await row.getByRole("cell", { name: "2", exact: true }).waitFor();
    await row.getByText("no worker has asked").waitFor();
    await page.getByText(/nobody asked\s+for in the last minute/).waitFor();
    await expectAccessible(page);
    await work(server, "dig", "COMPLETED");
    await row.getByRole("cell", { name: "1", exact: true }).waitFor();
    await row.getByText("worker-1").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("nothing like it");
    await page.getByText("No queue and no worker has these words").waitFor();
  });
});
