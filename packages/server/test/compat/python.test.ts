import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, type TestServer } from "../support/server.ts";
import { isPythonRequired, python, testChecks } from "./python-sdk.ts";

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
    describe(subject, () => testChecks(new URL(script, import.meta.url), () => server.client.base));
  }
});
