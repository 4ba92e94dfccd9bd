import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { define, defineTask, simple, work } from "./support/scenes.ts";
import { expectAccessible, withUi } from "./support/ui.ts";

const ui = withUi();

const inline = (ref: string, expression: string, inputs: object = {}) => ({
  name: ref,
  taskReferenceName: ref,
  type: "INLINE",
  inputParameters: { evaluatorType: "graaljs", expression, ...inputs },
});

const editor = (page: Page) => page.getByRole("textbox", { name: "The definition as JSON" });

/** Writes in place of what an editor holds. */
async function write(page: Page, name: string, value: unknown): Promise<void> {
  await page.getByRole("textbox", { name }).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(typeof value === "string" ? value : JSON.stringify(value, null, 2));
}

describe("definitions", () => {
  test("the list finds one by the name of a task, and opens it", async () => {
    const { page, server } = ui;
    await ui.open("/definitions");
    await page.getByText("No definitions yet").waitFor();
    await expectAccessible(page);
    await define(server, "bakery", [inline("knead", "1")], { description: "Bread for everyone" });
    await define(server, "dairy", [inline("churn", "1")]);
    await ui.open("/definitions");
    await page.getByRole("row", { name: /Bread for everyone/ }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press("/");
    await page.keyboard.type("churn");
    await page.waitForURL("**/definitions?text=churn");
    await page.getByRole("link", { name: "bakery" }).waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("link", { name: "dairy", exact: true }).click();
    await page.getByRole("heading", { name: /dairy/ }).waitFor();
    await page.getByLabel("Diagram").getByTitle("churn").waitFor();
    await expectAccessible(page);
  });

  test("the command palette finds one by name", async () => {
    const { page, server } = ui;
    await define(server, "quarterly_audit", [inline("a", "1")]);
    await ui.open("/definitions");
    await page.getByRole("link", { name: "quarterly_audit", exact: true }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /Find a page/ }).fill("audit");
    await page.getByRole("option", { name: /quarterly_audit/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/definitions/quarterly_audit");
  });

  test("an error is told at its line; mended, it is saved as version 2 and compared", async () => {
    const { page, server } = ui;
    ui.expectRefusal(400);
    const first = { name: "parcel", version: 1, ownerEmail: "a@example.com", tasks: [inline("weigh", "1 + 1")] };
    await server.request("POST", "/metadata/workflow", first);
    await ui.open("/definitions/parcel");
    await editor(page).waitFor();
    await page.getByText("No problems").waitFor();
    const broken = { ...first, tasks: [...first.tasks, { name: "call", taskReferenceName: "weigh", type: "HTTP" }] };
    await write(page, "The definition as JSON", broken);
    const lines = JSON.stringify(broken, null, 2).split("\n");
    const callLine = lines.findIndex((line) => line.includes('"call"'));
    const problems = page.getByRole("region", { name: "Problems" });
    await problems.getByText(`Line ${callLine}`, { exact: true }).waitFor();
    await problems.getByText(/http_request/).waitFor();
    await problems.getByText(`Line ${callLine + 2}`, { exact: true }).waitFor();
    await problems.getByRole("button", { name: /should be unique/ }).click();
    await expectAccessible(page);
    // What was written outlives a reload.
    await page.reload();
    await page.getByText("Not saved", { exact: true }).waitFor();
    const mended = { ...first, tasks: [...first.tasks, inline("label", "'DB-42'")] };
    await write(page, "The definition as JSON", mended);
    await page.getByText("No problems").waitFor();
    await page.getByLabel("Diagram").getByTitle("label").waitFor();
    await page.getByRole("button", { name: "Save as version 2" }).click();
    await page.getByText("Saved parcel version 2").waitFor();
    const stored = await server.request<{ version: number; tasks: unknown[] }>("GET", "/metadata/workflow/parcel");
    expect([stored.version, stored.tasks.length]).toEqual([2, 2]);
    await page.getByRole("tab", { name: "Versions" }).click();
    await page.getByRole("textbox", { name: "Version 1" }).waitFor();
    const right = page.getByRole("textbox", { name: "Version 2" });
    await right.getByText(/DB-42/).waitFor();
    expect(await right.locator(".cm-changedLine").count()).toBeGreaterThan(3);
    await expectAccessible(page);
  });

  test("keys and values are completed by the schema", async () => {
    const { page, server } = ui;
    await define(server, "child", [inline("a", "1")]);
    ui.expectRefusal(400);
    await ui.open("/new-definition");
    await write(page, "The definition as JSON", '{ "name": "x", "tasks": [ {  } ] }');
    for (let i = 0; i < 5; i += 1) await page.keyboard.press("ArrowLeft");
    await page.keyboard.type('"ty');
    await page.getByRole("option", { name: /^type/ }).click();
    await page.keyboard.type("SUB");
    await page.getByRole("option", { name: "SUB_WORKFLOW" }).click();
    await editor(page)
      .getByText(/"SUB_WORKFLOW"/)
      .waitFor();
    await page.getByLabel("Diagram").getByText("SUB_WORKFLOW").waitFor();
  });

  test("a task is changed in its form, the text follows", async () => {
    const { page, server } = ui;
    await define(server, "formed", [inline("greet", "'hello'"), simple("send")]);
    await ui.open("/definitions/formed");
    await page.getByLabel("Diagram").getByTitle("greet").click();
    const form = page.getByRole("complementary", { name: "Task greet" });
    await form.getByRole("textbox", { name: /^Script/ }).fill("'good day'");
    await editor(page)
      .getByText(/'good day'/)
      .waitFor();
    await form.getByLabel("May fail").check();
    await editor(page).locator(".cm-line", { hasText: '"optional": true' }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save over version 1" }).click();
    await page.getByText("Saved formed version 1").waitFor();
    const { tasks } = await server.request<{ tasks: { optional: boolean; inputParameters: object }[] }>(
      "GET",
      "/metadata/workflow/formed",
    );
    expect(tasks[0]).toMatchObject({ optional: true, inputParameters: { expression: "'good day'" } });
  });

  test("it is started from a form and seen to finish; the form remembers", async () => {
    const { page, server } = ui;
    await defineTask(server, "bake");
    await define(server, "cake", [simple("bake")], {
      inputSchema: {
        name: "cake",
        version: 1,
        type: "JSON",
        data: {
          type: "object",
          required: ["eggs"],
          properties: { eggs: { type: "integer" }, kind: { type: "string", enum: ["sponge", "carrot"] } },
        },
      },
    });
    await ui.open("/definitions/cake?tab=run");
    await page.getByLabel("eggs (required)").fill("4");
    await page.getByLabel("kind").selectOption("carrot");
    await page.getByLabel("Correlation id").fill("birthday");
    await expectAccessible(page);
    await page.getByRole("main").getByRole("button", { name: "Run" }).last().click();
    await page.waitForURL("**/executions/*");
    await page.getByLabel("Diagram").getByTitle("bake: Scheduled").waitFor();
    const { inputData } = await work(server, "bake", "COMPLETED");
    await page.getByLabel("Diagram").getByTitle("bake: Completed").waitFor();
    expect(inputData).toEqual({});
    const id = new URL(page.url()).pathname.split("/").at(-1);
    const started = await server.request<{ input: object; correlationId: string }>("GET", `/workflow/${id}`);
    expect(started).toMatchObject({ input: { eggs: 4, kind: "carrot" }, correlationId: "birthday" });
    await ui.open("/definitions/cake?tab=run");
    expect(await page.getByLabel("eggs (required)").inputValue()).toBe("4");
  });

  test("it is tested with mocks, as it stands in the editor", async () => {
    const { page, server } = ui;
    await define(server, "tested", [simple("ask"), simple("answer")]);
    await ui.open("/definitions/tested?tab=test");
    await write(page, "Mocks, by reference name", { ask: [{ output: { question: "why" } }] });
    await page.getByRole("button", { name: "Test", exact: true }).click();
    const result = page.getByRole("region", { name: "Result" });
    await result.getByTitle("ask: Completed").waitFor();
    await result.getByText(/It stands at/).waitFor();
    await expectAccessible(page);
    await write(page, "Mocks, by reference name", { ask: [{}], answer: [{}] });
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await result.getByText("Completed", { exact: true }).first().waitFor();
  });

  test("who starts it is shown", async () => {
    const { page, server } = ui;
    await define(server, "called", [inline("a", "1")]);
    await define(server, "caller", [
      { name: "sub", taskReferenceName: "sub", type: "SUB_WORKFLOW", subWorkflowParam: { name: "called" } },
    ]);
    await server.request("POST", "/scheduler/schedules", {
      name: "nightly",
      cronExpression: "0 0 2 * * *",
      startWorkflowRequest: { name: "called" },
    });
    await server.request("POST", "/event", {
      name: "on_paid",
      event: "service:paid",
      active: true,
      actions: [{ action: "start_workflow", start_workflow: { name: "called" } }],
    });
    await ui.open("/definitions/called?tab=usage");
    await page.getByText("task sub").waitFor();
    await page.getByRole("link", { name: "on_paid" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "nightly" }).click();
    await page.waitForURL("**/schedules/nightly");
  });

  test("paths of other web apps lead to the definition and to the others", async () => {
    const { page, server } = ui;
    await define(server, "moved", [inline("a", "1")]);
    await defineTask(server, "moved_task");
    await ui.open("/workflowDef/moved");
    await page.waitForURL("**/definitions/moved");
    await page.getByRole("heading", { name: /moved/ }).waitFor();
    await ui.open("/taskDef/moved_task");
    await page.waitForURL("**/task-definitions/moved_task");
    await page.getByRole("heading", { name: /moved_task/ }).waitFor();
    for (const [from, to, title] of [
      ["/workflowDef", "/definitions", "Definitions"],
      ["/taskQueue", "/queues", "Queues and workers"],
      ["/scheduleDef", "/schedules", "Schedules"],
      ["/eventHandlerDef", "/event-handlers", "Event handlers"],
    ] as const) {
      await ui.open(from);
      await page.waitForURL(`**${to}`);
      await page.getByRole("heading", { name: title, exact: true }).waitFor();
    }
  });
});

describe("task definitions", () => {
  test("one is made, found, changed and deleted", async () => {
    const { page, server } = ui;
    await ui.open("/new-task-definition");
    await write(page, "The task definition as JSON", { name: "pluck", ownerEmail: "a@example.com", retryCount: 2 });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.waitForURL("**/task-definitions/pluck");
    await page.getByText("No worker has asked for them.").waitFor();
    await expectAccessible(page);
    const read = () => server.request<{ retryCount: number }>("GET", "/metadata/taskdefs/pluck");
    expect((await read()).retryCount).toBe(2);
    await write(page, "The task definition as JSON", { name: "pluck", ownerEmail: "a@example.com", retryCount: 7 });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Not saved", { exact: true }).waitFor({ state: "detached" });
    expect((await read()).retryCount).toBe(7);
    await ui.open("/task-definitions?text=pluck");
    await page.getByRole("row", { name: /pluck/ }).waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "pluck" }).click();
    await page.getByRole("button", { name: "Delete pluck" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.waitForURL("**/task-definitions");
    await page.getByText("Deleted pluck").waitFor();
  });
});
