import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { loadConfig } from "../../src/config.ts";
import type { Extension, OpenExtension } from "../../src/extension.ts";
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

/** A real server in this process: its own database, a free port of 127.0.0.1. */
export async function startServer({
  folder,
  settings = {},
  env = {},
  taskTypes = [],
  executors = [],
  extensions = [],
}: ServerOptions = {}): Promise<TestServer> {
  const own = folder ?? aFolder();
  const { config } = loadConfig({ argv: toArguments(own, settings), env, cwd: own });
  const errors: string[] = [];
  const log = createLogger({
    level: "warn",
    format: "json",
    now: Date.now,
    write: (line, level) => {
      if (level === "error") errors.push(line);
    },
  });
  const ofTest: Extension = { name: "of the test", taskTypes, open: () => ({ executors }) };
  const runtime = await openRuntime({ config, log, env, extensions: [...extensions, ofTest] });
  await runtime.start();
  const app = createApp(runtime, "0.0.0-test");
  const address = await app.listen({ host: "127.0.0.1", port: 0 });
  return {
    client: new Client(`${address}/api`),
    errors,
    async close() {
      runtime.stopWaiting();
      await app.close();
      await runtime.close();
      if (folder === undefined) removeFolder(own);
    },
  };
}

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
  const args = [main, ...toArguments(folder, { "service.log.format": "json", ...settings })];
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
