import { execFile, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";

const run = promisify(execFile);

/** A script of many checks, where others want the machine too. */
const LONGEST_MS = 150_000;

/** Where .ci/run installs what tests use of Python's. */
const installed = (environment: string): string =>
  fileURLToPath(new URL(`../../../../.tmp/${environment}/bin/python`, import.meta.url));

const hasClient = "import importlib.metadata as m; assert m.version('conductor-python').startswith('2.')";

/** A Python that has the official client, when there is one. */
export const python = [process.env["DOWNBEAT_PYTHON"], installed("python"), "python3"].find((command) =>
  runs(command, hasClient),
);

/** One that has frameworks for agents too. */
export const frameworks = [process.env["DOWNBEAT_PYTHON_FRAMEWORKS"], installed("frameworks")].find((command) =>
  runs(command, `${hasClient}; m.version('google-adk'); m.version('langchain-openai')`),
);

/** Whether a run without the Python client is a failed one. */
export const isPythonRequired = isRequired("python");
export const areFrameworksRequired = isRequired("frameworks");

if (python === undefined) {
  process.stdout.write("Skipping the tests with the Python client: conductor-python 2 cannot be imported\n");
}

function isRequired(name: string): boolean {
  return process.env["DOWNBEAT_REQUIRE"]?.split(",").includes(name) === true;
}

function runs(command: string | undefined, program: string): boolean {
  if (command === undefined || (command.includes("/") && !existsSync(command))) return false;
  return spawnSync(command, ["-c", program], { timeout: 10_000 }).status === 0;
}

const here = fileURLToPath(new URL(".", import.meta.url));

/** What a script prints, line by line. It can import the checks beside this file wherever it stands. */
export async function runPython(
  script: URL,
  args: readonly string[] = [],
  interpreter = python,
): Promise<readonly string[]> {
  // Threads in place of its worker processes: one interpreter starts in a fraction of the time of many.
  const env = {
    PATH: process.env["PATH"],
    PYTHONPATH: here,
    PYTHONDONTWRITEBYTECODE: "1",
    CONDUCTOR_WORKER_ISOLATION: "thread",
  };
  const { stdout } = await run(interpreter ?? "", [fileURLToPath(script), ...args], { env, timeout: LONGEST_MS });
  return stdout.trim().split("\n");
}

/** A test for each check of a script, which is run once, against the server at `base`. */
export function testChecks(script: URL, base: () => string, interpreter = python): void {
  const errors = new Map<string, string | null>();
  beforeAll(async () => {
    for (const line of await runPython(script, [base()], interpreter)) {
      const { name, error } = JSON.parse(line) as { name: string; error: string | null };
      errors.set(name, error);
    }
  }, LONGEST_MS + 10_000);

  test.each(checksOf(script))("%s", (name) => {
    expect(errors.has(name)).toBe(true);
    expect(errors.get(name)).toBeNull();
  });
}

/** The names of its checks, read from the script, so that each is a test of its own. */
function checksOf(script: URL): string[] {
  const source = readFileSync(script, "utf8");
  return [...source.matchAll(/^@check\("(.+)"\)$/gm)].map(([, name]) => name ?? "");
}
