import { describe, test } from "vitest";
import { define, defineTask, simple, start } from "./support/scenes.ts";
import type { Server } from "./support/server.ts";
import { expectAccessible, withUi } from "./support/ui.ts";

const ui = withUi();

describe("what another person does is seen at once", () => {
  const lists: readonly {
    readonly path: string;
    readonly row: RegExp;
    readonly add: (server: Server) => Promise<unknown>;
    readonly remove: (server: Server) => Promise<unknown>;
  }[] = [
    {
      path: "/definitions",
      row: /parcel/,
      add: (server) => define(server, "parcel", [simple("weigh")]),
      remove: (server) => server.request("DELETE", "/metadata/workflow/parcel/1"),
    },
    {
      path: "/task-definitions",
      row: /weigh/,
      add: (server) => defineTask(server, "weigh"),
      remove: (server) => server.request("DELETE", "/metadata/taskdefs/weigh"),
    },
    {
      path: "/schedules",
      row: /nightly/,
      add: (server) =>
        server.request("POST", "/scheduler/schedules", {
          name: "nightly",
          cronExpression: "0 30 2 * * *",
          startWorkflowRequest: { name: "anything", version: 1 },
        }),
      remove: (server) => server.request("DELETE", "/scheduler/schedules/nightly"),
    },
    {
      path: "/event-handlers",
      row: /on_paid/,
      add: (server) =>
        server.request("POST", "/event", {
          name: "on_paid",
          event: "service:paid",
          active: true,
          actions: [{ action: "start_workflow", start_workflow: { name: "anything" } }],
        }),
      remove: (server) => server.request("DELETE", "/event/on_paid"),
    },
  ];
  test.each(lists)("in the list $path", async ({ path, row, add, remove }) => {
    const { page, server } = ui;
    await define(server, "anything", [{ name: "w", taskReferenceName: "w", type: "WAIT" }]);
    const listening = page.waitForResponse(/\/api\/admin\/metadata\/stream$/);
    await ui.open(path);
    await listening;
    await page.getByText("Live", { exact: true }).waitFor();
    await add(server);
    await page.getByRole("row", { name: row }).waitFor();
    await remove(server);
    await page.getByRole("row", { name: row }).waitFor({ state: "detached" });
  });

  test("in the log of a task, line by line", async () => {
    const { page, server } = ui;
    await defineTask(server, "print");
    await define(server, "letter", [simple("print")]);
    const id = await start(server, "letter");
    const [task] = await server.request<{ taskId: string }[]>("GET", "/tasks/poll/batch/print?count=1&timeout=5000");
    await ui.open(`/executions/${id}?task=${task?.taskId}`);
    await page.getByRole("tab", { name: "Logs" }).click();
    await page.getByText(/^No logs/).waitFor();
    for (const line of ["page one", "page two", "page three"]) {
      const response = await fetch(`${server.origin}/api/tasks/${task?.taskId}/log`, {
        method: "POST",
        headers: { "content-type": "text/plain" },
        body: line,
      });
      if (!response.ok) throw new Error(await response.text());
      await page.getByRole("list", { name: "Logs" }).getByText(line).waitFor();
    }
    await expectAccessible(page);
  });
});
