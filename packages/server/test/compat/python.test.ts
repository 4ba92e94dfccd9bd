import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, type TestServer } from "../support/server.ts";

const run = promisify(execFile);

/** Where .ci/run installs the client; any other Python that has it will do. */
const installed = fileURLToPath(new URL("../../../../.tmp/python/bin/python", import.meta.url));
const python = [process.env["DOWNBEAT_PYTHON"], installed, "python3"].find(hasClient);
const isRequired = process.env["DOWNBEAT_REQUIRE"]?.split(",").includes("python") === true;
if (python === undefined) {
  process.stdout.write("Skipping the tests with the Python client: conductor-python 2 cannot be imported\n");
}

function hasClient(command: string | undefined): boolean {
  if (command === undefined || (command.includes("/") && !existsSync(command))) return false;
  const check = "import importlib.metadata as m; assert m.version('conductor-python').startswith('2.')";
  return spawnSync(command, ["-c", check], { timeout: 10_000 }).status === 0;
}

test("the Python client is there when it has to be", () => {
  if (isRequired) expect(python).toBeDefined();
});

describe.skipIf(python === undefined)("the Python SDK", () => {
  let server: TestServer;
  let seen: Record<"definitions" | "workers" | "operations" | "tasks", unknown>;

  beforeAll(async () => {
    server = await startServer();
    const program = fileURLToPath(new URL("./python_client.py", import.meta.url));
    // Threads in place of its worker processes: one interpreter starts in a fraction of the time of many.
    const env = { PATH: process.env["PATH"], CONDUCTOR_WORKER_ISOLATION: "thread", PYTHONDONTWRITEBYTECODE: "1" };
    const { stdout } = await run(python ?? "", [program, server.client.base], { env, timeout: 60_000 });
    seen = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  }, 70_000);
  afterAll(async () => {
    await server?.close();
    expect(server?.errors).toEqual([]);
  });

  test("registers definitions, reads them back and deletes them", () => {
    expect(seen.definitions).toEqual({
      retryCount: 4,
      latest: 2,
      names: ["py_wf"],
      taskNames: ["py_def"],
      afterDelete: 1,
      missing: [404, "No such workflow found by name: py_nobody, version: null"],
    });
  });

  test("runs workflows with its workers to the end", () => {
    expect(seen.workers).toEqual({
      statuses: Array.from({ length: 10 }, () => "COMPLETED"),
      results: Array.from({ length: 10 }, (_, n) => `HELLO YOU ${n}`),
    });
  });

  test("operates on executions", () => {
    expect(seen.operations).toEqual({
      statuses: ["PAUSED", "RUNNING", "FAILED", "RUNNING", "COMPLETED", "RUNNING", "TERMINATED", "RUNNING", 404],
      reran: true,
      correlationId: "corr",
    });
  });

  test("polls, logs and updates tasks", () => {
    expect(seen.tasks).toEqual({
      nothing: true,
      polled: 3,
      log: ["one line"],
      worker: "py",
      pollData: ["py"],
      outputs: [0, 1, 2],
    });
  });
});
