import { isJsonObject, type Json } from "../json.ts";
import {
  assertNesting,
  DefinitionFormatError,
  type Fields,
  flag,
  freeMap,
  integer,
  integerOr,
  listOf,
  long,
  type Model,
  mapOf,
  model,
  optional,
  optionalFlag,
  optionalInteger,
  optionalOneOf,
  optionalText,
  type Reader,
  reader,
  text,
  textOr,
  withDefault,
} from "./fields.ts";
import type {
  Auditable,
  CacheConfig,
  RateLimitConfig,
  SchemaDef,
  StateChangeEvent,
  SubWorkflowParams,
  TaskDef,
  WorkflowDef,
  WorkflowTask,
} from "./types.ts";

/**
 * A caller's JSON as a definition: every default filled in, scalars converted, unknown properties dropped. The result is
 * also the form we store and send. It need not be valid: a required name left out becomes "", a list left out the empty
 * list; `findMissingFields` tells what was left out, `validateWorkflowDef` what is wrong with it.
 *
 * `path` says where in the request the definition sits. Throws DefinitionFormatError.
 */
export function normalizeWorkflowDef(json: unknown, path = ""): WorkflowDef {
  assertNesting(json, path);
  return workflowDefModel(json, path);
}

/** The same for a single task entry: a dynamic fork brings its entries at run time. */
export function normalizeWorkflowTask(json: unknown, path = ""): WorkflowTask {
  assertNesting(json, path);
  return workflowTaskModel(json, path);
}

/** The same for a task definition. */
export function normalizeTaskDef(json: unknown, path = ""): TaskDef {
  assertNesting(json, path);
  return taskDefModel(json, path);
}

export const workflowDefModel: Model<WorkflowDef> = model("WorkflowDef", () => workflowDefFields);
export const workflowTaskModel: Model<WorkflowTask> = model("WorkflowTask", () => workflowTaskFields);
export const taskDefModel: Model<TaskDef> = model("TaskDef", () => taskDefFields);
const schemaDefModel: Model<SchemaDef> = model("SchemaDef", () => schemaDefFields);
const cacheConfigModel: Model<CacheConfig> = model("CacheConfig", () => cacheConfigFields);
const rateLimitConfigModel: Model<RateLimitConfig> = model("RateLimitConfig", () => rateLimitConfigFields);
const stateChangeEventModel: Model<StateChangeEvent> = model("StateChangeEvent", () => stateChangeEventFields);
const subWorkflowParamsModel: Model<SubWorkflowParams> = model("SubWorkflowParams", () => subWorkflowParamsFields);

const readSubWorkflowParams: Reader<SubWorkflowParams> = reader(subWorkflowParamsModel, (value, path) => {
  const params = subWorkflowParamsModel(value, path);
  const inline = params.workflowDefinition;
  if (inline === undefined || typeof inline === "string") return params;
  // The name and version of an inline definition count, whatever stands beside it.
  return { ...params, ...(inline.name === "" ? {} : { name: inline.name }), version: inline.version };
});

const inlineDefinition = { anyOf: [workflowDefModel, { type: "string", description: "An expression" }] };

const readWorkflowDefinition: Reader<WorkflowDef | string> = reader(inlineDefinition, (value, path) => {
  if (isJsonObject(value)) return workflowDefModel(value, path);
  if (typeof value !== "string") {
    throw new DefinitionFormatError(
      path,
      "workflowDefinition must be either null, or WorkflowDef, or a valid DSL string",
    );
  }
  if (!value.startsWith("${") || !value.endsWith("}")) {
    throw new DefinitionFormatError(path, "workflowDefinition is a string, but not a valid DSL string");
  }
  return value;
});

const optionalJson: Reader<Json | undefined> = reader({}, (value) =>
  value === null ? undefined : (value as Json | undefined),
);

const auditableFields: Fields<Auditable> = {
  ownerApp: optionalText,
  createTime: long(0),
  updateTime: long(0),
  createdBy: optionalText,
  updatedBy: optionalText,
};

const workflowDefFields: Fields<WorkflowDef> = {
  ...auditableFields,
  name: textOr(""),
  description: optionalText,
  version: integer(1),
  tasks: listOf(workflowTaskModel),
  inputParameters: listOf(text),
  outputParameters: freeMap,
  failureWorkflow: optionalText,
  failureWorkflowVersion: optionalInteger,
  schemaVersion: integer(2),
  restartable: flag(true),
  workflowStatusListenerEnabled: flag(false),
  workflowStatusListenerSink: optionalText,
  ownerEmail: optionalText,
  timeoutPolicy: withDefault("ALERT_ONLY", optionalOneOf("TIME_OUT_WF", "ALERT_ONLY")),
  timeoutSeconds: long(0),
  variables: freeMap,
  inputTemplate: freeMap,
  rateLimitConfig: optional(rateLimitConfigModel),
  inputSchema: optional(schemaDefModel),
  outputSchema: optional(schemaDefModel),
  enforceSchema: flag(true),
  metadata: freeMap,
  cacheConfig: optional(cacheConfigModel),
  maskedFields: listOf(text),
};

const workflowTaskFields: Fields<WorkflowTask> = {
  name: textOr(""),
  taskReferenceName: textOr(""),
  description: optionalText,
  inputParameters: freeMap,
  type: textOr("SIMPLE"),
  dynamicTaskNameParam: optionalText,
  caseValueParam: optionalText,
  caseExpression: optionalText,
  scriptExpression: optionalText,
  decisionCases: mapOf(listOf(workflowTaskModel)),
  defaultCase: listOf(workflowTaskModel),
  dynamicForkJoinTasksParam: optionalText,
  dynamicForkTasksParam: optionalText,
  dynamicForkTasksInputParamName: optionalText,
  forkTasks: listOf(listOf(workflowTaskModel)),
  startDelay: integer(0),
  subWorkflowParam: optional(readSubWorkflowParams),
  joinOn: listOf(text),
  joinStatus: optionalText,
  joinMode: optionalOneOf("SYNC", "ASYNC"),
  sink: optionalText,
  optional: flag(false),
  taskDefinition: optional(taskDefModel),
  rateLimited: optionalFlag,
  defaultExclusiveJoinTask: listOf(text),
  asyncComplete: flag(false),
  loopCondition: optionalText,
  loopOver: listOf(workflowTaskModel),
  items: optionalText,
  retryCount: optionalInteger,
  evaluatorType: optionalText,
  expression: optionalText,
  onStateChange: mapOf(listOf(stateChangeEventModel)),
  permissive: flag(false),
  cacheConfig: optional(cacheConfigModel),
  metadata: freeMap,
};

const taskDefFields: Fields<TaskDef> = {
  ...auditableFields,
  name: textOr(""),
  description: optionalText,
  retryCount: integer(3),
  timeoutSeconds: long(0),
  inputKeys: listOf(text),
  outputKeys: listOf(text),
  runtimeMetadata: listOf(text),
  timeoutPolicy: withDefault("TIME_OUT_WF", optionalOneOf("RETRY", "TIME_OUT_WF", "ALERT_ONLY")),
  retryLogic: withDefault("FIXED", optionalOneOf("FIXED", "EXPONENTIAL_BACKOFF", "LINEAR_BACKOFF")),
  retryDelaySeconds: integer(60),
  // The interface: a timeout left unset is none. The reference server puts an hour here.
  responseTimeoutSeconds: long(0),
  concurrentExecLimit: optionalInteger,
  inputTemplate: freeMap,
  rateLimitPerFrequency: integerOr(0),
  rateLimitFrequencyInSeconds: integerOr(1),
  isolationGroupId: optionalText,
  executionNameSpace: optionalText,
  ownerEmail: optionalText,
  pollTimeoutSeconds: optionalInteger,
  backoffScaleFactor: integerOr(1),
  maxRetryDelaySeconds: integer(0),
  backoffJitterMs: integer(0),
  totalTimeoutSeconds: long(0),
  baseType: optionalText,
  inputSchema: optional(schemaDefModel),
  outputSchema: optional(schemaDefModel),
  enforceSchema: flag(false),
  taskStatusListenerEnabled: flag(true),
};

const subWorkflowParamsFields: Fields<SubWorkflowParams> = {
  name: optionalText,
  version: optionalInteger,
  taskToDomain: optional(mapOf(text)),
  workflowDefinition: optional(readWorkflowDefinition),
  idempotencyKey: optionalText,
  idempotencyStrategy: optionalOneOf("FAIL", "RETURN_EXISTING", "FAIL_ON_RUNNING"),
  priority: optionalJson,
};

const rateLimitConfigFields: Fields<RateLimitConfig> = {
  rateLimitKey: optionalText,
  concurrentExecLimit: integer(0),
  policy: withDefault("QUEUE", optionalOneOf("QUEUE", "REJECT")),
};

const cacheConfigFields: Fields<CacheConfig> = { key: optionalText, ttlInSecond: integer(0) };

const stateChangeEventFields: Fields<StateChangeEvent> = { type: optionalText, payload: optional(freeMap) };

const schemaDefFields: Fields<SchemaDef> = {
  ...auditableFields,
  name: optionalText,
  version: integer(1),
  type: optionalOneOf("JSON", "AVRO", "PROTOBUF"),
  data: optional(freeMap),
  externalRef: optionalText,
};
