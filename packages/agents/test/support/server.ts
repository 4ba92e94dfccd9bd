import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp, createLogger, loadConfig, Runtime } from "@downbeat/server";

export type TestServer = {
  /** Ends in /api. */
  readonly base: string;
  readonly close: () => Promise<void>;
};

/** A real server in this process: its own database, a free port of 127.0.0.1. */
export async function startServer(): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), "agents-"));
  const argv = [
    "--service.server.host=127.0.0.1",
    "--service.server.port=0",
    `--service.db.url=${join(folder, "test.db")}`,
  ];
  const { config } = loadConfig({ argv, env: {}, cwd: folder });
  const log = createLogger({
    level: "error",
    format: "json",
    now: Date.now,
    write: (line) => process.stderr.write(line),
  });
  const runtime = new Runtime({ config, log, env: {} });
  await runtime.start();
  const app = createApp(runtime, "0.0.0-test");
  const address = await app.listen({ host: "127.0.0.1", port: 0 });
  return {
    base: `${address}/api`,
    async close() {
      runtime.stopWaiting();
      await app.close();
      await runtime.close();
      rmSync(folder, { recursive: true });
    },
  };
}
