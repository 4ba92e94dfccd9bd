import { expect, test } from "vitest";
import { define, start } from "./support/scenes.ts";
import { expectAccessible, withUi } from "./support/ui.ts";

const ui = withUi();

/** Fewer where a machine is slow to start so many. */
const COUNT = Number(process.env["DOWNBEAT_TEST_EXECUTIONS"] ?? 50_000);
const AT_ONCE = 64;
const MOST_MS = 300_000;

const check = {
  name: "check_iban",
  taskReferenceName: "check_iban",
  type: "INLINE",
  inputParameters: {
    evaluatorType: "graaljs",
    expression: "(function () { if (!$.iban) throw new Error('the IBAN is missing'); return 'paid'; })()",
    iban: "${workflow.input.iban}",
  },
};

test(
  `the failed one among ${COUNT} is found, its input mended, and it is run again from there`,
  async () => {
    const { page, server } = ui;
    await define(server, "payout", [check], { outputParameters: { state: "${check_iban.output.result}" } });
    let next = 0;
    let needle = "";
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let i = next++; i < COUNT; i = next++) {
          const isNeedle = i === Math.floor(COUNT / 2);
          const id = await start(server, "payout", isNeedle ? { invoice: i } : { invoice: i, iban: `DE${i}` });
          if (isNeedle) needle = id;
        }
      }),
    );
    const all = COUNT.toLocaleString("en-US");
    await ui.open("/executions");
    await page.getByText(`${all} matches`).waitFor();
    await page.getByRole("button", { name: "Any status" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Failed" }).click();
    await page.keyboard.press("Escape");
    await page.getByText("1 match", { exact: true }).waitFor();
    await page.locator(`[data-row="${needle}"]`).getByText("the IBAN is missing").waitFor();
    await expectAccessible(page);
    await page.locator(`[data-row="${needle}"]`).getByRole("link").first().click();
    await page.waitForURL(`**/executions/${needle}*`);

    await page.getByLabel("Diagram").getByTitle("check_iban: Failed").click();
    const panel = page.getByRole("complementary", { name: "Task check_iban" });
    await panel.getByRole("button", { name: "Rerun from here" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Input of the task" }).click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(JSON.stringify({ ...check.inputParameters, iban: "DE99" }));
    await dialog.getByRole("button", { name: "Rerun from here" }).click();
    await page.getByText("Completed", { exact: true }).first().waitFor();
    const { output } = await server.request<{ output: object }>("GET", `/workflow/${needle}`);
    expect(output).toEqual({ state: "paid" });
    await ui.open("/executions?status=FAILED");
    await page.getByText("No execution matches").waitFor();
  },
  MOST_MS,
);
