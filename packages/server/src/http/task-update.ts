import {
  type Event,
  isJsonObject,
  type JsonObject,
  type Problem,
  RawJson,
  type ResultStatus,
  type Schema,
} from "@downbeat/engine";
import { assertValid, invalidInput } from "./errors.ts";

/** A task result as it was posted: which task, and what happens to it. */
export type TaskUpdate = {
  readonly workflowId: string;
  readonly taskId: string;
  readonly workerId: string | undefined;
  readonly event: Extract<Event, { kind: "task-result" | "extend-lease" }>;
  readonly logs: readonly { readonly log: string; readonly createdTime: number }[];
};

const statuses: readonly ResultStatus[] = ["IN_PROGRESS", "COMPLETED", "FAILED", "FAILED_WITH_TERMINAL_ERROR"];

/** The body of a task update, for the documentation. */
export const taskResultSchema: Schema = {
  type: "object",
  required: ["workflowInstanceId", "taskId"],
  properties: {
    workflowInstanceId: { type: "string" },
    taskId: { type: "string" },
    status: { type: "string", enum: statuses },
    outputData: { type: "object", additionalProperties: true, description: "Replaces what the task put out before" },
    reasonForIncompletion: { type: "string", description: "Cut to 500 characters" },
    callbackAfterSeconds: { type: "integer", description: "With IN_PROGRESS: offered again after this long" },
    workerId: { type: "string" },
    logs: {
      type: "array",
      items: {
        type: "object",
        properties: { log: { type: "string" }, createdTime: { type: "integer", format: "int64" } },
      },
    },
    extendLease: { type: "boolean", description: "Only start the response timeout anew" },
    externalOutputPayloadStoragePath: { type: "string" },
    subWorkflowId: { type: "string" },
  },
};

/** Reads the body of a task update. `no` of the event is filled in by the caller, who knows the task's id. */
export function readTaskResult(json: unknown): TaskUpdate {
  if (!isJsonObject(json)) throw invalidInput("Expected a task result as body");
  const workflowId = textOf(json, "workflowInstanceId");
  const taskId = textOf(json, "taskId");
  const problems: Problem[] = [];
  if (workflowId === undefined || workflowId === "") {
    problems.push(problem("workflowInstanceId", "Workflow Id cannot be null or empty", workflowId));
  }
  if (taskId === undefined || taskId === "")
    problems.push(problem("taskId", "Task ID cannot be null or empty", taskId));
  assertValid(problems);
  const workerId = textOf(json, "workerId");
  const common = { workflowId: workflowId ?? "", taskId: taskId ?? "", workerId, logs: readLogs(json["logs"]) };
  if (json["extendLease"] === true || json["extendLease"] === "true") {
    return { ...common, event: { kind: "extend-lease", no: 0 } };
  }
  const outputData = json["outputData"];
  if (outputData !== undefined && outputData !== null && !isJsonObject(outputData)) {
    throw invalidInput("Expected outputData to be an object");
  }
  const reason = textOf(json, "reasonForIncompletion");
  const subWorkflowId = textOf(json, "subWorkflowId");
  const path = textOf(json, "externalOutputPayloadStoragePath");
  const callback = json["callbackAfterSeconds"];
  return {
    ...common,
    event: {
      kind: "task-result",
      no: 0,
      result: {
        status: parseResultStatus(textOf(json, "status")),
        outputMode: "replace",
        ...(outputData === undefined || outputData === null ? {} : { output: new RawJson(JSON.stringify(outputData)) }),
        ...(reason === undefined ? {} : { reasonForIncompletion: reason }),
        ...(workerId === undefined ? {} : { workerId }),
        ...(subWorkflowId === undefined ? {} : { subWorkflowId }),
        ...(path === undefined ? {} : { externalOutputPayloadStoragePath: path }),
        ...(callback === undefined || callback === null ? {} : { callbackAfterSeconds: toSeconds(callback) }),
      },
    },
  };
}

export function parseResultStatus(status: string | undefined): ResultStatus {
  const found = statuses.find((known) => known === status);
  if (found === undefined)
    throw invalidInput(`Expected status to be one of ${statuses.join(", ")}, got ${status ?? "nothing"}`);
  return found;
}

function toSeconds(value: unknown): number {
  const seconds = typeof value === "string" ? Number(value) : value;
  if (typeof seconds !== "number" || !Number.isFinite(seconds)) {
    throw invalidInput(`Expected callbackAfterSeconds to be a number, got ${JSON.stringify(value)}`);
  }
  return Math.trunc(seconds);
}

function readLogs(value: unknown): TaskUpdate["logs"] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidInput("Expected logs to be a list");
  return value.map((entry: unknown) => {
    if (typeof entry === "string") return { log: entry, createdTime: 0 };
    if (!isJsonObject(entry)) throw invalidInput("Expected every entry of logs to be an object with a log");
    const { log, createdTime } = entry;
    return { log: typeof log === "string" ? log : "", createdTime: typeof createdTime === "number" ? createdTime : 0 };
  });
}

function textOf(json: JsonObject, key: string): string | undefined {
  const value = json[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw invalidInput(`Expected ${key} to be a text, got ${Array.isArray(value) ? "a list" : "an object"}`);
}

const problem = (field: string, message: string, value: string | undefined): Problem => ({
  path: `updateTask.arg0.${field}`,
  message,
  ...(value === undefined ? {} : { invalidValue: value }),
});
