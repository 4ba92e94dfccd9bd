import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** A Chromium: the one named in the environment, the system's, or the one an npm package carries. */
export async function launchBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: await findChromium(),
    headless: true,
    args: flags,
    env: { HOME: mkdtempSync(join(tmpdir(), "downbeat-browser-")) },
  });
}

const places = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

async function findChromium(): Promise<string> {
  const named = process.env["DOWNBEAT_TEST_CHROMIUM"];
  if (named !== undefined && named !== "") return named;
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  const { default: carried } = await import("@sparticuz/chromium");
  return await carried.executablePath();
}
