import { describe, expect, test } from "vitest";
import { define, defineTask, simple, start, work } from "./support/scenes.ts";
import { expectAccessible, withUi } from "./support/ui.ts";

const ui = withUi();

describe("the list of executions", () => {
  test("an empty server teaches how to fill it", async () => {
    const { page } = ui;
    await ui.open("/executions");
    await page.getByText("Nothing has run yet").waitFor();
    await page.getByText("curl -X POST").first().waitFor();
    await expectAccessible(page);
  });

  test("an execution appears while one looks, and changes its status", async () => {
    const { page, server } = ui;
    await defineTask(server, "pack");
    await define(server, "order", [simple("pack")]);
    await ui.open("/executions?type=order");
    await page.getByText("Live", { exact: true }).waitFor();
    const id = await start(server, "order", { customer: "Ada" }, { correlationId: "c-1" });
    const row = page.locator(`[data-row="${id}"]`);
    await row.getByText("Running").waitFor();
    await work(server, "pack", "COMPLETED", { outputData: { box: 7 } });
    await row.getByText("Completed").waitFor();
    await expectAccessible(page);
  });

  test("the query box completes, and filters stay in the URL", async () => {
    const { page, server } = ui;
    await define(server, "refund", [simple("pack")]);
    const wanted = await start(server, "refund");
    const other = await start(server, "order");
    await ui.open("/executions");
    const box = page.getByRole("combobox", { name: "Query" });
    await box.fill("workflowT");
    await page.getByRole("option", { name: "workflowType" }).waitFor();
    await box.press("Tab");
    await box.pressSequentially("= ref");
    await page.getByRole("option", { name: "refund workflowType" }).waitFor();
    await box.press("Tab");
    await box.press("Enter");
    await page.locator(`[data-row="${other}"]`).waitFor({ state: "detached" });
    await page.locator(`[data-row="${wanted}"]`).waitFor();
    expect(new URL(page.url()).searchParams.get("query")).toBe("workflowType = refund");
    await page.reload();
    await page.locator(`[data-row="${wanted}"]`).waitFor();
    expect(await page.locator(`[data-row="${other}"]`).count()).toBe(0);
  });

  test("a query that cannot be read shows where", async () => {
    const { page } = ui;
    ui.expectRefusal(400);
    await ui.open(`/executions?query=${encodeURIComponent("status = FAILED AND nonsense > 3")}`);
    const alert = page.getByRole("alert");
    await alert.getByText("Character 21").waitFor();
    expect(await alert.locator("mark").textContent()).toBe("n");
    await expectAccessible(page);
  });

  test("any text finds an execution by its input", async () => {
    const { page, server } = ui;
    const id = await start(server, "order", { customer: "Zaphod Beeblebrox" });
    await ui.open("/executions");
    await page.getByRole("searchbox", { name: "Any text" }).fill("beeblebrox");
    await page.getByText("1 match", { exact: true }).waitFor();
    await page.locator(`[data-row="${id}"]`).waitFor();
  });

  test("columns are chosen, and the choice is in the URL", async () => {
    const { page } = ui;
    await ui.open("/executions");
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Priority" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("columnheader", { name: "Priority" }).waitFor();
    expect(new URL(page.url()).searchParams.get("columns")).toContain("priority");
  });

  test("a view is saved under a name and comes back", async () => {
    const { page } = ui;
    await ui.open("/executions?status=RUNNING&type=order");
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitem", { name: /Save what is shown/ }).click();
    await page.getByLabel("Name").fill("My orders");
    await page.getByRole("button", { name: "Save view" }).click();
    await ui.open("/executions");
    await page.getByRole("button", { name: "Everything" }).click();
    await page.getByRole("menuitem", { name: "My orders" }).click();
    await page.waitForURL(/type=order/);
    expect(new URL(page.url()).searchParams.get("status")).toBe("RUNNING");
  });

  test("the keyboard opens an execution", async () => {
    const { page, server } = ui;
    const id = await start(server, "order");
    await ui.open("/executions");
    await page.locator(`[data-row="${id}"]`).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/executions/${id}`);
    await page.getByRole("heading", { name: "order" }).waitFor();
  });
});

describe("bulk actions", () => {
  test("500 failed executions are retried as a background job, with progress", async () => {
    const { page, server } = ui;
    await define(server, "fragile", [
      {
        name: "break",
        taskReferenceName: "break",
        type: "TERMINATE",
        inputParameters: { terminationStatus: "FAILED", workflowOutput: {} },
      },
    ]);
    await Promise.all(Array.from({ length: 500 }, () => start(server, "fragile")));
    await ui.open("/executions?type=fragile&status=FAILED");
    await page.getByText("500 matches").waitFor();
    await page.getByLabel("Select all on this page").check();
    const bar = page.getByRole("region", { name: "Bulk actions" });
    await bar.getByRole("button", { name: "All 500 that match" }).click();
    await bar.getByRole("button", { name: "Retry" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("status IN (FAILED)", { exact: false }).waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Retry 500 executions" }).click();
    await page.waitForURL("**/jobs#*");
    await page.getByText("500 of 500 done").waitFor({ timeout: 60_000 });
    await page.getByText("Completed").first().waitFor();
    await expectAccessible(page);
  });

  test("a selection is paused", async () => {
    const { page, server } = ui;
    await define(server, "held", [simple("pack")]);
    const ids = await Promise.all([start(server, "held"), start(server, "held"), start(server, "held")]);
    await ui.open("/executions?type=held");
    for (const id of ids.slice(0, 2)) await page.locator(`[data-row="${id}"]`).getByRole("checkbox").check();
    await page.getByText("2 selected").waitFor();
    await page.getByRole("region", { name: "Bulk actions" }).getByRole("button", { name: "Pause" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Pause 2 executions" }).click();
    await page.getByText("2 of 2 done").waitFor();
    await ui.open("/executions?type=held");
    await page.locator(`[data-row="${ids[0]}"]`).getByText("Paused").waitFor();
    await page.locator(`[data-row="${ids[2]}"]`).getByText("Running").waitFor();
  });
});
