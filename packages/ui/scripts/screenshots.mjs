// Takes the pictures of the README and the docs: every main page, light and dark, from a server filled for it.
// node packages/ui/scripts/screenshots.mjs [folder]
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { launchBrowser } from "../test/support/browser.ts";
import { startModel } from "../test/support/model.ts";
import { work } from "../test/support/scenes.ts";
import { startServer } from "../test/support/server.ts";
import { fillServer, makeAgentRun, makeFanOut, makeShowcase, uploadTo } from "./demo.mjs";

const folder = resolve(process.argv[2] ?? join(import.meta.dirname, "../../../docs/images"));
mkdirSync(folder, { recursive: true });

const model = await startModel();
const server = await startServer({
  ...model.settings,
  "service.file-storage.enabled": "true",
  "service.secrets.type": "database",
  "service.secrets.key": randomBytes(32).toString("base64"),
});
const browser = await launchBrowser();
try {
  await fillServer(server);
  const showcase = await makeShowcase(server);
  const fanOut = await makeFanOut(server, 240);
  for (let i = 0; i < 90; i += 1) await work(server, "resize", i % 17 === 0 ? "IN_PROGRESS" : "COMPLETED");
  /** @type {{ tasks: { taskId: string, referenceTaskName: string }[] }} */
  const { tasks } = await server.request("GET", `/workflow/${showcase}`);
  const charge = tasks.findLast((task) => task.referenceTaskName === "charge_card")?.taskId;

  const run = await makeAgentRun(server, model);
  await uploadTo(server, showcase, "invoice-0042.pdf", "application/pdf", 48_213);
  await uploadTo(server, showcase, "label.png", "image/png", 9_120);
  for (const name of ["STRIPE_KEY", "SMTP_PASSWORD", "CRM_TOKEN"]) {
    await server.request("PUT", `/secrets/${name}`, "made up");
  }

  /** @type {{ name: string, path: string, ready: string, click?: string }[]} */
  const pages = [
    { name: "overview", path: "/", ready: "Throughput" },
    { name: "executions", path: "/executions?range=24h", ready: "order-10099" },
    { name: "execution-diagram", path: `/executions/${showcase}?task=${charge}`, ready: "ch_0042" },
    { name: "execution-timeline", path: `/executions/${fanOut}?tab=timeline`, ready: "waiting" },
    { name: "execution-fan-out", path: `/executions/${fanOut}`, ready: "file_3" },
    { name: "execution-tasks", path: `/executions/${showcase}?tab=tasks`, ready: "reserve_stock" },
    { name: "execution-data", path: `/executions/${showcase}?tab=data`, ready: "Grace" },
    { name: "definitions", path: "/definitions", ready: "order_fulfilment" },
    { name: "definition", path: "/definitions/order_fulfilment", ready: "No problems", click: "charge_card" },
    { name: "definition-versions", path: "/definitions/order_fulfilment?tab=versions", ready: "gift_card" },
    { name: "definition-run", path: "/definitions/order_fulfilment?tab=run", ready: "country" },
    { name: "task-definition", path: "/task-definitions/charge_card", ready: "retryCount" },
    { name: "execution-files", path: `/executions/${showcase}?tab=files`, ready: "label.png" },
    { name: "agents", path: "/agents", ready: "support" },
    { name: "agent", path: "/agents/support", ready: "No problems" },
    { name: "agent-run", path: `/agents/runs/${run}`, ready: "waits for you" },
    { name: "secrets", path: "/secrets", ready: "STRIPE_KEY" },
    { name: "schedules", path: "/schedules", ready: "nightly-report" },
    { name: "schedule", path: "/schedules/nightly-report", ready: "Executed" },
    { name: "event-handlers", path: "/event-handlers", ready: "ship_paid_orders" },
    { name: "event-handler", path: "/event-handlers/ship_paid_orders?tab=records", ready: "start workflow" },
    { name: "queues", path: "/queues", ready: "Last poll" },
  ];
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      colorScheme,
      deviceScaleFactor: 1,
    });
    const page = await context.newPage();
    // Playwright itself takes no pictures as WebP, which are a third of the size.
    const devTools = await context.newCDPSession(page);
    for (const { name, path, ready, click } of pages) {
      await page.goto(`${server.origin}${path}`);
      await page.getByText(ready).first().waitFor();
      if (click !== undefined) await page.getByLabel("Diagram").getByTitle(click).click();
      // Fonts, and the diagram's first fit.
      await page.waitForLoadState("load");
      await page.waitForTimeout(600);
      const file = join(folder, `${name}-${colorScheme}.webp`);
      const { data } = await devTools.send("Page.captureScreenshot", { format: "webp", quality: 85 });
      writeFileSync(file, data, "base64");
      process.stdout.write(`${file}\n`);
    }
    await context.close();
  }
} finally {
  await browser.close();
  await server.stop();
  await model.stop();
}
