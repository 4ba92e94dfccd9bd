import { readFileSync } from "node:fs";
import { ConfigError, describeConfig, loadConfig } from "./config.ts";
import { loadExtensions } from "./extensions.ts";
import { createApp } from "./http/app.ts";
import { createLogger, type Logger } from "./log.ts";
import { openRuntime } from "./runtime/open-runtime.ts";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

await main().catch((error: unknown) => {
  const lines =
    error instanceof ConfigError
      ? error.problems
      : [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  for (const line of lines) process.stderr.write(`${line}\n`);
  process.exit(1);
});

async function main(): Promise<void> {
  const { config, warnings, sources } = loadConfig({
    argv: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
  });
  const log = createLogger({ level: config["service.log.level"], format: config["service.log.format"], now: Date.now });
  for (const warning of warnings) log.warn(warning);
  printConfig(describeConfig(config, sources), log);
  // What is acknowledged is on disk: stopping at once is safe, going on without a store is not.
  const giveUp = (what: string) => (error: unknown) => {
    log.error(what, { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    process.exit(1);
  };
  process.on("uncaughtException", giveUp("Stopping after an error nobody expected"));
  process.on("unhandledRejection", (error) => log.error("A failure nobody waited for", { error: String(error) }));
  const onStoreFailure = giveUp("Stopping: the store cannot write any more");
  const extensions = await loadExtensions(config);
  const runtime = await openRuntime({ config, log, env: process.env, extensions, onStoreFailure });
  const app = createApp(runtime, version);

  let isStopping = false;
  const stop = (signal: string) => {
    if (isStopping) return;
    isStopping = true;
    log.info("Stopping", { signal });
    const giveUp = setTimeout(() => {
      log.error("Could not stop in time; what was acknowledged is on disk");
      process.exit(1);
    }, config["service.shutdown.grace"]);
    giveUp.unref();
    // Requests that wait are answered first, or closing the listener would wait for them.
    runtime.stopWaiting();
    app
      .close()
      .then(() => runtime.close())
      .then(() => log.info("Stopped"))
      .then(() => process.exit(0))
      .catch((error: unknown) => {
        log.error("Stopping failed", { error: String(error) });
        process.exit(1);
      });
  };
  // Before anyone can hear that it is ready, and stop it for it.
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGINT", () => stop("SIGINT"));
  await runtime.start();
  const address = await app.listen({ host: config["service.server.host"], port: config["service.server.port"] });
  log.info(`Downbeat ${version} is ready`, { address: `${address}/api`, store: config["service.db.url"] });
}

/** Settings that someone set, at every start; all of them when debugging. Secrets are masked. */
function printConfig(lines: readonly string[], log: Logger): void {
  for (const line of lines) {
    if (line.includes("(default)")) log.debug(line);
    else log.info(line);
  }
}
