import { join } from "node:path";
import { installPackages } from "./install.mjs";
import { startPostgres } from "./postgres.mjs";
import { answers, benchRoot, freePort, startProgram } from "./process.mjs";

const packages = ["@dbos-inc/dbos-sdk@5.3.0"];
const install = () => installPackages("dbos", packages);

/** A library: the one process is server and worker both, and PostgreSQL keeps its steps. */
export const dbos = {
  name: "dbos",
  title: "DBOS 5.3.0",
  speaks: "steps",
  pace: "fast",
  prepare: async () => void install(),
  async start({ folder, env }) {
    const home = install();
    const postgres = await startPostgres({ folder, extraEnv: env });
    const port = await freePort();
    const url = `postgres://postgres@127.0.0.1:${postgres.port}/dbos`;
    const service = await startProgram({
      name: "dbos",
      command: process.execPath,
      args: [join(benchRoot, "systems", "dbos-service.mjs"), home, String(port), url],
      folder,
      ready: () => answers(`http://127.0.0.1:${port}/`),
    });
    return {
      stepsUrl: `http://127.0.0.1:${port}/`,
      pid: service.pid,
      databasePid: postgres.pid,
      async stop() {
        await service.stop();
        await postgres.stop();
      },
    };
  },
};
