import { join } from "node:path";
import { startPostgres } from "./postgres.mjs";
import { answers, freePort, repositoryRoot, startProgram } from "./process.mjs";

// As `npm start` runs it.
const nodeFlags = ["--max-semi-space-size=16", "--heap-growing-percent=60", "--no-parallel-scavenge"];

export const downbeatOnSqlite = {
  name: "downbeat-sqlite",
  title: "Downbeat, SQLite",
  speaks: "interface",
  pace: "fast",
  hasRetention: true,
  prepare: async () => {},
  start: ({ folder, env, settings }) =>
    startServer({ folder, env, settings, store: [`--service.db.url=${join(folder, "downbeat.db")}`] }),
};

export const downbeatOnPostgres = {
  name: "downbeat-postgres",
  title: "Downbeat, PostgreSQL",
  speaks: "interface",
  pace: "fast",
  hasRetention: true,
  prepare: async () => {},
  async start({ folder, env, settings, database = undefined }) {
    const postgres = database ?? (await startPostgres({ folder, extraEnv: env }));
    const url = `postgres://postgres@127.0.0.1:${postgres.port}/postgres`;
    const store = ["--service.db.type=postgres", `--service.db.url=${url}`];
    const server = await startServer({ folder, settings, store });
    return {
      ...server,
      database: postgres,
      databasePid: postgres.pid,
      async stop() {
        await server.stop();
        await postgres.stop();
      },
    };
  },
};

/** `stopServer` leaves the database running and its data in place, for the next start in the same folder. */
async function startServer({ folder, env, store, settings = [] }) {
  const port = await freePort();
  const main = join(repositoryRoot, "packages", "server", "src", "main.ts");
  const args = [...nodeFlags, main, `--service.server.port=${port}`, ...store, ...settings];
  const origin = `http://127.0.0.1:${port}`;
  const ready = () => answers(`${origin}/health`);
  const { pid, stop } = await startProgram({
    name: "downbeat",
    command: process.execPath,
    args,
    folder,
    env,
    ready,
    startMs: 300_000,
  });
  return { base: `${origin}/api`, pid, stop, stopServer: stop };
}
