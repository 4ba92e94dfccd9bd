import { readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { javascriptMethods, type Methods } from "./javascript-methods.ts";
import { useSdk } from "./javascript-sdk.ts";
import { python, runPython } from "./python-sdk.ts";

type Row = { readonly method: string; readonly works: string; readonly how: string };
type Tables = ReadonlyMap<string, readonly Row[]>;

/** Where a table's yes rows are tested, and what the tests call them on, as a regular expression. */
type Tested = { readonly file: string | readonly string[]; readonly on: string };

const document = readFileSync(new URL("../../../../docs/compatibility.md", import.meta.url), "utf8");

/** Agents are tested where they are made. */
const agentTests = "../../../agents/test/compat/javascript-agents.test.ts";
const pythonAgents = "../../../agents/test/compat/python_agents.py";

/** So are models. */
const [promptTests, modelTests, pythonModels] = ["prompts.test.ts", "clients.test.ts", "python_ai.py"].map(
  (name) => `../../../ai/test/${name}`,
) as [string, string, string];

const javascriptTests: Readonly<Record<string, Tested>> = {
  OrkesClients: {
    file: [...["clients", "events", "schedules"].map((name) => `javascript-${name}.test.ts`), agentTests, promptTests],
    on: "(OrkesClients|sdk|sdk\\.clients|clients|open|withKeys)\\.",
  },
  WorkflowClient: { file: "javascript-clients.test.ts", on: "reader\\." },
  MetadataClient: { file: "javascript-metadata.test.ts", on: "(metadata|client\\(\\))\\." },
  WorkflowExecutor: { file: "javascript-workflow.test.ts", on: "client\\(\\)\\." },
  TaskClient: { file: "javascript-task.test.ts", on: "(tasks|client\\(\\))\\." },
  TaskHandler: { file: "javascript-workers.test.ts", on: "(TaskHandler\\.|handler\\.|handler\\)\\.toMatchObject.*)" },
  TaskManager: { file: "javascript-workers.test.ts", on: "manager\\." },
  TaskRunner: { file: "javascript-workers.test.ts", on: "runner\\." },
  TaskContext: { file: "javascript-workers.test.ts", on: "context\\." },
  ConductorWorkflow: { file: "javascript-builders.test.ts", on: "(definition|child|other|built\\(\\))?\\s*\\." },
  OrkesAgentClient: { file: agentTests, on: "agents\\." },
  SecretClient: { file: agentTests, on: "secrets\\." },
  PromptClient: { file: promptTests, on: "prompts\\." },
  SchedulerClient: { file: "javascript-schedules.test.ts", on: "scheduler\\." },
  schedulerResource: { file: "javascript-schedules.test.ts", on: "schedulerResource\\." },
  EventClient: { file: "javascript-events.test.ts", on: "events\\." },
  eventResource: { file: "javascript-events.test.ts", on: "eventResource\\." },
  Functions: {
    file: [
      ...["builders", "clients", "events", "resources", "workers"].map((name) => `javascript-${name}.test.ts`),
      modelTests,
    ],
    on: "",
  },
  healthCheckResource: { file: "javascript-resources.test.ts", on: "healthCheckResource\\." },
  metadataResource: { file: "javascript-resources.test.ts", on: "metadataResource\\." },
  workflowResource: { file: "javascript-resources.test.ts", on: "workflowResource\\." },
  workflowBulkResource: { file: "javascript-resources.test.ts", on: "workflowBulkResource\\." },
  taskResource: { file: "javascript-resources.test.ts", on: "taskResource\\." },
};

const pythonTests: Readonly<Record<string, Tested>> = {
  OrkesClients: {
    file: [
      ...["python_checks.py", "python_task.py", "python_executor.py", "python_resources.py"],
      ...[pythonAgents, pythonModels],
    ],
    on: "clients\\.",
  },
  OrkesMetadataClient: { file: "python_metadata.py", on: "metadata\\." },
  OrkesWorkflowClient: { file: "python_workflow.py", on: "workflows\\." },
  WorkflowExecutor: { file: "python_executor.py", on: "executor\\." },
  OrkesTaskClient: { file: "python_task.py", on: "tasks\\." },
  TaskHandler: { file: "python_processes.py", on: "handler\\." },
  TaskContext: { file: "python_workers.py", on: "(context|TaskContext)\\." },
  ConductorWorkflow: { file: "python_builders.py", on: "(workflow|child|other|nested|\\))?\\s*\\." },
  "Task classes": { file: ["python_builders.py", pythonModels], on: "" },
  OrkesAgentClient: { file: pythonAgents, on: "agents\\." },
  OrkesSecretClient: { file: pythonAgents, on: "secrets\\." },
  SecretResourceApi: { file: pythonAgents, on: "secret_api\\." },
  OrkesPromptClient: { file: pythonModels, on: "prompts\\." },
  PromptResourceApi: { file: pythonModels, on: "prompt_api\\." },
  OrkesServiceRegistryClient: { file: "python_resources.py", on: "registry\\." },
  WorkflowResourceApi: { file: "python_resources.py", on: "workflow_api\\." },
  WorkflowBulkResourceApi: { file: "python_resources.py", on: "bulk\\." },
  TaskResourceApi: { file: "python_resources.py", on: "task_api\\." },
  AsyncTaskResourceApi: { file: "python_resources.py", on: "async_api\\." },
  MetadataResourceApi: { file: "python_resources.py", on: "metadata_api\\." },
  TagsApi: { file: "python_resources.py", on: "tags_api\\." },
  OrkesSchedulerClient: { file: "python_resources.py", on: "schedules\\." },
  SchedulerResourceApi: { file: "python_resources.py", on: "schedule_api\\." },
  EventResourceApi: { file: "python_resources.py", on: "event_api\\." },
};

/** What never speaks to a server. */
const local = new Set([
  ...["ApiError", "BaseHttpRequest", "CancelError", "CancelablePromise", "DefaultLogger", "EventDispatcher"],
  ...["LeaseTracker", "Poller", "NonRetryableException", "MetricsServer"],
  ...["CanonicalMetricsCollector", "LegacyMetricsCollector"],
  ...["Schedule", "ScheduleError", "ScheduleNameConflict", "ScheduleNotFound", "InvalidCronExpression"],
  ...["createMetricsCollector", "jsonSchema", "schemaField", "generateSchemaFromClass", "isTaskInProgress"],
]);

/** How a call ends for which the server has no route, or one for another method or another kind of path. */
const noRoute = /No static resource|not supported|to be a whole number, got "rate-limit"/;

/** Calls that do not get as far as a route of their own with arguments that are made up. */
const particular = new Set(["getAllActiveEventHandlers", "getEventHandlersWithStats", "secretExists"]);

describe("docs/compatibility.md on the JavaScript SDK", () => {
  const sdk = useSdk();
  const tables = readTables("JavaScript");

  test("lists every method, and none that is not there", async () => {
    expect(listed(tables)).toEqual(offered(await javascriptMethods()));
  });

  test("says yes only where a test calls the method", () => {
    expect(untested(tables, javascriptTests)).toEqual([]);
  });

  test("says why where it says no", () => {
    expect(unexplained(tables)).toEqual([]);
  });

  test("says no only where the server has no such route", async () => {
    const { clients } = sdk;
    const http = clients.getClient() as unknown as Record<string, unknown>;
    const objects: Readonly<Record<string, unknown>> = {
      MetadataClient: clients.getMetadataClient(),
      SchedulerClient: clients.getSchedulerClient(),
      EventClient: clients.getEventClient(),
      SecretClient: clients.getSecretClient(),
      IntegrationClient: clients.getIntegrationClient(),
      SchemaClient: clients.getSchemaClient(),
      AuthorizationClient: clients.getAuthorizationClient(),
      ApplicationClient: clients.getApplicationClient(),
      HumanExecutor: clients.getHumanClient(),
      TemplateClient: clients.getTemplateClient(),
      ServiceRegistryClient: clients.getServiceRegistryClient(),
      ...Object.fromEntries([...tables.keys()].filter((name) => name in http).map((name) => [name, http[name]])),
    };
    // The older resources say on the console that they are.
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
    const answered: string[] = [];
    for (const [section, object] of Object.entries(objects)) {
      for (const { method } of rowsOf(tables, section).filter(({ works }) => works === "no")) {
        const answer = await refusal(object as Record<string, unknown>, method);
        if (!noRoute.test(answer) && !particular.has(method)) answered.push(`${section}.${method}: ${answer}`);
      }
    }
    warned.mockRestore();
    expect(answered).toEqual([]);
  });
});

describe("docs/compatibility.md on the Python SDK", () => {
  const tables = readTables("Python");

  test("says yes only where a test calls the method", () => {
    expect(untested(tables, pythonTests)).toEqual([]);
  });

  test("says why where it says no", () => {
    expect(unexplained(tables)).toEqual([]);
  });

  test.skipIf(python === undefined)("lists every method, and none that is not there", async () => {
    const found = JSON.parse((await runPython(new URL("python_methods.py", import.meta.url))).join("\n")) as Record<
      string,
      string[]
    >;
    expect(listed(tables)).toEqual(
      offered(new Map(Object.entries(found).map(([name, names]) => [name, new Set(names)]))),
    );
  });
});

/** The tables under a heading that begins with the language, by the heading above each. */
function readTables(language: string): Tables {
  const part = document.split(/^## /m).find((text) => text.startsWith(language)) ?? "";
  const tables = new Map<string, Row[]>();
  for (const section of part.split(/^### /m).slice(1)) {
    const title = section.split("\n", 1)[0] ?? "";
    const rows = [...section.matchAll(/^\| (`.+?`) \| (\S+) \| (.+) \|$/gm)];
    tables.set(
      title,
      rows.flatMap(([, names = "", works = "", how = ""]) =>
        names.split(", ").map((name) => ({ method: name.replaceAll("`", ""), works, how })),
      ),
    );
  }
  return tables;
}

const rowsOf = (tables: Tables, section: string): readonly Row[] => tables.get(section) ?? [];

/** Every method as section.method, sorted; one that is listed twice shows twice. */
function listed(tables: Tables): string[] {
  return [...tables].flatMap(([section, rows]) => rows.map(({ method }) => `${section}.${method}`)).sort();
}

function offered(methods: Methods): string[] {
  return [...methods]
    .filter(([section]) => !local.has(section))
    .flatMap(([section, names]) => [...names].filter((name) => !local.has(name)).map((name) => `${section}.${name}`))
    .sort();
}

function untested(tables: Tables, tests: Readonly<Record<string, Tested>>): string[] {
  return [...tables].flatMap(([section, rows]) => {
    const tested = tests[section];
    const source = sourceOf([tested?.file ?? []].flat());
    const isCalled = (method: string) => new RegExp(`(?<!\\w|[^.]\\.)${tested?.on}${method}\\b`).test(source);
    return rows
      .filter(({ works, method }) => works !== "no" && !(works === "yes" && tested !== undefined && isCalled(method)))
      .map(({ method }) => `${section}.${method}`);
  });
}

/** The text of test files without what they import. */
function sourceOf(files: readonly string[]): string {
  return files
    .map((name) => readFileSync(new URL(name, import.meta.url), "utf8"))
    .map((source) => source.replace(/^import [^;]*? from "[^"]+";$|^from \S+ import (\([^)]*\)|.*)$/gm, ""))
    .join("\n");
}

const unexplained = (tables: Tables): string[] =>
  [...tables].flatMap(([section, rows]) =>
    rows
      .filter(({ works, how }) => works === "no" && !/^(managed edition|client|shape): ./.test(how))
      .map(({ method }) => `${section}.${method}`),
  );

/** The message a call is refused with, or what it gave. */
async function refusal(object: Record<string, unknown>, method: string): Promise<string> {
  // A text that every client takes for an argument, whatever it stands for.
  const text = "EXTERNAL_USER:somebody";
  try {
    const call = object[method] as (...args: unknown[]) => Promise<unknown>;
    return `gave ${JSON.stringify(await call.apply(object, [text, text, text, text]))}`;
  } catch (error) {
    return error instanceof Error ? error.message : JSON.stringify(error);
  }
}
