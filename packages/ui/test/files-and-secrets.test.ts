import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { define, defineTask, simple, start, work } from "./support/scenes.ts";
import type { Server } from "./support/server.ts";
import { expectAccessible, withUi } from "./support/ui.ts";

const settings = {
  "service.file-storage.enabled": "true",
  "service.secrets.type": "database",
  "service.secrets.key": randomBytes(32).toString("base64"),
};

const ui = withUi({ acceptDownloads: true }, async () => settings);

async function upload(server: Server, workflowId: string, fileName: string, bytes: string): Promise<string> {
  const { fileHandleId, uploadUrl } = await server.request<{ fileHandleId: string; uploadUrl: string }>(
    "POST",
    "/files",
    { workflowId, fileName, contentType: "text/plain" },
  );
  await fetch(uploadUrl, { method: "PUT", body: bytes });
  await server.request("POST", `/files/${encodeURIComponent(fileHandleId)}/upload-complete`);
  return fileHandleId;
}

describe("files", () => {
  test("an execution's files are beside it, and can be had", async () => {
    const { page, server } = ui;
    await defineTask(server, "print");
    await define(server, "letters", [simple("print")]);
    const id = await start(server, "letters");
    await ui.open(`/executions/${id}?tab=files`);
    await page.getByText("No files").waitFor();
    await expectAccessible(page);
    await upload(server, id, "letter.txt", "Dear reader");
    // A worker uploads before it reports: then a task changes, and the page looks again.
    await work(server, "print", "COMPLETED");
    const row = page.getByRole("row", { name: /letter\.txt/ });
    await row.getByText("Uploaded").waitFor();
    await row.getByText("11 B").waitFor();
    await expectAccessible(page);
    const downloading = page.waitForEvent("download");
    await row.getByRole("button", { name: "Download letter.txt" }).click();
    const file = await (await downloading).path();
    expect(readFileSync(file, "utf8")).toBe("Dear reader");
  });

  test("they are found by the execution, or by the handle that a worker passed on", async () => {
    const { page, server } = ui;
    await define(server, "wait_for_it", [{ name: "w", taskReferenceName: "w", type: "WAIT" }]);
    const id = await start(server, "wait_for_it");
    const handle = await upload(server, id, "picture.txt", "a thousand words");
    await ui.open("/files");
    await page.getByText("Files belong to executions").waitFor();
    await expectAccessible(page);
    const box = page.getByRole("searchbox", { name: /An execution's id/ });
    await box.fill(id);
    await page.keyboard.press("Enter");
    await page.getByRole("row", { name: /picture\.txt/ }).waitFor();
    await box.fill(handle);
    await page.keyboard.press("Enter");
    await page
      .getByRole("row", { name: /picture\.txt/ })
      .getByRole("link", { name: id })
      .click();
    await page.waitForURL(`**/executions/${id}?tab=files`);
    await page.getByRole("row", { name: /picture\.txt/ }).waitFor();
    ui.expectRefusal(404);
    await ui.open("/files?text=unheard-of");
    await page.getByText("No such file, and no files of such an execution").waitFor();
  });
});

describe("secrets", () => {
  test("one is stored, replaced and forgotten; its value is nowhere in the page", async () => {
    const { page, server } = ui;
    await ui.open("/secrets");
    await page.getByText("No secrets yet").waitFor();
    await page.getByRole("button", { name: "New secret" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Name" }).fill("API TOKEN");
    await dialog.getByText(/letters, digits, _ and - only/).waitFor();
    await dialog.getByRole("textbox", { name: "Name" }).fill("API_TOKEN");
    await dialog.getByRole("textbox", { name: "Value" }).fill("vermilion-1");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    const row = page.getByRole("row", { name: /API_TOKEN/ });
    await row.getByText("${workflow.secrets.API_TOKEN}").waitFor();
    await row.getByText("the database").waitFor();
    expect(await page.content()).not.toContain("vermilion");
    await expectAccessible(page);
    await row.getByRole("button", { name: "Replace API_TOKEN" }).click();
    expect(await dialog.getByRole("textbox", { name: "Value" }).inputValue()).toBe("");
    await dialog.getByRole("textbox", { name: "Value" }).fill("line one\nline two");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });

    // What was stored is what a call gets.
    await define(
      server,
      "tell",
      [
        {
          name: "say",
          taskReferenceName: "say",
          type: "INLINE",
          inputParameters: {
            evaluatorType: "graaljs",
            expression: "$.secret.split('\\n').length",
            secret: "${workflow.secrets.API_TOKEN}",
          },
        },
      ],
      { outputParameters: { lines: "${say.output.result}" } },
    );
    const { output } = await server.request<{ output: object }>("POST", "/workflow/execute/tell/1?waitForSeconds=10", {
      name: "tell",
      version: 1,
    });
    expect(output).toEqual({ lines: 2 });

    await row.getByRole("button", { name: "Delete API_TOKEN" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No secrets yet").waitFor();
    expect(await server.request("GET", "/secrets")).toEqual([]);
  });
});
