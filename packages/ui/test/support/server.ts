import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A real server as a process of its own, on a free port, with an empty store. */
export type Server = {
  /** Where browsers find it. */
  readonly origin: string;
  readonly request: <T = unknown>(method: string, path: string, body?: unknown) => Promise<T>;
  readonly stop: () => Promise<void>;
};

/** `more` are settings besides those every test has. */
export async function startServer(more: Readonly<Record<string, string>> = {}): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "downbeat-ui-"));
  const main = fileURLToPath(new URL("../../../server/src/main.ts", import.meta.url));
  const settings = {
    "service.server.host": "127.0.0.1",
    "service.server.port": "0",
    "service.db.url": join(folder, "test.db"),
    "service.log.format": "json",
    ...more,
  };
  const args = [main, ...Object.entries(settings).map(([key, value]) => `--${key}=${value}`)];
  const child = spawn(process.execPath, args, { cwd: folder, env: {}, stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const address = await readAddress(child.stdout, exited);
  const origin = new URL(address).origin;
  return {
    origin,
    async request<T>(method: string, path: string, body?: unknown): Promise<T> {
      const response = await fetch(`${origin}/api${path}`, {
        method,
        ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      const isJson = (response.headers.get("content-type") ?? "").includes("json");
      return (text !== "" && isJson ? JSON.parse(text) : text) as T;
    },
    async stop() {
      child.kill("SIGTERM");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function readAddress(output: NodeJS.ReadableStream, exited: Promise<unknown[]>): Promise<string> {
  const lines = createInterface({ input: output });
  const ready = new Promise<string>((resolve) => {
    lines.on("line", (line) => {
      const { address } = JSON.parse(line) as { address?: string };
      if (address !== undefined) resolve(address);
    });
  });
  const failed = exited.then(([code]) => {
    throw new Error(`Expected the server to start, it ended with code ${String(code)}`);
  });
  return await Promise.race([ready, failed]);
}
