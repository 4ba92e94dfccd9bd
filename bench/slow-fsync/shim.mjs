import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { benchRoot, systemsRoot } from "../systems/process.mjs";

/**
 * The environment that slows a program's fsync by so many milliseconds: a small library, built on first use with the
 * machine's C compiler and loaded before the program's own. Throws where that cannot be done.
 */
export function slowFsync(delayMs) {
  if (process.platform !== "linux") throw new Error("slowing fsync needs Linux");
  const folder = join(systemsRoot, "slow-fsync");
  const library = join(folder, "slow-fsync.so");
  mkdirSync(folder, { recursive: true });
  const source = join(benchRoot, "slow-fsync", "slow-fsync.c");
  const built = spawnSync("cc", ["-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"], { encoding: "utf8" });
  if (built.status !== 0)
    throw new Error(`slowing fsync needs a C compiler (cc): ${built.error?.message ?? built.stderr}`);
  const env = { LD_PRELOAD: library, SLOW_FSYNC_MS: String(delayMs) };
  if (timeOfFsync(env) < delayMs) throw new Error("the library that slows fsync was built but has no effect");
  return env;
}

/** Milliseconds that one fsync takes in a process with this environment. */
function timeOfFsync(env) {
  const program = `const { openSync, fsyncSync } = require("node:fs");
    const file = openSync(${JSON.stringify(join(systemsRoot, "slow-fsync", "slow-fsync.so"))}, "r");
    const startedAt = performance.now();
    fsyncSync(file);
    console.log(performance.now() - startedAt);`;
  const { stdout } = spawnSync(process.execPath, ["-e", program], {
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  return Number(stdout);
}
