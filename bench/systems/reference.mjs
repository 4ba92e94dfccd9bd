import { join } from "node:path";
import { findJava, installArtifact } from "./install.mjs";
import { startPostgres } from "./postgres.mjs";
import { answers, freePort, startProgram } from "./process.mjs";

const artifact = "org.conductoross:conductor-server:3.32.3:jar:boot";

const prepare = async () => {
  findJava(21);
  await installArtifact("reference", artifact);
};

export const referenceOnSqlite = {
  name: "reference-sqlite",
  title: "Reference, SQLite",
  speaks: "interface",
  pace: "slow",
  prepare,
  start: ({ folder, env }) => {
    const url = `jdbc:sqlite:${join(folder, "reference.db")}?busy_timeout=15000&journal_mode=WAL`;
    return startServer({ folder, env, store: [`--spring.datasource.url=${url}`] });
  },
};

export const referenceOnPostgres = {
  name: "reference-postgres",
  title: "Reference, PostgreSQL",
  speaks: "interface",
  pace: "slow",
  prepare,
  async start({ folder, env, database = undefined }) {
    const postgres = database ?? (await startPostgres({ folder, extraEnv: env }));
    const parts = ["db", "queue", "indexing"].map((part) => `--conductor.${part}.type=postgres`);
    const server = await startServer({
      folder,
      store: [
        ...parts,
        "--conductor.elasticsearch.version=0",
        `--spring.datasource.url=jdbc:postgresql://127.0.0.1:${postgres.port}/postgres`,
        "--spring.datasource.username=postgres",
        "--spring.datasource.password=",
      ],
    });
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

async function startServer({ folder, env, store }) {
  const port = await freePort();
  const jar = await installArtifact("reference", artifact);
  const origin = `http://127.0.0.1:${port}`;
  const { pid, stop } = await startProgram({
    name: "reference",
    command: findJava(21),
    args: ["-Xmx3g", "-jar", jar, `--server.port=${port}`, ...store],
    folder,
    env,
    ready: () => answers(`${origin}/health`),
    startMs: 300_000,
  });
  return { base: `${origin}/api`, pid, stop, stopServer: stop };
}
