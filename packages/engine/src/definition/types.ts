import type { Json, JsonObject } from "../json.ts";

/**
 * Definitions as the interface writes them. Every field keeps its wire name; optional ones are absent, never null.
 * `normalizeWorkflowDef` and `normalizeTaskDef` turn a caller's JSON into these, with all defaults filled in.
 */

export type Auditable = {
  readonly ownerApp?: string;
  readonly createTime: number;
  readonly updateTime: number;
  readonly createdBy?: string;
  readonly updatedBy?: string;
};

export type WorkflowDef = Auditable & {
  readonly name: string;
  readonly description?: string;
  readonly version: number;
  readonly tasks: readonly WorkflowTask[];
  readonly inputParameters: readonly string[];
  readonly outputParameters: JsonObject;
  readonly failureWorkflow?: string;
  readonly failureWorkflowVersion?: number;
  readonly schemaVersion: number;
  readonly restartable: boolean;
  readonly workflowStatusListenerEnabled: boolean;
  readonly workflowStatusListenerSink?: string;
  readonly ownerEmail?: string;
  readonly timeoutPolicy: "TIME_OUT_WF" | "ALERT_ONLY";
  readonly timeoutSeconds: number;
  readonly variables: JsonObject;
  readonly inputTemplate: JsonObject;
  readonly rateLimitConfig?: RateLimitConfig;
  readonly inputSchema?: SchemaDef;
  readonly outputSchema?: SchemaDef;
  readonly enforceSchema: boolean;
  readonly metadata: JsonObject;
  readonly cacheConfig?: CacheConfig;
  readonly maskedFields: readonly string[];
};

export type WorkflowTask = {
  readonly name: string;
  readonly taskReferenceName: string;
  readonly description?: string;
  readonly inputParameters: JsonObject;
  readonly type: string;
  readonly dynamicTaskNameParam?: string;
  readonly caseValueParam?: string;
  readonly caseExpression?: string;
  readonly scriptExpression?: string;
  readonly decisionCases: { readonly [caseValue: string]: readonly WorkflowTask[] };
  readonly defaultCase: readonly WorkflowTask[];
  readonly dynamicForkJoinTasksParam?: string;
  readonly dynamicForkTasksParam?: string;
  readonly dynamicForkTasksInputParamName?: string;
  readonly forkTasks: readonly (readonly WorkflowTask[])[];
  readonly startDelay: number;
  readonly subWorkflowParam?: SubWorkflowParams;
  readonly joinOn: readonly string[];
  readonly joinStatus?: string;
  readonly joinMode?: "SYNC" | "ASYNC";
  readonly sink?: string;
  readonly optional: boolean;
  readonly permissive: boolean;
  readonly taskDefinition?: TaskDef;
  readonly rateLimited?: boolean;
  readonly defaultExclusiveJoinTask: readonly string[];
  readonly asyncComplete: boolean;
  readonly loopCondition?: string;
  readonly loopOver: readonly WorkflowTask[];
  readonly items?: string;
  readonly retryCount?: number;
  readonly evaluatorType?: string;
  readonly expression?: string;
  readonly onStateChange: { readonly [transition: string]: readonly StateChangeEvent[] };
  readonly cacheConfig?: CacheConfig;
  readonly metadata: JsonObject;
};

export type SubWorkflowParams = {
  readonly name?: string;
  readonly version?: number;
  readonly taskToDomain?: { readonly [taskType: string]: string };
  /** A definition, or an expression that gives one at run time. */
  readonly workflowDefinition?: WorkflowDef | string;
  readonly idempotencyKey?: string;
  readonly idempotencyStrategy?: IdempotencyStrategy;
  readonly priority?: Json;
};

export type IdempotencyStrategy = "FAIL" | "RETURN_EXISTING" | "FAIL_ON_RUNNING";
export type RetryLogic = "FIXED" | "EXPONENTIAL_BACKOFF" | "LINEAR_BACKOFF";
export type TimeoutPolicy = "RETRY" | "TIME_OUT_WF" | "ALERT_ONLY";

export type TaskDef = Auditable & {
  readonly name: string;
  readonly description?: string;
  readonly retryCount: number;
  readonly retryLogic: RetryLogic;
  readonly retryDelaySeconds: number;
  readonly backoffScaleFactor: number;
  readonly maxRetryDelaySeconds: number;
  readonly backoffJitterMs: number;
  readonly timeoutSeconds: number;
  readonly timeoutPolicy: TimeoutPolicy;
  readonly responseTimeoutSeconds: number;
  readonly pollTimeoutSeconds?: number;
  readonly totalTimeoutSeconds: number;
  readonly inputKeys: readonly string[];
  readonly outputKeys: readonly string[];
  readonly inputTemplate: JsonObject;
  readonly runtimeMetadata: readonly string[];
  readonly concurrentExecLimit?: number;
  readonly rateLimitPerFrequency: number;
  readonly rateLimitFrequencyInSeconds: number;
  readonly isolationGroupId?: string;
  readonly executionNameSpace?: string;
  readonly ownerEmail?: string;
  readonly baseType?: string;
  readonly inputSchema?: SchemaDef;
  readonly outputSchema?: SchemaDef;
  readonly enforceSchema: boolean;
  readonly taskStatusListenerEnabled: boolean;
};

export type RateLimitConfig = {
  readonly rateLimitKey?: string;
  readonly concurrentExecLimit: number;
  readonly policy: "QUEUE" | "REJECT";
};

export type CacheConfig = { readonly key?: string; readonly ttlInSecond: number };
export type StateChangeEvent = { readonly type?: string; readonly payload?: JsonObject };

export type SchemaDef = Auditable & {
  readonly name?: string;
  readonly version: number;
  readonly type?: "JSON" | "AVRO" | "PROTOBUF";
  readonly data?: JsonObject;
  readonly externalRef?: string;
};
