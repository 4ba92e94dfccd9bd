import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import openapiTS, { type OpenAPI3 } from "openapi-typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aFolder, removeFolder, startServer, type TestServer } from "../support/server.ts";
import { loadDocument, rootOf } from "./the-document.ts";

const run = promisify(execFile);
const root = new URL("../../../../", import.meta.url);
const tsc = fileURLToPath(new URL("node_modules/typescript/bin/tsc", root));

/** What somebody writes who has only the generated types. The last line is what it says when run. */
const program = `
import type { components, operations } from "./api.ts";

type Schemas = components["schemas"];
type Answer<Id extends keyof operations> = operations[Id]["responses"] extends
  { 200: { content: { "application/json": infer Body } } } ? Body : never;

const base = process.argv[2] ?? "";

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(base + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const text = await response.text();
  return (response.headers.get("content-type") === "application/json" ? JSON.parse(text) : text) as T;
}

const task: Schemas["WorkflowTask"] = { name: "work", taskReferenceName: "w", type: "SIMPLE", loopOver: [] };
const def: Schemas["WorkflowDef"] = { name: "typed", tasks: [task], timeoutPolicy: "ALERT_ONLY" };
await call<void>("POST", "/api/metadata/workflow", def);

const start: Schemas["StartWorkflowRequest"] = { name: "typed", input: { n: 1 }, priority: 5 };
const id = await call<string>("POST", "/api/workflow", start);

const polled = await call<Answer<"getTasksPollBatchTaskType">>("GET", "/api/tasks/poll/batch/work?timeout=5000");
for (const { taskId, workflowInstanceId } of polled)
  await call<string>("POST", "/api/tasks", { taskId, workflowInstanceId, status: "COMPLETED" });

const execution = await call<Answer<"getWorkflowId">>("GET", "/api/workflow/" + id);
const status: "RUNNING" | "COMPLETED" | "FAILED" | "TIMED_OUT" | "TERMINATED" | "PAUSED" = execution.status;
const references: string[] = execution.tasks.map((one) => one.referenceTaskName);
const optional: string | undefined = execution.correlationId;

// @ts-expect-error A name is a text.
const wrongName: Schemas["WorkflowDef"] = { name: 5 };
// @ts-expect-error There is no such policy.
const wrongPolicy: Schemas["TaskDef"] = { name: "t", timeoutPolicy: "NEVER" };
// @ts-expect-error An execution has no such field.
void execution.nobody;
void [wrongName, wrongPolicy, optional];

console.log(JSON.stringify({ status, references }));
`;

let server: TestServer;
let folder: string;
beforeAll(async () => {
  server = await startServer();
  folder = aFolder();
});
afterAll(async () => {
  removeFolder(folder);
  await server.close();
  expect(server.errors).toEqual([]);
});

test("a typed client made from the document compiles under our own rules, and works", async () => {
  const document = await loadDocument(server.client);
  writeFileSync(join(folder, "api.ts"), await openapiTS(document as unknown as OpenAPI3));
  writeFileSync(join(folder, "calls.ts"), program);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: fileURLToPath(new URL("tsconfig.json", root)),
      compilerOptions: { typeRoots: [fileURLToPath(new URL("node_modules/@types", root))] },
      include: ["*.ts"],
    }),
  );
  const compiled = await run(process.execPath, [tsc, "-p", folder]).catch((error: { stdout: string }) => error);
  expect(compiled.stdout).toBe("");
  const { stdout } = await run(process.execPath, [join(folder, "calls.ts"), rootOf(server.client)]);
  expect(JSON.parse(stdout)).toEqual({ status: "COMPLETED", references: ["w"] });
});
