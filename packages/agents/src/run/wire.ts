import { isExecutionId, type JsonObject } from "@downbeat/engine";
import { noSuchWorkflow, type Runtime, readWorkflow } from "@downbeat/server";

/** What is read of an execution as the interface shows it, hidden fields hidden. */
export type WireExecution = {
  readonly workflowId: string;
  readonly workflowName: string;
  readonly workflowVersion: number;
  readonly status: string;
  readonly startTime: number;
  readonly endTime: number;
  readonly input: JsonObject;
  readonly output: JsonObject;
  readonly reasonForIncompletion?: string;
  readonly tasks: readonly WireTask[];
};

export type WireTask = {
  readonly taskId: string;
  readonly taskType: string;
  readonly referenceTaskName: string;
  readonly taskDefName: string;
  readonly status: string;
  readonly endTime: number;
  readonly inputData: JsonObject;
  readonly outputData: JsonObject;
  readonly subWorkflowId?: string;
  readonly reasonForIncompletion?: string;
};

/** Throws a 404 when there is none. */
export async function readText(runtime: Runtime, id: string, includeTasks: boolean): Promise<string> {
  const found = isExecutionId(id) ? await readWorkflow(runtime, id, { includeTasks }) : undefined;
  if (found === undefined) throw noSuchWorkflow(id);
  return found;
}

export const readExecution = async (runtime: Runtime, id: string, includeTasks: boolean): Promise<WireExecution> =>
  JSON.parse(await readText(runtime, id, includeTasks)) as WireExecution;
