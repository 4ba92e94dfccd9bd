import {
  type Event,
  flag,
  freeMap,
  isJsonObject,
  type JsonObject,
  listOf,
  long,
  type Model,
  model,
  optional,
  optionalOneOf,
  optionalText,
  type Problem,
  RawJson,
  type Reader,
  type ResultStatus,
  reader,
  textOr,
} from "@downbeat/engine";
import { kindOf } from "./body.ts";
import { assertValid, invalidInput } from "./errors.ts";

/** A task result as it was posted: which task, and what happens to it. */
export type TaskUpdate = {
  readonly workflowId: string;
  readonly taskId: string;
  readonly workerId: string | undefined;
  readonly event: Extract<Event, { kind: "task-result" | "extend-lease" }>;
  readonly logs: readonly LogEntry[];
};

type LogEntry = { readonly log: string; readonly createdTime: number };

type PostedResult = {
  readonly workflowInstanceId: string | undefined;
  readonly taskId: string | undefined;
  readonly status: ResultStatus | undefined;
  readonly outputData: JsonObject | undefined;
  readonly reasonForIncompletion: string | undefined;
  readonly callbackAfterSeconds: number | undefined;
  readonly workerId: string | undefined;
  readonly logs: readonly LogEntry[];
  readonly extendLease: boolean;
  readonly externalOutputPayloadStoragePath: string | undefined;
  readonly subWorkflowId: string | undefined;
};

const statuses = ["IN_PROGRESS", "COMPLETED", "FAILED", "FAILED_WITH_TERMINAL_ERROR"] as const;

const logEntryModel: Model<LogEntry> = model("TaskExecLogEntry", () => ({ log: textOr(""), createdTime: long(0) }));

/** Some workers send their lines bare. */
const logEntry: Reader<LogEntry> = reader(logEntryModel, (value, path) =>
  typeof value === "string" ? { log: value, createdTime: 0 } : logEntryModel(value, path),
);

export const taskResultModel: Model<PostedResult> = model("TaskResult", () => ({
  workflowInstanceId: optionalText,
  taskId: optionalText,
  status: optionalOneOf(...statuses),
  outputData: optional(freeMap),
  reasonForIncompletion: optionalText,
  callbackAfterSeconds: optional(long(0)),
  workerId: optionalText,
  logs: listOf(logEntry),
  extendLease: flag(false),
  externalOutputPayloadStoragePath: optionalText,
  subWorkflowId: optionalText,
}));

/** Reads the body of a task update. `no` of the event is filled in by the caller, who knows the task's id. */
export function readTaskResult(json: unknown): TaskUpdate {
  if (!isJsonObject(json)) throw invalidInput(`Expected a task result as body, got ${kindOf(json)}`);
  const posted = taskResultModel(json, "");
  const { workflowInstanceId: workflowId = "", taskId = "", workerId, logs } = posted;
  assertValid([
    ...(workflowId === "" ? [problem("workflowInstanceId", "Workflow Id cannot be null or empty", posted)] : []),
    ...(taskId === "" ? [problem("taskId", "Task ID cannot be null or empty", posted)] : []),
  ]);
  const common = { workflowId, taskId, workerId, logs };
  if (posted.extendLease) return { ...common, event: { kind: "extend-lease", no: 0 } };
  const { outputData, reasonForIncompletion: reason, callbackAfterSeconds: seconds, subWorkflowId } = posted;
  const path = posted.externalOutputPayloadStoragePath;
  return {
    ...common,
    event: {
      kind: "task-result",
      no: 0,
      result: {
        status: parseResultStatus(posted.status),
        outputMode: "replace",
        ...(outputData === undefined ? {} : { output: new RawJson(JSON.stringify(outputData)) }),
        ...(reason === undefined ? {} : { reasonForIncompletion: reason }),
        ...(workerId === undefined ? {} : { workerId }),
        ...(subWorkflowId === undefined ? {} : { subWorkflowId }),
        ...(path === undefined ? {} : { externalOutputPayloadStoragePath: path }),
        ...(seconds === undefined ? {} : { callbackAfterSeconds: seconds }),
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

function problem(field: "workflowInstanceId" | "taskId", message: string, posted: PostedResult): Problem {
  const value = posted[field];
  return { path: `updateTask.arg0.${field}`, message, ...(value === undefined ? {} : { invalidValue: value }) };
}
