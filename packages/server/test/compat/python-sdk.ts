import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Where .ci/run installs the client; any other Python that has it will do. */
const installed = fileURLToPath(new URL("../../../../.tmp/python/bin/python", import.meta.url));

/** A Python that has the official client, when there is one. */
export const python = [process.env["DOWNBEAT_PYTHON"], installed, "python3"].find(hasClient);

/** Whether a run without the Python client is a failed one. */
export const isPythonRequired = process.env["DOWNBEAT_REQUIRE"]?.split(",").includes("python") === true;

if (python === undefined) {
  process.stdout.write("Skipping the tests with the Python client: conductor-python 2 cannot be imported\n");
}

function hasClient(command: string | undefined): boolean {
  if (command === undefined || (command.includes("/") && !existsSync(command))) return false;
  const check = "import importlib.metadata as m; assert m.version('conductor-python').startswith('2.')";
  return spawnSync(command, ["-c", check], { timeout: 10_000 }).status === 0;
}

/** What a script beside this file prints, line by line. */
export async function runPython(script: string, ...args: readonly string[]): Promise<readonly string[]> {
  const program = fileURLToPath(new URL(script, import.meta.url));
  // Threads in place of its worker processes: one interpreter starts in a fraction of the time of many.
  const env = { PATH: process.env["PATH"], CONDUCTOR_WORKER_ISOLATION: "thread", PYTHONDONTWRITEBYTECODE: "1" };
  const { stdout } = await run(python ?? "", [program, ...args], { env, timeout: 60_000 });
  return stdout.trim().split("\n");
}
