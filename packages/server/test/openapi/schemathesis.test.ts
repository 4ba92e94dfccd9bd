import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aName, aWorkflow, simple } from "../support/definitions.ts";
import { aFolder, removeFolder, startServer, type TestServer } from "../support/server.ts";
import { rootOf } from "./the-document.ts";

const run = promisify(execFile);

/** Where .ci/run installs it; any other Python that has it will do. */
const installed = fileURLToPath(new URL("../../../../.tmp/python/bin/python", import.meta.url));
const python = [process.env["DOWNBEAT_PYTHON"], installed, "python3"].find(hasSchemathesis);
const isRequired = process.env["DOWNBEAT_REQUIRE"]?.split(",").includes("schemathesis") === true;
if (python === undefined) {
  process.stdout.write("Skipping the tests with Schemathesis: schemathesis 4 cannot be imported\n");
}

function hasSchemathesis(command: string | undefined): boolean {
  if (command === undefined || (command.includes("/") && !existsSync(command))) return false;
  const check = "import importlib.metadata as m; assert m.version('schemathesis').startswith('4.')";
  return spawnSync(command, ["-c", check], { timeout: 10_000 }).status === 0;
}

test("Schemathesis is there when it has to be", () => {
  if (isRequired) expect(python).toBeDefined();
});

describe.skipIf(python === undefined)("requests made up from the document", () => {
  let server: TestServer;
  let folder: string;
  beforeAll(async () => {
    server = await startServer({
      // Where they can be written: a store that cannot says so with 501, which counts as a failure here.
      settings: { "service.secrets.type": "database", "service.secrets.key": "0".repeat(64) },
    });
    folder = aFolder();
  });
  afterAll(async () => {
    removeFolder(folder);
    await server?.close();
    expect(server?.errors).toEqual([]);
  });

  test("are answered as the document says, and never with a failure of the server", async () => {
    const config = fileURLToPath(new URL("./schemathesis.toml", import.meta.url));
    const args = ["-m", "schemathesis.cli", "--config-file", config, "run", `${rootOf(server.client)}/api-docs`];
    // It leaves files where it runs.
    const options = {
      cwd: folder,
      env: { PATH: process.env["PATH"], NO_COLOR: "1", PYTHONUTF8: "1" },
      timeout: 400_000,
      maxBuffer: 100_000_000,
    };
    const { stdout, code = 0 } = (await run(python ?? "", [...args, "--no-color"], options).catch(
      (error: { readonly stdout: string; readonly code: number }) => error,
    )) as { stdout: string; code?: number };
    expect(code, stdout).toBe(0);
    expect(Number(/(\d+) generated/.exec(stdout)?.[1])).toBeGreaterThan(1000);
  }, 420_000);

  test("leave a server that works", async () => {
    const { client } = server;
    const name = aName("after");
    await client.register(aWorkflow(name, [simple(name, "t")]));
    const id = await client.start(name);
    await client.complete(await client.take(name));
    expect(await client.execution(id)).toMatchObject({ status: "COMPLETED" });
  });
});
