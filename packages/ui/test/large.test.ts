import { expect, test } from "vitest";
import { define, defineTask, start } from "./support/scenes.ts";
import { withUi } from "./support/ui.ts";

const ui = withUi();
const COUNT = 3000;
/** What a page may hold, however large the execution: a busy machine cannot make this test fail, a missing window does. */
const MOST_ELEMENTS = 2500;

test("an execution of thousands of tasks costs the page what a small one does", async () => {
  const { page, server } = ui;
  await defineTask(server, "resize");
  await define(server, "thumbnails", [
    {
      name: "each",
      taskReferenceName: "each",
      type: "FORK_JOIN_DYNAMIC",
      dynamicForkTasksParam: "tasks",
      dynamicForkTasksInputParamName: "inputs",
      inputParameters: { tasks: "${workflow.input.tasks}", inputs: {} },
    },
    { name: "all", taskReferenceName: "all", type: "JOIN" },
  ]);
  const tasks = Array.from({ length: COUNT }, (_, i) => ({
    name: "resize",
    taskReferenceName: `f${i}`,
    type: "SIMPLE",
  }));
  const id = await start(server, "thumbnails", { tasks });
  const elements = async () => await page.evaluate(() => document.querySelectorAll("*").length);

  await ui.open(`/executions/${id}`);
  await page.getByRole("tab", { name: `Tasks ${(COUNT + 2).toLocaleString("en-US")}` }).waitFor();
  await page.getByText(`${COUNT.toLocaleString("en-US")} tasks`).waitFor();
  expect(await elements()).toBeLessThan(MOST_ELEMENTS);
  await page.getByRole("button", { name: "Next page" }).click();
  await page.getByTitle("f12: Scheduled").waitFor();

  await page.getByRole("tab", { name: /^Tasks/ }).click();
  await page.locator("[data-row]").first().waitFor();
  expect(await elements()).toBeLessThan(MOST_ELEMENTS);
  await page.getByRole("table", { name: "Tasks" }).hover();
  await page.mouse.wheel(0, 1_000_000);
  await page.getByText(`f${COUNT - 1}`, { exact: true }).waitFor();

  await page.getByRole("tab", { name: "Timeline" }).click();
  await page.getByRole("img", { name: `Timeline of ${COUNT + 2} tasks`, exact: false }).waitFor();
  expect(await elements()).toBeLessThan(MOST_ELEMENTS);
});
