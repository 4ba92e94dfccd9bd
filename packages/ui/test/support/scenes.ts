import type { Server } from "./server.ts";

type Entry = Readonly<Record<string, unknown>>;

export const simple = (name: string): Entry => ({ name, taskReferenceName: name, type: "SIMPLE" });

/** Registers a definition; worker tasks in it get a task definition without retries. */
export async function define(server: Server, name: string, tasks: readonly Entry[], more: Entry = {}): Promise<void> {
  await server.request("PUT", "/metadata/workflow", [
    { name, version: 1, schemaVersion: 2, ownerEmail: "a@example.com", timeoutSeconds: 0, tasks, ...more },
  ]);
}

export async function defineTask(server: Server, name: string, more: Entry = {}): Promise<void> {
  await server.request("POST", "/metadata/taskdefs", [
    { name, ownerEmail: "a@example.com", retryCount: 0, timeoutSeconds: 0, responseTimeoutSeconds: 3600, ...more },
  ]);
}

export async function start(server: Server, name: string, input: Entry = {}, more: Entry = {}): Promise<string> {
  return await server.request<string>("POST", "/workflow", { name, version: 1, input, ...more });
}

type Polled = { readonly taskId: string; readonly workflowInstanceId: string; readonly inputData: Entry };

/** Takes one task of a type, as a worker would, and reports on it. */
export async function work(server: Server, type: string, status: string, more: Entry = {}): Promise<Polled> {
  const [task] = await server.request<Polled[]>(
    "GET",
    `/tasks/poll/batch/${type}?count=1&timeout=5000&workerid=worker-1`,
  );
  if (task === undefined) throw new Error(`Expected a task of ${type} to be there`);
  await server.request("POST", "/tasks", {
    workflowInstanceId: task.workflowInstanceId,
    taskId: task.taskId,
    workerId: "worker-1",
    status,
    ...more,
  });
  return task;
}
