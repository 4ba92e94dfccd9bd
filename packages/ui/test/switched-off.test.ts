import { test } from "vitest";
import { define, start } from "./support/scenes.ts";
import { expectAccessible, withUi } from "./support/ui.ts";

const ui = withUi();

test("where agents are switched off the pages say so, and give the setting", async () => {
  const { page, server } = ui;
  ui.expectRefusal(404);
  await define(server, "ordinary", [{ name: "w", taskReferenceName: "w", type: "WAIT" }]);
  const id = await start(server, "ordinary");
  for (const path of [`/agents/runs/${id}`, "/agents", "/agents/support", "/new-agent", "/skills"]) {
    await ui.open(path);
    await page.getByText("Agents are switched off in this server").waitFor();
    await page.getByText("--service.integrations.ai.enabled=true").waitFor();
    await expectAccessible(page);
  }
});

test("where files are switched off the pages say so, and give the setting", async () => {
  const { page, server } = ui;
  ui.expectRefusal(404);
  await define(server, "wait_for_it", [{ name: "w", taskReferenceName: "w", type: "WAIT" }]);
  const id = await start(server, "wait_for_it");
  for (const path of ["/files", `/executions/${id}?tab=files`]) {
    await ui.open(path);
    await page.getByText("Files are switched off in this server").waitFor();
    await page.getByText("--service.file-storage.enabled=true").waitFor();
    await expectAccessible(page);
  }
});

test("where secrets can only be read, a new one is refused with the way to change that", async () => {
  const { page } = ui;
  ui.expectRefusal(501);
  await ui.open("/secrets");
  await page.getByRole("button", { name: "New secret" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill("TOKEN");
  await dialog.getByRole("textbox", { name: "Value" }).fill("s3cret");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Secrets of this server can only be read").waitFor();
  await dialog.getByText("SERVICE_SECRETS_TYPE=database").waitFor();
  await expectAccessible(page);
});
