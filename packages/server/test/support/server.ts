import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { loadConfig } from "../../src/config.ts";
import type { Extension, OpenExtension } from "../../src/extension.ts";
import { loadExtensions } from "../../src/extensions.ts";
import { createApp } from "../../src/http/app.ts";
import { createLogger } from "../../src/log.ts";
import { openRuntime } from "../../src/runtime/open-runtime.ts";
import { Client } from "./client.ts";

export { Client };

export type ServerOptions = {
  /** A folder that outlives the server; without one it gets its own, which goes with it. */
  readonly folder?: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Task types beside the built-in ones, and who runs them. */
  readonly taskTypes?: Extension["taskTypes"];
  readonly executors?: OpenExtension["executors"];
  readonly extensions?: readonly Extension[];
};

export type TestServer = {
  readonly client: Client;
  /** What it logged as an error: an unexpected one is a failed test. */
  readonly errors: readonly string[];
  readonly close: () => Promise<void>;
};

/**
 * A real server in this process: its own database, a free port of 127.0.0.1. With DOWNBEAT_TEST_NODES set it is that many
 * servers on one PostgreSQL, and the client asks each in turn.
 */
export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const own = options.folder ?? aFolder();
  const errors: string[] = [];
  const store = await storeSettings(own);
  const nodes: Node[] = [];
  for (let node = 0; node < Math.max(1, NODES); node++) nodes.push(await startNode(options, { own, store, errors }));
  const [first, ...others] = nodes.map(({ address }) => `${address}/api`);
  return {
    client: new Client(first ?? "", ...others),
    errors,
    async close() {
      await Promise.all(nodes.map((node) => node.close()));
      if (options.folder === undefined) removeFolder(own);
    },
  };
}

type Node = { readonly address: string; readonly close: () => Promise<void> };
type NodeParts = {
  readonly own: string;
  readonly store: Readonly<Record<string, string>>;
  readonly errors: string[];
};

async function startNode(
  { settings = {}, env = {}, taskTypes = [], executors = [], extensions = [] }: ServerOptions,
  { own, store, errors }: NodeParts,
): Promise<Node> {
  const { config } = loadConfig({ argv: toArguments(own, { ...store, ...settings }), env, cwd: own });
  const log = createLogger({
    level: "warn",
    format: "json",
    now: Date.now,
    write: (line, level) => {
      if (level === "error") errors.push(line);
    },
  });
  const ofTest: Extension = { name: "of the test", taskTypes, open: () => ({ executors }) };
  const wanted = await loadExtensions(config);
  const runtime = await openRuntime({ config, log, env, extensions: [...new Set([...wanted, ...extensions]), ofTest] });
  await runtime.start();
  const app = createApp(runtime, "0.0.0-test");
  const address = await app.listen({ host: "127.0.0.1", port: 0 });
  return {
    address,
    async close() {
      runtime.stopWaiting();
      await app.close();
      await runtime.close();
    },
  };
}

/** Where this folder's data is: the same database each time it is asked for. */
async function storeSettings(folder: string): Promise<Readonly<Record<string, string>>> {
  if (NODES === 0) return {};
  const { newDatabase } = await import("@downbeat/store/testing");
  const url = databases.get(folder) ?? (await newDatabase());
  databases.set(folder, url);
  return { "service.db.type": "postgres", "service.db.url": url };
}

/** How many servers stand behind the client, on a PostgreSQL; 0: one, on the embedded store. */
export const NODES = Number(process.env["DOWNBEAT_TEST_NODES"] ?? 0);
const databases = new Map<string, string>();

export type ChildServer = {
  readonly client: Client;
  readonly pid: number | undefined;
  /** As an operator stops it. Gives the exit code. */
  readonly stop: () => Promise<number | null>;
  /** As a power cut does. */
  readonly kill: () => Promise<void>;
};

/** A real server as a process of its own, over a folder that the test keeps. */
export async function startChildServer({ folder, settings = {}, env = {} }: ServerOptions & { folder: string }) {
  const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
  const store = await storeSettings(folder);
  const args = [main, ...toArguments(folder, { "service.log.format": "json", ...store, ...settings })];
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit") as Promise<[number | null]>;
  const server: ChildServer = {
    client: new Client(await readAddress(child.stdout, exited)),
    pid: child.pid,
    async stop() {
      child.kill("SIGTERM");
      return (await exited)[0];
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
  return server;
}

export const aFolder = (): string => mkdtempSync(join(tmpdir(), "downbeat-"));
export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

function toArguments(folder: string, settings: Readonly<Record<string, string>>): string[] {
  const all = {
    "service.server.host": "127.0.0.1",
    "service.server.port": "0",
    "service.db.url": join(folder, "test.db"),
    ...settings,
  };
  return Object.entries(all).map(([key, value]) => `--${key}=${value}`);
}

async function readAddress(output: NodeJS.ReadableStream, exited: Promise<[number | null]>): Promise<string> {
  const lines = createInterface({ input: output });
  const ready = new Promise<string>((resolve) => {
    lines.on("line", (line) => {
      const { address } = JSON.parse(line) as { address?: string };
      if (address !== undefined) resolve(address);
    });
  });
  const gone = exited.then(([code]) => {
    throw new Error(`Expected the server to start, got exit code ${code}`);
  });
  return await Promise.race([ready, gone]);
}
