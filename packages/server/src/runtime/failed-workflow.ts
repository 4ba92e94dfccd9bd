import { isJsonObject, type Json, type JsonObject, RawJson, type StartEvent } from "@downbeat/engine";
import { readWorkflow } from "./read-execution.ts";
import type { Runtime } from "./runtime.ts";

/** The input of a failure workflow: that of the failed execution, what went wrong, and the failed execution itself. */
export async function addFailedWorkflow(runtime: Runtime, event: StartEvent): Promise<StartEvent> {
  const { failureOf, ...rest } = event;
  if (failureOf === undefined) return event;
  const text = await readWorkflow(runtime, failureOf.workflowId, { includeTasks: true });
  const failedWorkflow = text === undefined ? null : asStored(JSON.parse(text) as JsonObject, failureOf.failureTaskId);
  const given = isJsonObject(event.input.value) ? event.input.value : {};
  const input = { ...given, ...failureOf, failedWorkflow };
  return { ...rest, input: new RawJson(JSON.stringify(input), event.input.secrets) };
}

/** Failure workflows are given an execution in another form than readers are: handlers are written for it. */
function asStored(workflow: JsonObject, failedTaskId: string | undefined): JsonObject {
  const {
    updateTime,
    startTime: _start,
    history: _history,
    rateLimited: _limited,
    failedReferenceTaskNames,
    failedTaskNames,
    tasks,
    output,
    ...kept
  } = workflow;
  return {
    ...kept,
    updatedTime: updateTime ?? 0,
    previousStatus: "RUNNING",
    ...(failedTaskId === undefined ? {} : { failedTaskId }),
    ...unlessEmpty({ failedReferenceTaskNames, failedTaskNames }),
    tasks: Array.isArray(tasks) ? tasks.map(taskAsStored) : [],
    output: isJsonObject(output) ? withoutOwnMark(output) : {},
  };
}

function taskAsStored(task: Json): Json {
  if (!isJsonObject(task)) return task;
  const { firstStartTime: _first, executionMetadata: _metadata, ...kept } = task;
  return {
    ...kept,
    callbackAfterMs: 0,
    firstScheduledTime: task["scheduledTime"] ?? 0,
    waitTimeout: 0,
    onStateChange: {},
    notifications: {},
    idempotent: false,
    idempotentExecution: false,
    cachedOutput: false,
    nonWorkflowEventTask: false,
    asyncComplete: false,
  };
}

/** The id of the failure workflow is written into the output after this. */
const withoutOwnMark = (output: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(output).filter(([key]) => !key.endsWith(".failure_workflow")));

const unlessEmpty = (lists: Record<string, Json | undefined>): JsonObject =>
  Object.fromEntries(
    Object.entries(lists).filter((entry): entry is [string, Json[]] => Array.isArray(entry[1]) && entry[1].length > 0),
  );
