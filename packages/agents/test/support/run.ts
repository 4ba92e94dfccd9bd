import type { JsonObject } from "@downbeat/engine";

type WireTask = {
  readonly taskId: string;
  readonly workflowInstanceId: string;
  readonly taskType: string;
  readonly referenceTaskName: string;
  readonly status: string;
  readonly inputData: JsonObject;
  readonly outputData: JsonObject;
};

export type Run = {
  readonly status: string;
  readonly reasonForIncompletion?: string;
  readonly output: JsonObject;
  readonly tasks: readonly WireTask[];
};

/** What answers the tasks of a type: the output, from the input. A HUMAN task is answered like the others. */
export type Workers = { readonly [taskType: string]: (input: JsonObject) => JsonObject };

const ENDED = new Set(["COMPLETED", "FAILED", "TIMED_OUT", "TERMINATED"]);
const DEADLINE_MS = 15_000;

/** Runs a definition to its end, with a worker for each type it names. */
export async function runDefinition(
  base: string,
  { workflowDef, input = {}, workers }: { workflowDef: JsonObject; input?: JsonObject; workers: Workers },
): Promise<Run> {
  const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(base + path, {
      method,
      ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text;
  };
  const complete = (task: WireTask) => {
    const outputData = workers[task.taskType]?.(task.inputData) ?? {};
    const { taskId, workflowInstanceId } = task;
    return call("POST", "/tasks", { taskId, workflowInstanceId, status: "COMPLETED", outputData });
  };
  const id = await call("POST", "/workflow", { name: workflowDef["name"], workflowDef, input });
  const deadline = Date.now() + DEADLINE_MS;
  while (Date.now() < deadline) {
    for (const type of Object.keys(workers).filter((name) => name !== "HUMAN")) {
      for (const task of (await call("GET", `/tasks/poll/batch/${type}?count=10&timeout=20`)) as WireTask[]) {
        await complete(task);
      }
    }
    const run = (await call("GET", `/workflow/${id}?includeTasks=true`)) as Run;
    if (ENDED.has(run.status)) return run;
    for (const task of run.tasks) {
      if (task.taskType === "HUMAN" && task.status === "IN_PROGRESS" && workers["HUMAN"]) await complete(task);
    }
  }
  throw new Error(`Expected the execution ${id} to end within ${DEADLINE_MS} ms`);
}
