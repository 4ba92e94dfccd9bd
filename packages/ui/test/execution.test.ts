import { describe, expect, test } from "vitest";
import { define, defineTask, simple, start, work } from "./support/scenes.ts";
import { expectAccessible, withUi } from "./support/ui.ts";

const ui = withUi();

const wait = (ref: string) => ({ name: ref, taskReferenceName: ref, type: "WAIT" });
const human = (ref: string) => ({ name: ref, taskReferenceName: ref, type: "HUMAN" });

describe("one execution", () => {
  test("is seen to finish, live, in its diagram", async () => {
    const { page, server } = ui;
    await defineTask(server, "cook");
    await define(server, "meal", [simple("cook"), human("taste")]);
    const id = await start(server, "meal");
    await ui.open(`/executions/${id}`);
    const diagram = page.getByLabel("Diagram");
    await diagram.getByTitle("cook: Scheduled").waitFor();
    await diagram.getByTitle("taste: not reached").waitFor();
    await work(server, "cook", "COMPLETED", { outputData: { dish: "soup" } });
    await diagram.getByTitle("cook: Completed").waitFor();
    await diagram.getByTitle("taste: In progress").waitFor();
    await expectAccessible(page);
    await diagram.getByTitle("taste: In progress").click();
    const panel = page.getByRole("complementary", { name: "Task taste" });
    await panel.getByText("A person").waitFor();
    await panel.getByRole("button", { name: "Update" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Update" }).click();
    await page.getByRole("banner").or(page.locator("header")).getByText("Completed").first().waitFor();
    await diagram.getByTitle("taste: Completed").waitFor();
    await page.reload();
    await page.getByRole("complementary", { name: "Task taste" }).waitFor();
  });

  test("a failed task is given another input and run again from there", async () => {
    const { page, server } = ui;
    await defineTask(server, "charge");
    await define(server, "payment", [{ ...simple("charge"), inputParameters: { amount: "${workflow.input.amount}" } }]);
    const id = await start(server, "payment", { amount: -1 });
    await work(server, "charge", "FAILED", {
      reasonForIncompletion: "amount must be positive",
      logs: [{ log: "checking -1" }],
    });
    await ui.open(`/executions/${id}?tab=tasks`);
    await page.getByText("failed with status: FAILED").first().waitFor();
    await page.getByRole("row", { name: /charge/ }).click();
    const panel = page.getByRole("complementary", { name: "Task charge" });
    await panel.getByText("amount must be positive").waitFor();
    await panel.getByRole("tab", { name: "Logs" }).click();
    await panel.getByText("checking -1").waitFor();
    await expectAccessible(page);
    await panel.getByRole("button", { name: "Rerun from here" }).click();
    const dialog = page.getByRole("dialog");
    const editor = dialog.getByRole("textbox", { name: "Input of the task" });
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText('{"amount": 12');
    await dialog.getByText(/JSON/).first().waitFor();
    expect(await dialog.getByRole("button", { name: "Rerun from here" }).isDisabled()).toBe(true);
    await page.keyboard.insertText("}");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Rerun from here" }).click();
    await page.getByText("Running", { exact: true }).first().waitFor();
    const task = await work(server, "charge", "COMPLETED", { outputData: { receipt: 1 } });
    expect(task.inputData).toEqual({ amount: 12 });
    await page.getByText("Completed", { exact: true }).first().waitFor();
  });

  test("retry makes a second attempt, and the two can be compared", async () => {
    const { page, server } = ui;
    await defineTask(server, "send");
    await define(server, "letter", [simple("send")]);
    const id = await start(server, "letter");
    await work(server, "send", "FAILED", { reasonForIncompletion: "no stamp", outputData: { stamp: 0 } });
    await ui.open(`/executions/${id}`);
    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByRole("dialog").getByText("Tried again, each as a new attempt: send.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Retry" }).click();
    await page.getByLabel("Diagram").getByTitle("send: Scheduled").waitFor();
    await work(server, "send", "COMPLETED", { outputData: { stamp: 1 } });
    await page.getByLabel("Diagram").getByTitle("send: Completed").click();
    const panel = page.getByRole("complementary", { name: "Task send" });
    await panel
      .getByRole("button", { name: /Attempt 1$/ })
      .first()
      .waitFor();
    await panel.getByRole("button", { name: "Show what differs from attempt 1" }).click();
    await panel.getByRole("cell", { name: "output.stamp" }).waitFor();
  });

  test("is paused, resumed, and terminated with a reason", async () => {
    const { page, server } = ui;
    await define(server, "nap", [wait("rest")]);
    const id = await start(server, "nap");
    await ui.open(`/executions/${id}`);
    const confirm = async (name: string) =>
      await page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
    await page.getByRole("button", { name: "Pause" }).click();
    await confirm("Pause");
    await page.getByText("Paused", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await confirm("Resume");
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Terminate" }).click();
    await page.getByLabel("Reason").fill("no longer tired");
    await page.getByRole("dialog").getByText("Cancelled: rest.").waitFor();
    await confirm("Terminate");
    await page.getByText("no longer tired").waitFor();
    await page.getByText("Terminated", { exact: true }).first().waitFor();
  });

  test("a waiting one is signalled, from the command palette", async () => {
    const { page, server } = ui;
    await define(server, "doorbell", [wait("ring")], { outputParameters: { who: "${ring.output.who}" } });
    const id = await start(server, "doorbell");
    await ui.open(`/executions/${id}`);
    await page.getByLabel("Diagram").getByTitle("ring: In progress").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /Find a page/ }).fill("signal");
    await page.getByRole("option", { name: /Signal this execution/ }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Output" }).click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText('{"who": "Trillian"}');
    await dialog.getByRole("button", { name: "Signal" }).click();
    await page.getByText("Completed", { exact: true }).first().waitFor();
    await page.getByRole("tab", { name: "Input and output" }).click();
    await page.getByText("Trillian").waitFor();
    await expectAccessible(page);
  });

  test("a task that was not reached is skipped", async () => {
    const { page, server } = ui;
    await define(server, "tour", [wait("gather"), wait("lecture"), wait("walk")]);
    const id = await start(server, "tour");
    await ui.open(`/executions/${id}`);
    await page.getByLabel("Diagram").getByTitle("lecture: not reached").click();
    await page.getByRole("complementary", { name: "Task lecture" }).getByRole("button", { name: "Skip" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Skip" }).click();
    await page.getByText("It will be skipped").waitFor();
    await server.request("POST", `/tasks/${id}/COMPLETED/signal`, {});
    await page.getByLabel("Diagram").getByTitle("lecture: Skipped").waitFor();
    await page.getByLabel("Diagram").getByTitle("walk: In progress").waitFor();
  });

  test("restarted, it shows its new tasks and not its old ones", async () => {
    const { page, server } = ui;
    await define(server, "again", [wait("one"), wait("two")]);
    const id = await start(server, "again");
    await server.request("POST", `/tasks/${id}/COMPLETED/signal`, {});
    await server.request("DELETE", `/workflow/${id}`);
    await ui.open(`/executions/${id}`);
    await page.getByLabel("Diagram").getByTitle("two: Canceled").waitFor();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Restart" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Restart" }).click();
    await page.getByLabel("Diagram").getByTitle("one: In progress").waitFor();
    await page.getByLabel("Diagram").getByTitle("two: not reached").waitFor();
  });

  test("a sub-workflow leads down, and its breadcrumbs up again", async () => {
    const { page, server } = ui;
    await define(server, "inner", [wait("deep")]);
    await define(server, "outer", [
      {
        name: "call",
        taskReferenceName: "call",
        type: "SUB_WORKFLOW",
        subWorkflowParam: { name: "inner", version: 1 },
      },
    ]);
    const id = await start(server, "outer");
    await ui.open(`/executions/${id}`);
    await page.getByLabel("Diagram").getByTitle("call: In progress").click();
    await page.getByRole("link", { name: "Open sub-workflow" }).click();
    await page.getByRole("heading", { name: "inner" }).waitFor();
    await page.getByRole("navigation", { name: "Breadcrumbs" }).getByRole("link", { name: "outer" }).click();
    await page.getByRole("heading", { name: "outer" }).waitFor();
  });

  test("the timeline and the JSON are there, and accessible", async () => {
    const { page, server } = ui;
    await define(server, "short", [wait("pause")]);
    const id = await start(server, "short");
    await ui.open(`/executions/${id}?tab=timeline`);
    await page.getByRole("img", { name: /Timeline of 1 tasks/ }).focus();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("complementary", { name: "Task pause" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("tab", { name: "JSON" }).first().click();
    await page.getByRole("textbox", { name: "The execution as JSON" }).waitFor();
    await expectAccessible(page);
  });

  test("removed, it is gone", async () => {
    const { page, server } = ui;
    await define(server, "litter", [wait("bin")]);
    const id = await start(server, "litter");
    await ui.open(`/executions/${id}`);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Remove" }).click();
    await page.getByLabel("Keep its summary in search").uncheck();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.waitForURL("**/executions");
    ui.expectRefusal(404);
    await ui.open(`/executions/${id}`);
    await page.getByText("Not found").waitFor();
  });
});
