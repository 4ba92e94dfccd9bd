import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from "vitest";
import { launchBrowser } from "./browser.ts";
import { type Server, startServer } from "./server.ts";

/** What a test of the web app has: a server, and a page of a browser of its own. */
export type Ui = {
  readonly server: Server;
  readonly page: Page;
  /** Opens a path of the app. */
  readonly open: (path: string) => Promise<void>;
  /** Browsers log every refused request as an error: says that this one was meant. */
  readonly expectRefusal: (status: number) => void;
};

/** Settings of the server besides those every test has; asked for when it is about to start. */
type Settings = () => Promise<Readonly<Record<string, string>>>;

/**
 * Call it at the top of a test file. One server and one browser for the file, a fresh page for every test. A test fails
 * when the page logged an error.
 */
export function withUi(options: BrowserContextOptions = {}, settings: Settings = async () => ({})): Ui {
  let server: Server | undefined;
  let browser: Browser | undefined;
  let page: Page | undefined;
  let problems: string[] = [];
  let refusals = new Set<number>();

  // A browser on a busy machine is slow: what hangs is caught by the page's own limit.
  vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

  beforeAll(async () => {
    [server, browser] = await Promise.all([settings().then(startServer), launchBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  beforeEach(async () => {
    problems = [];
    refusals = new Set();
    const context = await given(browser).newContext({ viewport: { width: 1440, height: 900 }, ...options });
    page = await context.newPage();
    page.setDefaultTimeout(20_000);
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
    });
  });
  afterEach(async () => {
    await page?.context().close();
    const isMeant = (text: string) =>
      [...refusals].some((status) =>
        text.includes(`Failed to load resource: the server responded with a status of ${status}`),
      );
    expect(problems.filter((text) => !isMeant(text))).toEqual([]);
  });

  return {
    get server() {
      return given(server);
    },
    get page() {
      return given(page);
    },
    async open(path) {
      await given(page).goto(`${given(server).origin}${path}`);
    },
    expectRefusal: (status) => refusals.add(status),
  };
}

function given<T>(thing: T | undefined): T {
  if (thing === undefined) throw new Error("Expected to be used within a test");
  return thing;
}

type Violation = { id: string; impact: string; nodes: { target: unknown; failureSummary: string }[] };

/** Fails when axe finds a serious problem on the page as it stands. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const page = globalThis as unknown as { axe: { run: () => Promise<{ violations: Violation[] }> } };
    return (await page.axe.run()).violations;
  });
  const serious = violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => `${String(node.target)} ${node.failureSummary}`).join("\n")}`,
    );
  expect(serious).toEqual([]);
}
