export type { FastifyReply as FullReply } from "fastify";
export { type Config, ConfigError } from "./config.ts";
export { type ConfigRecord, recordField } from "./config-values.ts";
export type { Effect, Message } from "./events/actions.ts";
export { NotThere } from "./events/actions.ts";
export type { Extension, OpenExtension } from "./extension.ts";
export { type Answer, Api, type Body, json, nothing, plainText } from "./http/api.ts";
export { jsonBody, mapBody, optionsBody, parseJson, textsBody } from "./http/body.ts";
export { checkWorkflowDef } from "./http/check-definition.ts";
export {
  assertAccepted,
  assertValid,
  conflict,
  HttpError,
  invalidInput,
  noSuchWorkflow,
  notFound,
  reasonOf,
} from "./http/errors.ts";
export {
  answerModel,
  bulkResponseModel,
  freeObject,
  listOf,
  mapOf,
  taskLogModel,
  taskModel,
  texts,
  workflowModel,
  workflowSummaryPageModel,
} from "./http/models.ts";
export { type Operation, pause, remove, restart, resume, retry, terminate } from "./http/operations.ts";
export { flag, integer, list, oneOf, optionalInteger, requiredText, text, textOr } from "./http/parameters.ts";
export { type Reply, sendJson, sendText, sendValue } from "./http/reply.ts";
export { operateOnAll } from "./http/routes/workflow-bulk.ts";
export { rerun, rerunRequest } from "./http/routes/workflow-operations.ts";
export { assertSize, summaryOf } from "./http/routes/workflow-search.ts";
export { searchParameters, toSearch } from "./http/search.ts";
export { startOrFind } from "./http/start.ts";
export { parseResultStatus } from "./http/task-update.ts";
export type { Logger } from "./log.ts";
export {
  checkedLookup,
  checkLiteralAddress,
  hostOf,
  type OutboundTarget,
  type RefuseTarget,
  type ResolveHost,
  refuseAddresses,
} from "./outbound/address-policy.ts";
export { type AddressKind, addressKind } from "./outbound/address-ranges.ts";
export { readAllowList } from "./outbound/allow-list.ts";
export { createOutboundClient, type OutboundClient, type OutboundRequest } from "./outbound/client.ts";
export type { OutboundResponse } from "./outbound/exchange.ts";
export {
  checkUrl,
  createGuardedFetch,
  type FetchRules,
  type GuardedFetch,
  type GuardedFetchOptions,
} from "./outbound/guarded-fetch.ts";
export { OutboundError } from "./outbound/outbound-error.ts";
export type { Committed } from "./runtime/commit-feed.ts";
export { type Executor, fillSecrets, type OutsideCall } from "./runtime/outside-work.ts";
export { readTasks, readWorkflow } from "./runtime/read-execution.ts";
export type { Belongings } from "./runtime/removals.ts";
export type { Runtime } from "./runtime/runtime.ts";
export { workflowFields } from "./search/fields.ts";
export type { NamedValues } from "./secrets.ts";
export { EventStream, eventText } from "./streams/event-stream.ts";
export type { Token } from "./streams/token-feed.ts";
