import { type Schema, taskDefModel, workflowDefModel, workflowTaskModel } from "@downbeat/engine";

/**
 * What the interface answers, for its documentation. `written` properties are always there, `maybe` ones only when they
 * have a value.
 */
export type AnswerModel = { readonly modelName: string; readonly schema: Schema };

type Properties = Readonly<Record<string, Schema>>;

export function answerModel(modelName: string, written: Properties, maybe: Properties = {}): AnswerModel {
  const required = Object.keys(written);
  return { modelName, schema: { type: "object", properties: { ...written, ...maybe }, required } };
}

const string = { type: "string" };
const boolean = { type: "boolean" };
const int32 = { type: "integer", format: "int32" };
const int64 = { type: "integer", format: "int64" };
const time = { type: "integer", format: "int64", description: "Epoch milliseconds; 0 when not reached" };
const isoTime = { type: "string", description: "UTC, yyyy-MM-ddTHH:mm:ss.SSSZ" };
const anyMap = { type: "object", additionalProperties: true };

export const listOf = (items: Schema): Schema => ({ type: "array", items });
export const mapOf = (values: Schema): Schema => ({ type: "object", additionalProperties: values });
export const texts = listOf(string);
export const counts = mapOf(int64);
export const wholeNumber: Schema = int64;
export const freeObject: Schema = anyMap;

const workflowStatus: Schema = {
  type: "string",
  enum: ["RUNNING", "COMPLETED", "FAILED", "TIMED_OUT", "TERMINATED", "PAUSED"],
};

const taskStatus: Schema = {
  type: "string",
  enum: [
    "SCHEDULED",
    "IN_PROGRESS",
    "COMPLETED",
    "COMPLETED_WITH_ERRORS",
    "FAILED",
    "FAILED_WITH_TERMINAL_ERROR",
    "TIMED_OUT",
    "CANCELED",
    "SKIPPED",
  ],
};

export const errorModel = answerModel(
  "Error",
  { status: int32, instance: string, retryable: boolean },
  {
    message: string,
    validationErrors: listOf(
      answerModel("ValidationError", { path: string, message: string }, { invalidValue: string }),
    ),
  },
);

export const taskModel = answerModel(
  "Task",
  {
    taskType: string,
    status: taskStatus,
    inputData: anyMap,
    outputData: anyMap,
    referenceTaskName: string,
    retryCount: int32,
    seq: int32,
    pollCount: int32,
    taskDefName: string,
    scheduledTime: time,
    startTime: time,
    endTime: time,
    updateTime: time,
    startDelayInSeconds: int32,
    retried: boolean,
    executed: boolean,
    callbackFromWorker: boolean,
    responseTimeoutSeconds: int64,
    workflowInstanceId: string,
    taskId: string,
    callbackAfterSeconds: int64,
    workflowTask: workflowTaskModel,
    rateLimitPerFrequency: int32,
    rateLimitFrequencyInSeconds: int32,
    workflowPriority: int32,
    iteration: int32,
    subworkflowChanged: boolean,
    firstStartTime: int64,
    executionMetadata: anyMap,
    queueWaitTime: int64,
    loopOverTask: boolean,
    taskDefinition: { anyOf: [taskDefModel, { type: "null" }] },
  },
  {
    workflowType: { type: "string", description: "Not of a task that was skipped" },
    correlationId: string,
    retriedTaskId: string,
    reasonForIncompletion: string,
    workerId: string,
    domain: string,
    executionNameSpace: string,
    isolationGroupId: string,
    subWorkflowId: string,
    parentTaskId: string,
    externalInputPayloadStoragePath: string,
    externalOutputPayloadStoragePath: string,
    runtimeMetadata: mapOf(string),
  },
);

export const workflowModel = answerModel(
  "Workflow",
  {
    createTime: time,
    updateTime: time,
    status: workflowStatus,
    endTime: time,
    startTime: time,
    workflowId: string,
    tasks: listOf(taskModel),
    input: anyMap,
    output: anyMap,
    taskToDomain: mapOf(string),
    failedReferenceTaskNames: texts,
    failedTaskNames: texts,
    workflowDefinition: workflowDefModel,
    priority: int32,
    variables: anyMap,
    lastRetriedTime: time,
    history: listOf(anyMap),
    rateLimited: boolean,
    workflowName: string,
    workflowVersion: int32,
  },
  {
    ownerApp: string,
    createdBy: string,
    updatedBy: string,
    parentWorkflowId: string,
    parentWorkflowTaskId: string,
    correlationId: string,
    reRunFromWorkflowId: string,
    reasonForIncompletion: string,
    event: string,
    externalInputPayloadStoragePath: string,
    externalOutputPayloadStoragePath: string,
    idempotencyKey: string,
    rateLimitKey: string,
  },
);

export const workflowStatusModel = answerModel(
  "WorkflowStatus",
  { workflowId: string, status: workflowStatus },
  { correlationId: string, output: anyMap, variables: anyMap },
);

const workflowSummaryModel = answerModel(
  "WorkflowSummary",
  {
    workflowType: string,
    version: int32,
    workflowId: string,
    startTime: isoTime,
    updateTime: isoTime,
    status: workflowStatus,
    input: string,
    output: string,
    inputSize: int64,
    outputSize: int64,
    executionTime: int64,
    failedReferenceTaskNames: string,
    failedTaskNames: texts,
    priority: int32,
    taskToDomain: mapOf(string),
    parentWorkflowId: string,
    classifier: string,
  },
  {
    correlationId: string,
    endTime: isoTime,
    reasonForIncompletion: string,
    event: string,
    createdBy: string,
    idempotencyKey: string,
    externalInputPayloadStoragePath: string,
    externalOutputPayloadStoragePath: string,
  },
);

const taskSummaryModel = answerModel(
  "TaskSummary",
  {
    workflowId: string,
    workflowType: string,
    scheduledTime: isoTime,
    startTime: isoTime,
    updateTime: isoTime,
    endTime: isoTime,
    status: taskStatus,
    executionTime: int64,
    queueWaitTime: int64,
    taskDefName: string,
    taskType: string,
    referenceTaskName: string,
    input: string,
    output: string,
    taskId: string,
    workflowPriority: int32,
  },
  {
    correlationId: string,
    reasonForIncompletion: string,
    domain: string,
    externalInputPayloadStoragePath: string,
    externalOutputPayloadStoragePath: string,
  },
);

const searchResult = (name: string, results: Schema): AnswerModel =>
  answerModel(name, { totalHits: int64, results: listOf(results) });

export const taskPageModel = searchResult("SearchResultTask", taskModel);
export const workflowPageModel = searchResult("SearchResultWorkflow", workflowModel);
export const workflowSummaryPageModel = searchResult("SearchResultWorkflowSummary", workflowSummaryModel);
export const taskSummaryPageModel = searchResult("SearchResultTaskSummary", taskSummaryModel);

export const bulkResponseModel = answerModel("BulkResponse", {
  bulkErrorResults: mapOf(string),
  bulkSuccessfulResults: texts,
});

export const bulkWorkflowsModel = answerModel("BulkResponseWorkflow", {
  bulkErrorResults: mapOf(string),
  bulkSuccessfulResults: listOf(workflowModel),
});

export const definitionSummaryModel = answerModel(
  "WorkflowDefSummary",
  { name: string, version: int32, createTime: time },
  { updateTime: time },
);

export const taskLogModel = answerModel("TaskExecLog", { log: string, taskId: string, createdTime: time });

export const pollDataModel = answerModel(
  "PollData",
  { queueName: string, workerId: string, lastPollTime: time },
  { domain: string },
);

export const queueDetailModel = answerModel("QueueDetail", { size: int64, shards: counts });

const signalFields: Properties = {
  responseType: {
    type: "string",
    enum: ["TARGET_WORKFLOW", "BLOCKING_WORKFLOW", "BLOCKING_TASK", "BLOCKING_TASK_INPUT"],
  },
  targetWorkflowId: string,
  targetWorkflowStatus: workflowStatus,
  requestId: string,
  workflowId: string,
  input: anyMap,
  output: anyMap,
  signalTimeout: boolean,
  status: string,
  createTime: time,
  updateTime: time,
  priority: int32,
};

/** A WorkflowRun or a TaskRun: which one says `responseType`. */
export const signalResponseModel = answerModel("SignalResponse", signalFields, {
  correlationId: string,
  createdBy: string,
  variables: anyMap,
  tasks: listOf(taskModel),
  taskType: string,
  taskId: string,
  referenceTaskName: string,
  retryCount: int32,
  taskDefName: string,
  retriedTaskId: string,
  workflowType: string,
  reasonForIncompletion: string,
});

export const storageLocationModel = answerModel("ExternalStorageLocation", { uri: string, path: string });

export const healthModel = answerModel("HealthCheckStatus", {
  healthResults: listOf(anyMap),
  suppressedHealthResults: listOf(anyMap),
  healthy: boolean,
});

export const tagModel = answerModel("Tag", { key: string, value: string, type: string });

export const namedValueModel = answerModel("EnvironmentVariable", { name: string, value: string });

export const bulkJobModel = answerModel(
  "BulkJob",
  {
    jobId: string,
    action: string,
    query: string,
    freeText: string,
    options: anyMap,
    status: { type: "string", enum: ["RUNNING", "COMPLETED", "CANCELED", "FAILED"] },
    total: int64,
    done: int64,
    failed: int64,
    createTime: time,
    updateTime: time,
    endTime: time,
  },
  { reasonForIncompletion: string },
);

export const bulkJobResultsModel = answerModel("BulkJobResults", {
  totalHits: int64,
  results: listOf(answerModel("BulkJobResult", { workflowId: string }, { error: string })),
});

const startRequestAnswer = answerModel(
  "ScheduledStartRequest",
  { name: string, input: anyMap, taskToDomain: mapOf(string), priority: int32 },
  {
    version: int32,
    correlationId: string,
    workflowDef: workflowDefModel,
    externalInputPayloadStoragePath: string,
    createdBy: string,
    idempotencyKey: string,
    idempotencyStrategy: string,
  },
);

export const scheduleAnswer = answerModel(
  "SavedWorkflowSchedule",
  {
    name: string,
    zoneId: string,
    cronSchedules: listOf(answerModel("SavedCronSchedule", { zoneId: string }, { cronExpression: string })),
    startWorkflowRequest: startRequestAnswer,
    runCatchupScheduleInstances: boolean,
    paused: boolean,
    createTime: time,
    updatedTime: time,
    createdBy: string,
    updatedBy: string,
  },
  {
    cronExpression: string,
    pausedReason: string,
    scheduleStartTime: int64,
    scheduleEndTime: int64,
    description: string,
    nextRunTime: { type: "integer", format: "int64", description: "Epoch milliseconds; not while it is paused" },
    tags: listOf(tagModel),
  },
);

export const schedulePageModel = searchResult("SearchResultWorkflowSchedule", scheduleAnswer);

export const scheduleRunModel = answerModel(
  "WorkflowScheduleExecution",
  {
    executionId: string,
    scheduleName: string,
    scheduledTime: time,
    executionTime: time,
    workflowName: string,
    state: { type: "string", enum: ["POLLED", "EXECUTED", "FAILED"] },
    startWorkflowRequest: startRequestAnswer,
    zoneId: string,
  },
  { workflowId: string, reason: string },
);

export const scheduleRunPageModel = searchResult("SearchResultWorkflowScheduleExecution", scheduleRunModel);

export const retentionModel = answerModel("RetentionPreview", {
  workflowType: string,
  keepSeconds: { type: "number" },
  executions: int64,
});

export const nodeModel = answerModel(
  "Node",
  { name: string, silentMs: int64, isSelf: boolean, activePolls: int64 },
  { startTime: time, load: { type: "number" }, cpu: { type: "number" }, memoryBytes: int64 },
);

const anything: Schema = {};

export const handledEventsModel = answerModel("SearchResultHandledEventResponse", {
  totalHits: int64,
  results: listOf(
    answerModel("HandledEventResponse", {
      name: string,
      event: string,
      active: boolean,
      numberOfMessages: int64,
      numberOfActions: int64,
    }),
  ),
});

export const eventExecutionModel = answerModel(
  "EventExecution",
  {
    id: string,
    messageId: string,
    name: string,
    event: string,
    created: time,
    status: { type: "string", enum: ["COMPLETED", "FAILED", "SKIPPED"] },
    action: { type: ["string", "null"] },
    output: anyMap,
  },
  { statusDescription: string, eventHandler: anyMap, payload: anything, fullMessagePayload: anything },
);

export const eventMessageModel = answerModel(
  "EventMessage",
  {
    id: string,
    eventTarget: string,
    eventType: { type: "string", enum: ["MESSAGE"] },
    payload: anything,
    fullPayload: anything,
    createdAt: time,
    status: { type: "string", enum: ["RECEIVED", "HANDLED", "REJECTED"] },
    eventExecutions: listOf(eventExecutionModel),
  },
  { statusDescription: string, replayOf: string },
);

export const receiptModel = answerModel("EventReceipt", {
  duplicate: boolean,
  eventExecutions: listOf(eventExecutionModel),
});

export const dryRunModel = answerModel("EventDryRun", {
  event: string,
  handlers: listOf(
    answerModel(
      "EventDryRunHandler",
      {
        name: string,
        active: boolean,
        isMet: boolean,
        actions: listOf(answerModel("EventDryRunAction", {}, { action: string, would: anyMap, error: string })),
      },
      { error: string },
    ),
  ),
});

export const subscriptionModel = answerModel(
  "EventSubscription",
  {
    event: string,
    state: { type: "string", enum: ["CONNECTING", "LISTENING"] },
    received: int64,
    duplicates: int64,
  },
  { error: string },
);

export const connectivityModel = answerModel("ConnectivityTestResult", { successful: boolean }, { reason: string });

export const deadLetterPageModel = answerModel("SearchResultDeadLetter", {
  totalHits: int64,
  results: listOf(
    answerModel("DeadLetter", {
      id: string,
      event: string,
      messageId: string,
      created: time,
      reason: string,
      payload: anything,
    }),
  ),
});

export const webhookReceiptModel = answerModel("WebhookReceipt", { messageId: string, duplicate: boolean });

export const secretInfoModel = answerModel(
  "SecretInfo",
  { name: string, partial: string },
  { created_at: time, updated_at: time },
);
