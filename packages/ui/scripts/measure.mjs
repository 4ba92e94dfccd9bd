// Measures what the web app promises about large executions, on this machine, right now: how long one of 10,000 tasks
// takes to open, and the longest task of the browser during ten seconds of scrolling and panning, best of three.
// node packages/ui/scripts/measure.mjs [tasks]
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { launchBrowser } from "../test/support/browser.ts";
import { startServer } from "../test/support/server.ts";
import { fillServer, makeFanOut } from "./demo.mjs";

const count = Number(process.argv[2] ?? 10_000);
const ROUNDS = 3;
const SCROLL_MS = 10_000;
const views = [
  { name: "diagram", path: "", ready: "[data-id='each_file']" },
  { name: "tasks", path: "?tab=tasks", ready: "[data-row]" },
  { name: "timeline", path: "?tab=timeline", ready: "canvas" },
];

const server = await startServer();
const browser = await launchBrowser();
try {
  await fillServer(server);
  const id = await makeFanOut(server, count);
  await allScheduled(id);
  process.stdout.write(`${count} tasks, load ${loadavg()[0]?.toFixed(1)}\n`);
  for (const view of views) {
    /** @type {{ openMs: number, cpuMs: number, longestMs: number }[]} */
    const rounds = [];
    for (let i = 0; i < ROUNDS; i += 1) rounds.push(await measure(`/executions/${id}${view.path}`, view.ready));
    const best = (/** @type {"openMs" | "cpuMs" | "longestMs"} */ name) =>
      Math.min(...rounds.map((round) => round[name]));
    process.stdout.write(
      `${view.name}: opens in ${best("openMs")} ms (main thread busy for ${best("cpuMs")} ms); longest task while scrolling ${best("longestMs")} ms\n`,
    );
  }
} finally {
  await browser.close();
  await server.stop();
}

/** @param {string} id */
async function allScheduled(id) {
  for (;;) {
    /** @type {{ totalHits: number }} */
    const { totalHits } = await server.request("GET", `/workflow/${id}/tasks?count=1`);
    if (totalHits > count) return;
    await sleep(200);
  }
}

/**
 * @param {string} path
 * @param {string} ready what is on the page when there is something to see
 */
async function measure(path, ready) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(() => {
    const long = /** @type {number[]} */ ([]);
    Object.assign(globalThis, { long });
    new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => duration))).observe({
      entryTypes: ["longtask"],
    });
  });
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable");
  const startedAt = performance.now();
  await page.goto(`${server.origin}${path}`);
  await page.locator(ready).first().waitFor({ timeout: 60_000 });
  await page.getByRole("tab", { name: `Tasks ${(count + 3).toLocaleString("en-US")}` }).waitFor({ timeout: 60_000 });
  const openMs = Math.round(performance.now() - startedAt);
  const { metrics } = await session.send("Performance.getMetrics");
  const cpuMs = Math.round((metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1000);
  await page.evaluate(() => /** @type {any} */ (globalThis).long.splice(0));
  await scroll(page);
  /** @type {number[]} */
  const long = await page.evaluate(() => /** @type {any} */ (globalThis).long);
  await context.close();
  return { openMs, cpuMs, longestMs: Math.round(Math.max(0, ...long)) };
}

/** @param {import("playwright-core").Page} page */
async function scroll(page) {
  const until = performance.now() + SCROLL_MS;
  await page.mouse.move(800, 500);
  for (let i = 0; performance.now() < until; i += 1) {
    await page.mouse.wheel(i % 40 < 8 ? 120 : 0, i % 3 === 0 ? -400 : 500);
    await page.waitForTimeout(16);
  }
}
