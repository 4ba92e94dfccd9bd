import { describe, test } from "vitest";
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
});
