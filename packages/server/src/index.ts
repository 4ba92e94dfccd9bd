export type { Config } from "./config.ts";
export { type ConfigRecord, recordField } from "./config-values.ts";
export type { Extension, OpenExtension } from "./extension.ts";
export { type Answer, Api, type Body, json, nothing, plainText } from "./http/api.ts";
export { jsonBody, mapBody, parseJson, textsBody } from "./http/body.ts";
export { assertValid, conflict, HttpError, invalidInput, notFound } from "./http/errors.ts";
export { answerModel, freeObject, listOf, mapOf, texts } from "./http/models.ts";
export { flag, integer, list, oneOf, optionalInteger, requiredText, text, textOr } from "./http/parameters.ts";
export { sendJson, sendText, sendValue } from "./http/reply.ts";
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
export type { Executor, OutsideCall } from "./runtime/outside-work.ts";
export type { Runtime } from "./runtime/runtime.ts";
export type { NamedValues } from "./secrets.ts";
export type { Token } from "./streams/token-feed.ts";
