import { test } from "vitest";
import { expectAccessible, withUi } from "./support/ui.ts";

const ui = withUi();

test("where agents are switched off the pages say so, and give the setting", async () => {
  const { page } = ui;
  ui.expectRefusal(404);
  for (const path of ["/agents", "/agents/support", "/new-agent"]) {
    await ui.open(path);
    await page.getByText("Agents are switched off in this server").waitFor();
    await page.getByText("--service.integrations.ai.enabled=true").waitFor();
    await expectAccessible(page);
  }
});
