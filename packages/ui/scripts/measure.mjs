// Measures what the web app promises about large executions, on this machine, right now: how long one of 10,000 tasks
// takes to open, and the longest task of the browser during ten seconds of scrolling, panning and zooming, best of three.
// Of every shape that makes an execution large: a fork that a worker is busy with, a loop, a long definition.
// node packages/ui/scripts/measure.mjs [tasks] [rounds] [shape]
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { launchBrowser } from "../test/support/browser.ts";
import { startServer } from "../test/support/server.ts";
import { fillServer, makeFanOut, makeLoop, makeSequence } from "./demo.mjs";

const count = Number(process.argv[2] ?? 10_000);
const ROUNDS = Number(process.argv[3] ?? 3);
const SCROLL_MS = 10_000;
/** Of one gesture. */
const STEPS = 40;
/** Of a worker that is at it while the page is looked at. */
const TASKS_AT_ONCE = 10;

const server = await startServer();
const browser = await launchBrowser();

const shapes = {
  fork: { make: () => makeFanOut(server, count), isWorkedOn: true },
  loop: { make: () => makeLoop(server, count), isWorkedOn: false },
  sequence: { make: () => makeSequence(server, count), isWorkedOn: false },
};
const views = [
  { name: "diagram", path: "", ready: ".react-flow__node", gestures: [roam, drag, pinch] },
  { name: "tasks", path: "?tab=tasks", ready: "[data-row]", gestures: [wheel, leap] },
  { name: "timeline", path: "?tab=timeline", ready: "canvas", gestures: [wheel, sideways, pinch] },
];

try {
  await fillServer(server);
  for (const [shape, { make, isWorkedOn }] of Object.entries(shapes)) {
    if (process.argv[4] !== undefined && process.argv[4] !== shape) continue;
    const id = await make();
    const total = await allScheduled(id);
    process.stdout.write(`${shape} of ${total} tasks, load ${loadavg()[0]?.toFixed(1)}\n`);
    for (const view of views) {
      /** @type {Round[]} */
      const rounds = [];
      for (let i = 0; i < ROUNDS; i += 1) {
        const done = isWorkedOn ? keepWorking() : undefined;
        try {
          rounds.push(await measure(id, view, total));
        } finally {
          await done?.();
        }
      }
      const best = (/** @type {keyof Round} */ name) => Math.min(...rounds.map((round) => round[name]));
      process.stdout.write(
        `  ${view.name}: opens in ${best("openMs")} ms (main thread busy for ${best("cpuMs")} ms); longest task while scrolling ${best("longestMs")} ms, together ${best("longMs")} ms\n`,
      );
    }
  }
} finally {
  await browser.close();
  await server.stop();
}

/** @typedef {{ openMs: number, cpuMs: number, longestMs: number, longMs: number }} Round */
/** @typedef {import("playwright-core").Page} Page */
/** @typedef {(page: Page, step: number) => Promise<void>} Gesture */

/**
 * How many tasks it has when no more come.
 * @param {string} id
 */
async function allScheduled(id) {
  for (;;) {
    /** @type {{ totalHits: number }} */
    const { totalHits } = await server.request("GET", `/workflow/${id}/tasks?count=1`);
    if (totalHits > count) return totalHits;
    await sleep(200);
  }
}

/** A worker that completes tasks of the fork, some at a time, until it is told to stop. */
function keepWorking() {
  let isStopped = false;
  const work = async () => {
    while (!isStopped) {
      /** @type {{ taskId: string, workflowInstanceId: string }[]} */
      const tasks = await server.request("GET", `/tasks/poll/batch/resize?count=${TASKS_AT_ONCE}&timeout=100`);
      for (const { taskId, workflowInstanceId } of tasks)
        await server.request("POST", "/tasks", { taskId, workflowInstanceId, status: "COMPLETED" });
      await sleep(200);
    }
  };
  const ended = work();
  return async () => {
    isStopped = true;
    await ended;
  };
}

/**
 * @param {string} id
 * @param {{ path: string, ready: string, gestures: readonly Gesture[] }} view `ready`: what is on the page when there is something to see
 * @param {number} total
 * @returns {Promise<Round>}
 */
async function measure(id, { path, ready, gestures }, total) {
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
  await page.goto(`${server.origin}/executions/${id}${path}`);
  await page.locator(ready).first().waitFor({ timeout: 60_000 });
  await page.getByRole("tab", { name: `Tasks ${total.toLocaleString("en-US")}` }).waitFor({ timeout: 60_000 });
  // What is there has been drawn when the frame after it begins.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const openMs = Math.round(performance.now() - startedAt);
  const { metrics } = await session.send("Performance.getMetrics");
  const cpuMs = Math.round((metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1000);
  await page.evaluate(() => /** @type {any} */ (globalThis).long.splice(0));
  await perform(page, gestures);
  if (!(await page.locator(ready).first().isVisible())) throw new Error("Expected something to be in sight all along");
  /** @type {number[]} */
  const long = await page.evaluate(() => /** @type {any} */ (globalThis).long);
  await context.close();
  const longMs = Math.round(long.reduce((sum, one) => sum + one, 0));
  return { openMs, cpuMs, longestMs: Math.round(Math.max(0, ...long)), longMs };
}

/**
 * One gesture after the other, for ten seconds.
 * @param {Page} page
 * @param {readonly Gesture[]} gestures
 */
async function perform(page, gestures) {
  const until = performance.now() + SCROLL_MS;
  await page.mouse.move(800, 500);
  for (let i = 0; performance.now() < until; i += 1) {
    await gestures[Math.floor(i / STEPS) % gestures.length]?.(page, i % STEPS);
    await page.waitForTimeout(16);
  }
}

/** @type {Gesture} */
async function wheel(page, step) {
  await page.mouse.wheel(step < 8 ? 120 : 0, step % 3 === 0 ? -400 : 500);
}

/** Far away and back: a small picture must not be left behind. @type {Gesture} */
async function roam(page, step) {
  const sign = step < STEPS / 2 ? 1 : -1;
  await page.mouse.wheel(sign * (step % 4 === 0 ? 40 : 0), sign * (step % 3 === 0 ? 300 : -500));
}

/** @type {Gesture} */
async function sideways(page, step) {
  await page.mouse.wheel(step % 3 === 0 ? -120 : 150, 0);
}

/** In and out again. @type {Gesture} */
async function pinch(page, step) {
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, step < STEPS / 2 ? 60 : -60);
  await page.keyboard.up("Control");
}

/** To the far end and back. @type {Gesture} */
async function leap(page, step) {
  await page.mouse.wheel(0, step % 2 === 0 ? 100_000 : -60_000);
}

/** There and back. @type {Gesture} */
async function drag(page, step) {
  if (step === 0) await page.mouse.down();
  const far = step < STEPS / 2 ? step : STEPS - step;
  await page.mouse.move(800 + far * 15, 500 - far * 12);
  if (step === STEPS - 1) await page.mouse.up();
}
