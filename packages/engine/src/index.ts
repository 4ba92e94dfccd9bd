export type { Changes, Limit, MessageChanges, PayloadChange, Send, Work, WorkState } from "./decide/changes.ts";
export {
  type Context,
  type JqOutcome,
  Missing,
  type PinnedDef,
  type ScriptOutcome,
  type Settings,
  type View,
  type WorkflowPart,
} from "./decide/context.ts";
export { claimedWork, readyWork, withTimer } from "./decide/deadlines.ts";
export { type Decision, decide } from "./decide/decide.ts";
export { formatQueueName, LIMITED_QUEUE, type QueueParts } from "./decide/domains.ts";
export type { Event, PublishEvent, Refusal, StartEvent, TaskResult } from "./decide/event.ts";
export { type ForkedEntry, forkedEntries } from "./decide/forked-entries.ts";
export { PULL_WORKFLOW_MESSAGES } from "./decide/messages.ts";
export {
  type ExecutionLimit,
  executionLimit,
  isInternalQueue,
  isRateLimitQueue,
  rateLimitQueue,
} from "./decide/rate-limit.ts";
export { readOutput } from "./decide/read-output.ts";
export { AlikeEntries, type AlikeEntry } from "./definition/alike-entries.ts";
export { classifierOf } from "./definition/classifier.ts";
export { adHocTaskDef, embedTaskDefs } from "./definition/defaults.ts";
export {
  assertNesting,
  DefinitionFormatError,
  type Fields,
  flag,
  freeMap,
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
  type Schema,
  text,
  textOr,
  withDefault,
} from "./definition/fields.ts";
export { findMissingFields } from "./definition/missing.ts";
export {
  normalizeTaskDef,
  normalizeWorkflowDef,
  normalizeWorkflowTask,
  taskDefModel,
  workflowDefModel,
  workflowTaskModel,
} from "./definition/normalize.ts";
export type { Problem } from "./definition/problem.ts";
export {
  normalizeStartRequest,
  type StartRequest,
  startRequestFields,
  startRequestModel,
} from "./definition/start-request.ts";
export type { IdempotencyStrategy, TaskDef, WorkflowDef, WorkflowTask } from "./definition/types.ts";
export { validateTaskDef, validateWorkflowDef } from "./definition/validate.ts";
export { validateTaskDefList, validateWorkflowDefList } from "./definition/validate-lists.ts";
export type { Head, Join, Loop } from "./execution/head.ts";
export { isExecutionId, MAX_TASK_NO, parseTaskId, taskId } from "./execution/ids.ts";
export {
  isTerminal,
  isWorkflowTerminal,
  type ResultStatus,
  type TaskStatus,
  type WorkflowStatus,
} from "./execution/status.ts";
export { referenceTaskName, type Task } from "./execution/task.ts";
export { ExternalJson, RawJson } from "./expression/raw-json.ts";
export { bareReference } from "./expression/reference-name.ts";
export { renderText } from "./expression/render-text.ts";
export { resolveAgainst } from "./expression/resolve-data.ts";
export type { SecretPlace } from "./expression/secret-place.ts";
export { substituteSecrets } from "./expression/secrets.ts";
export { isJsonObject, type Json, type JsonObject, ownMember } from "./json.ts";
export { compilePlan } from "./plan/compile.ts";
export type { Plan } from "./plan/plan.ts";
export { type TaskType, type TaskTypes, taskTypes } from "./registry.ts";
export { describeEvent } from "./tasks/event.ts";
export { builtInTaskTypes } from "./tasks/index.ts";
