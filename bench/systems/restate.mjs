import { createRequire } from "node:module";
import { join } from "node:path";
import { installPackages } from "./install.mjs";
import { answers, benchRoot, freePort, isListening, startProgram } from "./process.mjs";

const packages = ["@restatedev/restate-server@1.7.12", "@restatedev/restate-sdk@1.17.2"];
const install = () => installPackages("restate", packages);

/** The server with its usual settings (its log in RocksDB, written through), and one service process with the steps. */
export const restate = {
  name: "restate",
  title: "Restate 1.7.12",
  speaks: "steps",
  pace: "fast",
  prepare: async () => void install(),
  async start({ folder }) {
    const home = install();
    const [ingress, admin, node, service] = [await freePort(), await freePort(), await freePort(), await freePort()];
    const steps = await startProgram({
      name: "restate-service",
      command: process.execPath,
      args: [join(benchRoot, "systems", "restate-service.mjs"), home, String(service)],
      folder,
      ready: () => isListening(service),
    });
    const program = `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`;
    const server = await startProgram({
      name: "restate",
      command: createRequire(join(home, "package.json")).resolve(program),
      args: ["--no-logo", "--base-dir", folder, "--bind-ip", "127.0.0.1", "--listen-mode", "tcp"],
      folder,
      env: {
        RESTATE_BIND_PORT: String(node),
        RESTATE_INGRESS__BIND_PORT: String(ingress),
        RESTATE_ADMIN__BIND_PORT: String(admin),
        RESTATE_DISABLE_TELEMETRY: "true",
        RUST_LOG: "warn",
      },
      ready: () => answers(`http://127.0.0.1:${admin}/health`),
    });
    const registered = await fetch(`http://127.0.0.1:${admin}/deployments`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ uri: `http://127.0.0.1:${service}` }),
      signal: AbortSignal.timeout(30_000),
    });
    if (!registered.ok) throw new Error(`Expected the service to be registered, got ${await registered.text()}`);
    return {
      stepsUrl: `http://127.0.0.1:${ingress}/steps/run`,
      pid: server.pid,
      workerPid: steps.pid,
      async stop() {
        await server.stop();
        await steps.stop();
      },
    };
  },
};
