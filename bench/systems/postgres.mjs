import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findBinaries, run, unprivilegedUser } from "../../packages/store/test/support/postgres-binaries.ts";
import { freePort, startProgram } from "./process.mjs";

/**
 * A PostgreSQL of its own for one system, with its usual settings (fsync on, synchronous commit) but for the number of
 * connections. `extraEnv` reaches its processes.
 */
export async function startPostgres({ folder, extraEnv = {} }) {
  const home = join(folder, "postgres");
  const data = join(home, "data");
  mkdirSync(home, { recursive: true });
  const user = unprivilegedUser();
  const { bin, env } = findBinaries(home, user);
  if (user.uid !== undefined) run("chown", ["-R", `${user.uid}:${user.gid}`, home], { env });
  run(join(bin, "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"], { env, ...user });
  const port = await freePort();
  const settings = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=300"];
  const args = ["-D", data, ...settings.flatMap((setting) => ["-c", setting])];
  const { pid, stop } = await startProgram({
    name: "postgres",
    command: join(bin, "postgres"),
    args,
    folder: home,
    env: { ...env, ...extraEnv },
    user,
    ready: () => readFileSync(join(home, "postgres.log"), "utf8").includes("ready to accept connections"),
    // Its "fast" way to stop: SIGTERM would wait for clients that stay.
    stopSignal: "SIGINT",
  });
  return { port, pid, stop };
}
