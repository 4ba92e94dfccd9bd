import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { findBinaries, run, unprivilegedUser } from "./postgres-binaries.ts";

const START_MS = 30_000;

/** Its address, or why there is none. */
export type Started = { readonly url: string } | { readonly problem: string };

/**
 * A PostgreSQL that all test files of this run share. The first file that needs it starts it; it ends by itself when the
 * run does, however that ends.
 */
export async function sharedServer(): Promise<Started> {
  if (process.platform === "win32") return { problem: "its server is started by a shell script" };
  // Test files run in processes of their own, all of them children of the one that runs the tests.
  const folder = join(tmpdir(), `downbeat-postgres-${process.ppid}-${startOf(process.ppid)}`);
  const note = join(folder, "started");
  try {
    mkdirSync(folder);
  } catch {
    // Another file was first.
    return readNote(note);
  }
  let outcome: Started;
  try {
    outcome = { url: await startServer(folder) };
  } catch (error) {
    outcome = { problem: error instanceof Error ? error.message : String(error) };
  }
  writeFileSync(`${note}.tmp`, JSON.stringify(outcome));
  renameSync(`${note}.tmp`, note);
  return readNote(note);
}

async function readNote(note: string): Promise<Started> {
  for (const end = performance.now() + START_MS; !existsSync(note); ) {
    if (performance.now() > end) return { problem: `it did not start within ${START_MS} ms` };
    await sleep(20);
  }
  return JSON.parse(readFileSync(note, "utf8")) as Started;
}

/** A PostgreSQL of a test's own. */
export type OwnServer = {
  readonly url: string;
  /** Ends it as a crash would; resolves when it is there again. */
  crash(): Promise<void>;
};

export async function ownServer(): Promise<OwnServer> {
  const folder = mkdtempSync(join(tmpdir(), "downbeat-postgres-"));
  const url = await startServer(folder);
  return {
    url,
    async crash() {
      const pidOf = (): number => Number(readFileSync(join(folder, "data", "postmaster.pid"), "utf8").split("\n")[0]);
      const pid = pidOf();
      process.kill(pid, "SIGQUIT");
      for (const end = performance.now() + START_MS; isAlive(pid); await sleep(20))
        if (performance.now() > end) throw new Error(`PostgreSQL did not end within ${START_MS} ms`);
      await answers(url);
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** When a process was started: its number alone may have been another's before. */
const startOf = (pid: number): string =>
  spawnSync("ps", ["-p", String(pid), "-o", "lstart="], { encoding: "utf8" }).stdout?.replace(/\W+/g, "") ?? "";

async function startServer(folder: string): Promise<string> {
  const user = unprivilegedUser();
  const data = join(folder, "data");
  const { bin, env } = findBinaries(folder, user);
  if (user.uid !== undefined) run("chown", ["-R", `${user.uid}:${user.gid}`, folder], { env });
  const port = await freePort();
  run(join(bin, "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"], { env, ...user });
  const settings = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", "shared_buffers=128MB"];
  const flags = settings.flatMap((setting) => ["-c", setting]);
  // One that ends is started again. When the run is over, its server is too, and with it everything it has written.
  const script = `folder=$1; run=$2; shift 2
    is_run() { [ -d "/proc/$run" -o "$(ps -p "$run" -o pid= 2> /dev/null)" ]; }
    while is_run; do
      "$@" >> "$folder/log" 2>&1 & server=$!
      while kill -0 "$server" 2> /dev/null && is_run; do sleep 0.3; done
    done
    kill -QUIT "$server"; wait "$server"; rm -rf "$folder"`;
  const command = [join(bin, "postgres"), "-D", data, ...flags];
  spawn("sh", ["-c", script, "sh", folder, String(process.ppid), ...command], {
    detached: true,
    stdio: "ignore",
    cwd: folder,
    env,
    ...user,
  }).unref();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await answers(url);
  return url;
}

async function answers(url: string): Promise<void> {
  for (const end = performance.now() + START_MS; ; ) {
    try {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
      await sleep(50);
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
