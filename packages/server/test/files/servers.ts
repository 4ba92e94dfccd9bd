import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { aFolder, removeFolder } from "../support/server.ts";

/** A real store of objects on this machine. */
export type ObjectStore = { readonly endpoint: string; readonly close: () => Promise<void> };

const START_WITHIN_MS = 60_000;
const installed = (path: string): string => fileURLToPath(new URL(`../../../../.tmp/${path}`, import.meta.url));

const python = [process.env["DOWNBEAT_PYTHON"], installed("python/bin/python"), "python3"].find(hasMoto);
const azurite = installed("azurite/node_modules/azurite/dist/src/blob/main.js");

export const hasS3 = python !== undefined;
export const hasAzure = existsSync(azurite);
const required = process.env["DOWNBEAT_REQUIRE"]?.split(",") ?? [];
export const isS3Required = required.includes("moto");
export const isAzureRequired = required.includes("azurite");

export const WITHOUT_S3 = "Skipping the tests with S3: moto 5 cannot be imported; .ci/run installs it";
export const WITHOUT_AZURE = "Skipping the tests with Azure Blob: azurite is not in .tmp/azurite; .ci/run installs it";

function hasMoto(command: string | undefined): boolean {
  if (command === undefined || (command.includes("/") && !existsSync(command))) return false;
  const check = "import moto.server, moto; assert moto.__version__.startswith('5.')";
  return spawnSync(command, ["-c", check], { timeout: 30_000 }).status === 0;
}

/** S3 as moto plays it. Credentials are for the asking; the AWS client wants to find some. */
export async function startS3(): Promise<ObjectStore> {
  process.env["AWS_ACCESS_KEY_ID"] = "test";
  process.env["AWS_SECRET_ACCESS_KEY"] = "test";
  const port = await freePort();
  const child = spawn(python ?? "", ["-m", "moto.server", "-H", "127.0.0.1", "-p", String(port)], { stdio: "ignore" });
  return await reachable(child, `http://127.0.0.1:${port}`);
}

/** Azurite's account and key, which everyone knows. */
const account = "devstoreaccount1";
const accountKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

export async function startAzure(): Promise<ObjectStore & { readonly connectionString: string }> {
  const port = await freePort();
  const folder = aFolder();
  const host = ["--blobHost", "127.0.0.1", "--blobPort", String(port)];
  const child = spawn(
    process.execPath,
    [azurite, "--silent", "--skipApiVersionCheck", "--disableTelemetry", ...host, "-l", folder],
    { stdio: "ignore" },
  );
  const { endpoint, close } = await reachable(child, `http://127.0.0.1:${port}`);
  const parts = ["DefaultEndpointsProtocol=http", `AccountName=${account}`, `AccountKey=${accountKey}`];
  return {
    endpoint,
    connectionString: [...parts, `BlobEndpoint=${endpoint}/${account}`].join(";"),
    async close() {
      await close();
      removeFolder(folder);
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** Once it answers anything at all. */
async function reachable(child: ChildProcess, endpoint: string): Promise<ObjectStore> {
  const exited = once(child, "exit");
  const close = async () => {
    child.kill();
    await exited;
  };
  const giveUpAt = performance.now() + START_WITHIN_MS;
  for (;;) {
    const answer = await fetch(endpoint).catch(() => undefined);
    if (answer !== undefined) return { endpoint, close };
    if (child.exitCode !== null || performance.now() > giveUpAt) {
      await close();
      throw new Error(`Expected a store at ${endpoint} within ${START_WITHIN_MS} ms, got none`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
