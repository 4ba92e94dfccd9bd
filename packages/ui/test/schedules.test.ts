import { describe, expect, test } from "vitest";
import { define, simple } from "./support/scenes.ts";
import { expectAccessible, withUi } from "./support/ui.ts";

const ui = withUi({ timezoneId: "Europe/Berlin" });

type Saved = { readonly paused: boolean; readonly pausedReason?: string; readonly cronExpression: string };

const inline = {
  name: "a",
  taskReferenceName: "a",
  type: "INLINE",
  inputParameters: { expression: "1", evaluatorType: "graaljs" },
};

describe("schedules", () => {
  test("one is made: its times are said in words, a mistake is told, the next ones are on a calendar", async () => {
    const { page, server } = ui;
    ui.expectRefusal(400);
    await define(server, "report", [inline]);
    await ui.open("/schedules");
    await page.getByText("No schedules yet").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "New schedule" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("nightly");
    const cron = dialog.getByLabel("Cron expression");
    await cron.fill("0 99 2 * * *");
    await dialog.getByText(/minute 99 at character 3 is not between 0 and 59/).waitFor();
    await cron.fill("0 30 2 * * MON-FRI");
    await dialog.getByText("at 02:30 on Monday to Friday.").waitFor();
    await dialog.getByText(/Next: \d{4}-\d\d-\d\d 02:30:00/).waitFor();
    await dialog.getByLabel("Starts the workflow").fill("report");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.waitForURL("**/schedules/nightly");
    await page.getByText("At 02:30 on Monday to Friday", { exact: false }).first().waitFor();
    await page.getByText("It has not fired yet").waitFor();
    const times = page.getByRole("region", { name: "Next times" }).getByRole("listitem");
    await times.first().waitFor();
    expect(await times.count()).toBe(20);
    const saved = await server.request<number[]>("GET", "/scheduler/schedules/nightly/next");
    const day = new Date(saved[0] ?? 0).toLocaleDateString("en-GB", { timeZone: "Europe/Berlin", day: "numeric" });
    await page
      .getByRole("cell", { name: new RegExp(`^${day}\\s*: 02:30:00`) })
      .first()
      .waitFor();
    await expectAccessible(page);
  });

  test("it is run now, paused with a reason, resumed, changed and deleted", async () => {
    const { page, server } = ui;
    await define(server, "tick", [simple("tock")]);
    await server.request("POST", "/scheduler/schedules", {
      name: "hourly",
      cronExpression: "0 0 * * * *",
      startWorkflowRequest: { name: "tick", version: 1, input: { kept: true } },
    });
    const read = () => server.request<Saved>("GET", "/scheduler/schedules/hourly");
    await ui.open("/schedules?text=hour");
    await page.getByRole("row", { name: /every hour/ }).waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "hourly" }).click();
    await page.getByRole("button", { name: "Run now" }).click();
    await page.getByRole("cell", { name: "Executed" }).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("dialog").getByLabel("Reason").fill("inventory");
    await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
    await page.getByText("inventory").waitFor();
    expect(await read()).toMatchObject({ paused: true, pausedReason: "inventory" });
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("Active", { exact: true }).waitFor();
    expect((await read()).paused).toBe(false);
    await page.getByRole("button", { name: "Change" }).click();
    await page.getByRole("dialog").getByLabel("Cron expression").fill("0 15 * * * *");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByText("Every hour at 15 min past").or(page.getByText("every hour at 15 min past")).first().waitFor();
    expect(await read()).toMatchObject({
      cronExpression: "0 15 * * * *",
      startWorkflowRequest: { name: "tick", version: 1, input: { kept: true } },
    });
    await page.getByRole("button", { name: "Delete hourly" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.waitForURL("**/schedules");
    await page.getByText("Deleted hourly").waitFor();
  });
});
