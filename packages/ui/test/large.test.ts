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

test("so does one of a definition of thousands of tasks: it is shown where it stands, and further on when it is moved", async () => {
  const { page, server } = ui;
  const steps = Array.from({ length: COUNT }, (_, i) => ({
    name: "step",
    taskReferenceName: `s${i}`,
    type: "NOOP",
  }));
  const wait = { name: "hold", taskReferenceName: "hold", type: "HUMAN" };
  await define(server, "march", [...steps.slice(0, COUNT / 2), wait, ...steps.slice(COUNT / 2)]);
  const id = await start(server, "march");
  const half = COUNT / 2;
  const elements = async () => await page.evaluate(() => document.querySelectorAll("*").length);
  const diagram = page.getByRole("application");

  await ui.open(`/executions/${id}`);
  await diagram.getByTitle("hold: In progress").waitFor();
  await diagram.getByTitle(`s${half - 1}: Completed`).waitFor();
  // With the line that leads from one to the other.
  await page
    .locator(`[data-id="s${half - 1}>hold"] path`)
    .first()
    .waitFor({ state: "attached" });
  expect(await elements()).toBeLessThan(MOST_ELEMENTS);
  await diagram.hover();
  // Far beyond what was near before.
  await page.mouse.wheel(0, 20_000);
  await diagram
    .getByTitle(/^s1[6-9]\d\d: not reached$/)
    .first()
    .waitFor();
  await diagram.getByTitle("hold: In progress").waitFor({ state: "detached" });
  expect(await elements()).toBeLessThan(MOST_ELEMENTS);
  expect(await page.locator(".react-flow__edge path").count()).toBeGreaterThan(3);
  await page.getByRole("button", { name: "Where it stands" }).click();
  await diagram.getByTitle("hold: In progress").click();
  await page.getByRole("complementary").getByText("hold").first().waitFor();
});
