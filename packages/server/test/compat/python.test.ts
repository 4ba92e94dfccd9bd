import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, type TestServer } from "../support/server.ts";
import { isPythonRequired, python, runPython } from "./python-sdk.ts";

/** What each script of checks is about. */
const scripts = {
  "python_metadata.py": "OrkesMetadataClient",
  "python_workflow.py": "OrkesWorkflowClient",
  "python_executor.py": "WorkflowExecutor",
  "python_task.py": "OrkesTaskClient",
  "python_workers.py": "TaskHandler and TaskContext",
  "python_processes.py": "TaskHandler with processes",
  "python_builders.py": "ConductorWorkflow and its tasks",
  "python_resources.py": "the classes below the clients",
} as const;

test("the Python client is there when it has to be", () => {
  if (isPythonRequired) expect(python).toBeDefined();
});

describe.skipIf(python === undefined)("the Python SDK", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ settings: { "service.workflow-message-queue.enabled": "true" } });
  });
  afterAll(async () => {
    await server?.close();
    expect(server?.errors).toEqual([]);
  });

  for (const [script, subject] of Object.entries(scripts)) {
    describe(subject, () => {
      const errors = new Map<string, string | null>();
      beforeAll(async () => {
        for (const line of await runPython(script, server.client.base)) {
          const { name, error } = JSON.parse(line) as { name: string; error: string | null };
          errors.set(name, error);
        }
      }, 70_000);

      test.each(checksOf(script))("%s", (name) => {
        expect(errors.has(name)).toBe(true);
        expect(errors.get(name)).toBeNull();
      });
    });
  }
});

/** The names of its checks, read from the script, so that each is a test of its own. */
function checksOf(script: string): string[] {
  const source = readFileSync(new URL(script, import.meta.url), "utf8");
  return [...source.matchAll(/^@check\("(.+)"\)$/gm)].map(([, name]) => name ?? "");
}
