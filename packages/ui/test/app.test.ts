import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { define, defineTask, simple, start, work } from "./support/scenes.ts";
import { expectAccessible, withUi } from "./support/ui.ts";

const ui = withUi({ permissions: ["clipboard-read", "clipboard-write"], timezoneId: "Europe/Berlin" });

const wait = (ref: string) => ({ name: ref, taskReferenceName: ref, type: "WAIT" });

describe("the overview", () => {
  test("shows what happens as it happens", async () => {
    const { page, server } = ui;
    await ui.open("/");
    await page.getByText("This server is idle").waitFor();
    await expectAccessible(page);
    const running = page.getByRole("link", { name: /^Running/ });
    await running.getByText("0").waitFor();
    await defineTask(server, "weigh");
    await define(server, "parcel", [simple("weigh")]);
    const [first] = await Promise.all([start(server, "parcel"), start(server, "parcel")]);
    await running.getByText("2").waitFor();
    await page.getByRole("cell", { name: "weigh" }).waitFor();
    await page.getByText("no worker has asked").waitFor();
    await work(server, "weigh", "FAILED", { reasonForIncompletion: "the scale is broken" });
    await page
      .getByRole("link", { name: /^Failed, last hour/ })
      .getByText("1")
      .waitFor();
    await page.getByRole("link", { name: /the scale is broken/ }).waitFor();
    await page.getByRole("cell", { name: "1 (100%)" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: /the scale is broken/ }).click();
    await page.waitForURL(`**/executions/${first}`);
  });
});

describe("everywhere", () => {
  test("the command palette finds pages and executions", async () => {
    const { page, server } = ui;
    await define(server, "needle", [wait("hay")]);
    const id = await start(server, "needle", { colour: "vermilion" });
    await ui.open("/");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    const palette = page.getByRole("combobox", { name: /Find a page/ });
    await page.keyboard.press("Control+k");
    await palette.fill("vermilion");
    await page.getByRole("option", { name: /needle/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/executions/${id}`);
    await page.getByRole("heading", { name: "needle" }).waitFor();
    await page.keyboard.press("Control+k");
    await palette.fill("background");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/jobs");
    await page.getByText("No jobs yet").waitFor();
    await expectAccessible(page);
  });

  test("g and a letter go to a page, / goes to the query", async () => {
    const { page } = ui;
    await ui.open("/");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("e");
    await page.waitForURL("**/executions");
    const box = page.getByRole("combobox", { name: "Query" });
    await box.waitFor();
    await page.keyboard.press("/");
    expect(await box.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test("dark is chosen and kept, and as readable as light", async () => {
    const { page, server } = ui;
    const id = await start(server, "needle");
    await ui.open(`/executions/${id}`);
    await page.getByRole("button", { name: "Theme and time zone" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Dark" }).click();
    await page.keyboard.press("Escape");
    await page.reload();
    await page.getByLabel("Diagram").getByTitle("hay: In progress").waitFor();
    expect(await page.evaluate(() => document.documentElement.classList.contains("dark"))).toBe(true);
    for (const path of ["/", "/executions", `/executions/${id}`, `/executions/${id}?tab=tasks`]) {
      await ui.open(path);
      await page.getByText("Live", { exact: true }).waitFor();
      await expectAccessible(page);
    }
  });

  test("times are in the zone that was chosen", async () => {
    const { page, server } = ui;
    const id = await start(server, "needle");
    const { createTime } = await server.request<{ createTime: number }>("GET", `/workflow/${id}?includeTasks=false`);
    const hourIn = (timeZone: string) =>
      new Date(createTime).toLocaleTimeString("en-GB", {
        timeZone,
        hour: "2-digit",
        minute: "2-digit",
        second: "2-digit",
      });
    await ui.open(`/executions/${id}`);
    await page.getByText(hourIn("Europe/Berlin")).first().waitFor();
    await page.getByRole("button", { name: "Theme and time zone" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Asia/Tokyo" }).click();
    await page.getByText(hourIn("Asia/Tokyo")).first().waitFor();
  });

  test("what is on screen is copied as curl", async () => {
    const { page, server } = ui;
    await ui.open("/executions?status=FAILED");
    await page.getByRole("button", { name: "Copy as" }).click();
    await page.getByRole("menuitem", { name: "Copy as curl" }).click();
    await page.getByText("Copied as curl").waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    const url = /^curl '(.*)'$/.exec(text)?.[1] ?? "";
    expect(url.startsWith(`${server.origin}/api/workflow/search?query=status`)).toBe(true);
    expect((await fetch(url)).status).toBe(200);
  });

  test("paths of other web apps for this interface lead to the same thing here", async () => {
    const { page, server } = ui;
    const id = await start(server, "needle");
    await ui.open(`/execution/${id}`);
    await page.waitForURL(`**/executions/${id}`);
    await page.getByRole("heading", { name: "needle" }).waitFor();
  });

  test("a path that is nothing says so", async () => {
    const { page } = ui;
    await ui.open("/no/such/page");
    await page.getByText("There is no page here").waitFor();
    await expectAccessible(page);
  });

  test("an unknown status is drawn, in grey, under its own name", async () => {
    const { page, server } = ui;
    const id = await start(server, "needle");
    await page.route("**/api/workflow/search?**", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll('"RUNNING"', '"HIBERNATING"') });
    });
    await ui.open("/executions");
    await page.locator(`[data-row="${id}"]`).getByText("Hibernating").waitFor();
  });

  test("the first load is small", () => {
    const dist = fileURLToPath(new URL("../dist/", import.meta.url));
    const page = readFileSync(`${dist}index.html`, "utf8");
    const entries = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, name]) => name ?? "");
    expect(entries.length).toBeGreaterThan(1);
    expect(readdirSync(`${dist}assets`).length).toBeGreaterThan(entries.length);
    const bytes = entries.reduce((sum, name) => sum + gzipSync(readFileSync(dist + name)).length, 0);
    expect(bytes).toBeLessThan(300_000);
  });
});
