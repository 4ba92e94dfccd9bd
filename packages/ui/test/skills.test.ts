import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { strToU8, unzipSync, zipSync } from "fflate";
import { afterAll, expect, test } from "vitest";
import type { Server } from "./support/server.ts";
import { expectAccessible, withUi } from "./support/ui.ts";

const ui = withUi({ acceptDownloads: true }, async () => ({
  "service.integrations.ai.enabled": "true",
  "service.skills.enabled": "true",
}));

const folder = mkdtempSync(join(tmpdir(), "downbeat-skills-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const skillMd = (name: string, body: string) =>
  `---\nname: ${name}\ndescription: The ${name} skill\nparams:\n  tone: dry\n---\n${body}\n`;

/** A folder on the disk, as a skill's author has it. */
function aFolder(name: string, files: Readonly<Record<string, string | Buffer>>): string {
  for (const [path, content] of Object.entries(files)) {
    const place = join(folder, name, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, content);
  }
  return join(folder, name);
}

async function register(server: Server, name: string, version: string, body: string): Promise<void> {
  const zip = zipSync({ "SKILL.md": strToU8(skillMd(name, body)) });
  const form = new FormData();
  form.set("manifest", JSON.stringify({ version, model: "openai/gpt-4o-mini" }));
  form.set("package", new Blob([new Uint8Array(zip)]), "skill.zip");
  const { status } = await fetch(`${server.origin}/api/skills/register`, { method: "POST", body: form });
  expect(status).toBe(200);
}

// A picture of one pixel.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("a folder is registered, looked into, fetched, deployed and deleted", async () => {
  const { page, server } = ui;
  await ui.open("/skills");
  await page.getByText("No skills yet").waitFor();
  await page.getByText(/curl -F 'manifest=/).waitFor();
  await expectAccessible(page);
  await page.getByRole("main").getByRole("button", { name: "Register a skill" }).last().click();
  const dialog = page.getByRole("dialog");

  // The folder above it is a mistake that is easily made.
  aFolder("mine/reviewer", {
    "SKILL.md": skillMd("reviewer", "Review what you are given."),
    "judge-agent.md": "Judge it.",
    "scripts/count.py": "print(1)",
    "references/rules.md": "# Rules",
    "assets/dot.png": Buffer.from(pixel, "base64"),
    ".git/HEAD": "ref: refs/heads/main",
  });
  await dialog.getByLabel("Choose a folder").setInputFiles(join(folder, "mine"));
  await dialog.getByText(/Expected a file SKILL\.md in the folder itself/).waitFor();
  await dialog.getByLabel("Choose a folder").setInputFiles(join(folder, "mine/reviewer"));
  await dialog.getByText("reviewer.zip").waitFor();
  await dialog.getByText(/^5 files,/).waitFor();
  await expectAccessible(page);
  ui.expectRefusal(400);
  await dialog.getByRole("textbox", { name: "Version" }).fill("one point oh");
  await dialog.getByRole("button", { name: "Register" }).click();
  await dialog.getByText(/Invalid skill version 'one point oh'/).waitFor();
  await dialog.getByRole("textbox", { name: "Version" }).fill("1.0");
  await dialog.getByRole("button", { name: "Register" }).click();
  await page.waitForURL("**/skills/reviewer");

  await page.getByText("Review what you are given.").waitFor();
  await page.getByText("no deployed agent").waitFor();
  await page.getByText("chosen when it is deployed").waitFor();
  await page.getByText('"dry"').waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: /scripts\/count\.py/ }).click();
  await page.getByText("print(1)").waitFor();
  await page.getByRole("button", { name: /assets\/dot\.png/ }).click();
  await page.getByRole("img", { name: "assets/dot.png" }).waitFor();
  expect(new URL(page.url()).searchParams.get("file")).toBe("assets/dot.png");
  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download the package" }).click();
  const zip = unzipSync(readFileSync(await (await downloading).path()));
  expect(Object.keys(zip)).toEqual([
    "SKILL.md",
    "assets/dot.png",
    "judge-agent.md",
    "references/rules.md",
    "scripts/count.py",
  ]);

  await page.getByRole("button", { name: "Deploy" }).click();
  await dialog.getByRole("textbox", { name: "Model" }).fill("openai/gpt-4o-mini");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await page.waitForURL("**/agents/reviewer?tab=skill");
  await page.getByText("Review what you are given.").waitFor();

  await ui.open("/skills");
  const row = page.getByRole("row", { name: /reviewer/ });
  await row.getByText("The reviewer skill").waitFor();
  await row.getByText("agent, version 1").waitFor();
  await row.getByText("1.0").waitFor();
  await expectAccessible(page);
  await row.getByRole("link", { name: "reviewer", exact: true }).click();
  await page.getByRole("link", { name: "agent reviewer, version 1" }).waitFor();
  await page.getByRole("button", { name: "Delete version 1.0" }).click();
  await dialog.getByText("It is the only version").waitFor();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.waitForURL("**/skills");
  expect(await server.request("GET", "/skills")).toEqual([]);
  // The agent that was made of it stays.
  await page.getByText("Agent workflow for reviewer").waitFor();
  await row.getByText("agent, version 1").waitFor();
});

test("versions that others register appear at once; one is chosen, and deleted with its name", async () => {
  const { page, server } = ui;
  await register(server, "poet", "10", "Write one haiku.");
  await ui.open("/skills/poet");
  await page.getByText("Write one haiku.").waitFor();
  const version = page.getByRole("combobox", { name: "Version" });
  await page.getByText("Live", { exact: true }).waitFor();
  await register(server, "poet", "2", "Write two haiku.");
  await page.getByText("Write two haiku.").waitFor();
  await version.selectOption("10");
  await page.getByText("Write one haiku.").waitFor();
  await page.reload();
  await page.getByText("Write one haiku.").waitFor();
  await page.getByRole("button", { name: "Delete version 10" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("What names this version will fail.").waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("Deleted poet version 10").waitFor();
  await page.getByText("Write two haiku.").waitFor();
  await ui.open("/skills/poet?version=10");
  await page.getByText("No skill poet in version 10 is registered").waitFor();
  await expectAccessible(page);
});

test("a zip is registered as it is, and what is wrong with it is said", async () => {
  const { page } = ui;
  ui.expectRefusal(400);
  await ui.open("/skills");
  await page.getByRole("button", { name: "Register a skill" }).first().click();
  const dialog = page.getByRole("dialog");
  const choose = (name: string, path: string) =>
    dialog.getByLabel("Choose a zip").setInputFiles({
      name,
      mimeType: "application/zip",
      buffer: Buffer.from(zipSync({ [path]: strToU8(skillMd("zipped", "Zip it.")) })),
    });
  await choose("outer.zip", "zipped/SKILL.md");
  await dialog.getByRole("button", { name: "Register" }).click();
  await dialog.getByText("Skill package is missing SKILL.md").waitFor();
  await choose("inner.zip", "SKILL.md");
  await dialog.getByText("inner.zip").waitFor();
  await dialog.getByRole("button", { name: "Register" }).click();
  await page.waitForURL("**/skills/zipped");
  await page.getByText("Zip it.").waitFor();
});
