// What the interface answers, as far as the app reads it. Names are the interface's own. Statuses stay plain text:
// a newer server may know more of them, and what is unknown is drawn grey.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export type ErrorBody = {
  readonly status: number;
  readonly message: string;
  readonly instance: string;
  readonly retryable: boolean;
  readonly validationErrors?: readonly { readonly path: string; readonly message: string }[];
};

export type Page<Hit> = { readonly totalHits: number; readonly results: readonly Hit[] };

/** A row of the list of executions. Times are ISO 8601. */
export type ExecutionSummary = {
  readonly workflowId: string;
  readonly workflowType: string;
  readonly version: number;
  readonly status: string;
  readonly startTime: string;
  readonly updateTime: string;
  readonly endTime?: string;
  readonly executionTime: number;
  readonly correlationId?: string;
  readonly reasonForIncompletion?: string;
  readonly failedReferenceTaskNames: string;
  readonly priority: number;
  readonly parentWorkflowId: string;
  readonly classifier: string;
  readonly createdBy?: string;
  readonly event?: string;
  readonly idempotencyKey?: string;
  readonly input: string;
  readonly output: string;
};

/** An execution without its tasks. Times are epoch milliseconds, 0 when not reached. */
export type Execution = {
  readonly workflowId: string;
  readonly workflowName: string;
  readonly workflowVersion: number;
  readonly status: string;
  readonly startTime: number;
  readonly createTime: number;
  readonly updateTime: number;
  readonly endTime: number;
  readonly input: JsonObject;
  readonly output: JsonObject;
  readonly variables: JsonObject;
  readonly taskToDomain: Readonly<Record<string, string>>;
  readonly workflowDefinition: WorkflowDefinition;
  readonly priority: number;
  readonly correlationId?: string;
  readonly parentWorkflowId?: string;
  readonly parentWorkflowTaskId?: string;
  readonly reasonForIncompletion?: string;
  readonly createdBy?: string;
  readonly event?: string;
  readonly failedReferenceTaskNames: readonly string[];
};

export type WorkflowDefinition = {
  readonly name: string;
  readonly version: number;
  readonly description?: string;
  readonly tasks: readonly TaskEntry[];
  readonly inputParameters?: readonly string[];
  readonly outputParameters?: JsonObject;
  readonly ownerEmail?: string;
  readonly timeoutSeconds?: number;
  readonly timeoutPolicy?: string;
  readonly failureWorkflow?: string;
  readonly createTime?: number;
  readonly updateTime?: number;
  readonly metadata?: JsonObject;
};

/** A task as a definition has it. */
export type TaskEntry = {
  readonly name: string;
  readonly taskReferenceName: string;
  readonly type: string;
  readonly description?: string;
  readonly inputParameters?: JsonObject;
  readonly optional?: boolean;
  readonly startDelay?: number;
  readonly asyncComplete?: boolean;
  readonly decisionCases?: Readonly<Record<string, readonly TaskEntry[]>>;
  readonly defaultCase?: readonly TaskEntry[];
  readonly forkTasks?: readonly (readonly TaskEntry[])[];
  readonly loopOver?: readonly TaskEntry[];
  readonly joinOn?: readonly string[];
  readonly subWorkflowParam?: { readonly name?: string; readonly version?: number };
  readonly dynamicForkTasksParam?: string;
  readonly expression?: string;
  readonly evaluatorType?: string;
  readonly loopCondition?: string;
  readonly sink?: string;
};

/** A task as the event stream tells of it: everything but its payloads. */
export type TaskState = {
  readonly workflowId: string;
  readonly taskId: string;
  readonly referenceTaskName: string;
  readonly taskType: string;
  readonly taskDefName: string;
  readonly status: string;
  readonly seq: number;
  readonly retryCount: number;
  readonly iteration: number;
  readonly scheduledTime: number;
  readonly startTime: number;
  readonly endTime: number;
  readonly updateTime: number;
  readonly workerId?: string;
  readonly subWorkflowId?: string;
  readonly reasonForIncompletion?: string;
};

/** An execution as the event stream tells of it. */
export type ExecutionState = {
  readonly workflowId: string;
  readonly workflowType: string;
  readonly version: number;
  readonly status: string;
  readonly correlationId?: string;
  readonly parentWorkflowId?: string;
  readonly startTime: number;
  readonly updateTime: number;
  readonly endTime: number;
  readonly reasonForIncompletion?: string;
};

/** A whole task. */
export type Task = {
  readonly taskId: string;
  readonly taskType: string;
  readonly taskDefName: string;
  readonly referenceTaskName: string;
  readonly workflowInstanceId: string;
  readonly workflowType?: string;
  readonly status: string;
  readonly seq: number;
  readonly retryCount: number;
  readonly iteration: number;
  readonly pollCount: number;
  readonly inputData: JsonObject;
  readonly outputData: JsonObject;
  readonly scheduledTime: number;
  readonly startTime: number;
  readonly endTime: number;
  readonly updateTime: number;
  readonly queueWaitTime: number;
  readonly callbackAfterSeconds: number;
  readonly responseTimeoutSeconds: number;
  readonly workerId?: string;
  readonly domain?: string;
  readonly subWorkflowId?: string;
  readonly retriedTaskId?: string;
  readonly reasonForIncompletion?: string;
  readonly externalInputPayloadStoragePath?: string;
  readonly externalOutputPayloadStoragePath?: string;
  readonly workflowTask: TaskEntry;
  readonly taskDefinition?: JsonObject | null;
};

export type TaskLog = { readonly log: string; readonly taskId: string; readonly createdTime: number };

export type PollData = {
  readonly queueName: string;
  readonly domain?: string;
  readonly workerId: string;
  readonly lastPollTime: number;
};

export type BulkJob = {
  readonly jobId: string;
  readonly action: string;
  readonly query: string;
  readonly freeText: string;
  readonly status: string;
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly createTime: number;
  readonly updateTime: number;
  readonly endTime: number;
  readonly reasonForIncompletion?: string;
};
