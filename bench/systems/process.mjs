import { spawn } from "node:child_process";
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const benchRoot = dirname(dirname(fileURLToPath(import.meta.url)));
export const repositoryRoot = dirname(benchRoot);
/** Everything the bench installs, builds and lets others write; git does not see it. */
export const systemsRoot = join(benchRoot, ".systems");
export const resultsRoot = join(benchRoot, ".results");

const stopMs = 30_000;

/** A new empty folder for one life of a system. */
export function freshFolder(name) {
  const parent = join(systemsRoot, "runs");
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, `${name}-`));
  // PostgreSQL runs as another user than root.
  chmodSync(folder, 0o755);
  folders.add(folder);
  return folder;
}

export function removeFolder(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  folders.delete(folder);
}

/** A free port of loopback. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** Processes still running and what they have written: whatever ends the bench, they end with it. */
const running = new Set();
const folders = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
  for (const folder of folders) removeFolder(folder);
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));

/**
 * Starts a program whose output goes to a file in its folder. `ready` is asked until it is true; a program that ends
 * before, or is not ready in time, is an error that shows the end of its output.
 * @returns {Promise<{ pid: number, stop(): Promise<void>, kill(): Promise<void> }>}
 */
export async function startProgram(program) {
  const { name, command, args, folder, ready, env = {}, user = {}, startMs = 60_000, stopSignal = "SIGTERM" } = program;
  const logFile = join(folder, `${name}.log`);
  const log = openSync(logFile, "a");
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", log, log],
    ...user,
  });
  closeSync(log);
  running.add(child);
  const ended = new Promise((resolve) => {
    child.on("error", resolve);
    child.on("exit", (code, signal) => resolve(new Error(`it ended with ${signal ?? `exit code ${code}`}`)));
  }).then((why) => {
    running.delete(child);
    return why;
  });
  const end = async (signal) => {
    if (!running.has(child)) return;
    child.kill(signal);
    const late = setTimeout(() => child.kill("SIGKILL"), stopMs);
    await ended;
    clearTimeout(late);
  };
  try {
    await untilReady({ ready, ended, startMs });
  } catch (error) {
    await end("SIGKILL");
    const tail = readFileSync(logFile, "utf8").trim().split("\n").slice(-8).join("\n");
    throw new Error(`Expected ${name} to start, but ${error.message}\n${tail}`, { cause: error });
  }
  return { pid: child.pid, stop: () => end(stopSignal), kill: () => end("SIGKILL") };
}

async function untilReady({ ready, ended, startMs }) {
  let failure;
  void ended.then((why) => {
    failure = why;
  });
  for (const deadline = performance.now() + startMs; !(await ready()); ) {
    if (failure !== undefined) throw failure;
    if (performance.now() > deadline) throw new Error(`it was not ready within ${startMs} ms`);
    await sleep(50);
  }
}

/** Whether an address answers with a status below 300. */
export async function answers(url, options = {}) {
  try {
    const answer = await fetch(url, { ...options, signal: AbortSignal.timeout(5_000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

/** Whether something accepts connections at a port of loopback. */
export function isListening(port) {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const end = (isThere) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.on("connect", () => end(true));
    socket.on("error", () => end(false));
  });
}
