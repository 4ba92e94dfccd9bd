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
  mapOf,
  optional,
  optionalFlag,
  optionalInteger,
  optionalOneOf,
  optionalText,
  type Reader,
  readFields,
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
  return readWorkflowDef(json, path);
}

/** The same for a single task entry: a dynamic fork brings its entries at run time. */
export function normalizeWorkflowTask(json: unknown, path = ""): WorkflowTask {
  assertNesting(json, path);
  return readWorkflowTask(json, path);
}

/** The same for a task definition. */
export function normalizeTaskDef(json: unknown, path = ""): TaskDef {
  assertNesting(json, path);
  return readTaskDef(json, path);
}

const readWorkflowDef: Reader<WorkflowDef> = (value, path) => readFields(workflowDefFields, value, path);
const readWorkflowTask: Reader<WorkflowTask> = (value, path) => readFields(workflowTaskFields, value, path);
const readTaskDef: Reader<TaskDef> = (value, path) => readFields(taskDefFields, value, path);
const readSchemaDef: Reader<SchemaDef> = (value, path) => readFields(schemaDefFields, value, path);
const readCacheConfig: Reader<CacheConfig> = (value, path) => readFields(cacheConfigFields, value, path);
const readRateLimitConfig: Reader<RateLimitConfig> = (value, path) => readFields(rateLimitConfigFields, value, path);
const readStateChangeEvent: Reader<StateChangeEvent> = (value, path) => readFields(stateChangeEventFields, value, path);

const readSubWorkflowParams: Reader<SubWorkflowParams> = (value, path) => {
  const params = readFields(subWorkflowParamsFields, value, path);
  const inline = params.workflowDefinition;
  if (inline === undefined || typeof inline === "string") return params;
  // The name and version of an inline definition count, whatever stands beside it.
  return { ...params, ...(inline.name === "" ? {} : { name: inline.name }), version: inline.version };
};

const readWorkflowDefinition: Reader<WorkflowDef | string> = (value, path) => {
  if (isJsonObject(value)) return readWorkflowDef(value, path);
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
};

const optionalJson: Reader<Json | undefined> = (value) => (value === null ? undefined : (value as Json | undefined));

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
  tasks: listOf(readWorkflowTask),
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
  rateLimitConfig: optional(readRateLimitConfig),
  inputSchema: optional(readSchemaDef),
  outputSchema: optional(readSchemaDef),
  enforceSchema: flag(true),
  metadata: freeMap,
  cacheConfig: optional(readCacheConfig),
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
  decisionCases: mapOf(listOf(readWorkflowTask)),
  defaultCase: listOf(readWorkflowTask),
  dynamicForkJoinTasksParam: optionalText,
  dynamicForkTasksParam: optionalText,
  dynamicForkTasksInputParamName: optionalText,
  forkTasks: listOf(listOf(readWorkflowTask)),
  startDelay: integer(0),
  subWorkflowParam: optional(readSubWorkflowParams),
  joinOn: listOf(text),
  joinStatus: optionalText,
  joinMode: optionalOneOf("SYNC", "ASYNC"),
  sink: optionalText,
  optional: flag(false),
  taskDefinition: optional(readTaskDef),
  rateLimited: optionalFlag,
  defaultExclusiveJoinTask: listOf(text),
  asyncComplete: flag(false),
  loopCondition: optionalText,
  loopOver: listOf(readWorkflowTask),
  items: optionalText,
  retryCount: optionalInteger,
  evaluatorType: optionalText,
  expression: optionalText,
  onStateChange: mapOf(listOf(readStateChangeEvent)),
  permissive: flag(false),
  cacheConfig: optional(readCacheConfig),
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
  inputSchema: optional(readSchemaDef),
  outputSchema: optional(readSchemaDef),
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
