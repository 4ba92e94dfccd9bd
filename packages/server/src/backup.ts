import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { ConfigError, loadConfig } from "./config.ts";

/**
 * `npm run backup -- <file>`: a copy of the database as it is at one moment, while a server may be running on it. Takes
 * the same settings as the server, so it finds the same file.
 */
const PAGES_AT_ONCE = 1000;
const [target, ...argv] = process.argv.slice(2);

try {
  if (target === undefined || target.startsWith("--"))
    throw new Error("Expected a file to write to: npm run backup -- <file>");
  const { config } = loadConfig({ argv, env: process.env, cwd: process.cwd() });
  const source = config["service.db.url"];
  if (!existsSync(source)) throw new Error(`Expected a database at ${source}, found none`);
  if (existsSync(target)) throw new Error(`Expected ${target} to be free, but there is a file already`);
  mkdirSync(dirname(target), { recursive: true });
  const db = new DatabaseSync(source, { readOnly: true });
  await backup(db, target, { rate: PAGES_AT_ONCE });
  db.close();
  process.stdout.write(`Wrote ${target}\n`);
} catch (error) {
  const lines =
    error instanceof ConfigError ? error.problems : [error instanceof Error ? error.message : String(error)];
  for (const line of lines) process.stderr.write(`${line}\n`);
  process.exitCode = 1;
}
