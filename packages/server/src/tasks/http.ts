import { STATUS_CODES } from "node:http";
import type { Json, JsonObject } from "@downbeat/engine";
import type { OutboundClient, OutboundRequest } from "../outbound/client.ts";
import type { OutboundResponse } from "../outbound/exchange.ts";
import { isNestedTooDeep } from "../outbound/nesting.ts";
import { OutboundError, type OutboundFailure } from "../outbound/outbound-error.ts";
import { hidePassword } from "../outbound/request-url.ts";

export interface HttpTaskContext {
  readonly client: OutboundClient;
  readonly signal: AbortSignal;
  /** Of the task entry; an `asyncComplete` in the input goes before it. */
  readonly asyncComplete: boolean;
  readonly hostName: string;
}

export interface HttpTaskResult {
  readonly status: "COMPLETED" | "IN_PROGRESS" | "FAILED" | "FAILED_WITH_TERMINAL_ERROR";
  readonly output: JsonObject;
  readonly reason?: string;
  readonly workerId: string;
}

/**
 * Runs one HTTP task: `http_request`, or the input itself, says what to send; `output.response` is the answer whatever
 * its status, or a text when none came. Never throws.
 */
export async function runHttpTask(input: JsonObject, context: HttpTaskContext): Promise<HttpTaskResult> {
  const workerId = context.hostName;
  try {
    const call = readCall(input);
    try {
      const response = await context.client.send({ ...call, signal: context.signal });
      return { ...judgeResponse(call, response, isAsyncComplete(input, context)), workerId };
    } catch (error) {
      return { ...describeFailure(call, error), workerId };
    }
  } catch (error) {
    const reason = error instanceof InvalidCall ? error.message : `Failed to invoke HTTP task due to: ${String(error)}`;
    return { status: "FAILED", output: {}, reason: cutReason(reason), workerId };
  }
}

type Outcome = Omit<HttpTaskResult, "workerId">;
type Call = Omit<OutboundRequest, "signal">;

/** The input does not say what to send; the message is the task's reason. */
class InvalidCall extends Error {}

const methods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE"]);

function readCall(input: JsonObject): Call {
  const request = input.http_request ?? input;
  if (!isObject(request)) {
    throw new InvalidCall(`Expected http_request to be an object, got ${describeJson(request)}`);
  }
  const url = readText(request, "uri");
  if (url === undefined || url.trim() === "") {
    throw new InvalidCall("Missing HTTP URI.  See documentation for HttpTask for required input parameters");
  }
  const method = readText(request, "method");
  if (method === undefined) {
    throw new InvalidCall("No HTTP method specified");
  }
  if (!methods.has(method)) {
    throw new InvalidCall(`Invalid HTTP method: ${method}`);
  }
  const headers = readHeaders(request);
  const contentType = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  const body = encodeBody(request.body ?? null, contentType);
  return {
    method,
    url,
    headers,
    ...(body === undefined ? {} : { body: Buffer.from(body, "utf8") }),
    limits: {
      connectTimeoutMs: readTimeout(request, "connectionTimeOut"),
      readTimeoutMs: readTimeout(request, "readTimeOut"),
    },
  };
}

function readText(request: JsonObject, field: string): string | undefined {
  const value = request[field] ?? null;
  return value === null ? undefined : toText(value);
}

/** `accept` and `contentType` are defaults: a header of that name takes their place. */
function readHeaders(request: JsonObject): [string, string][] {
  const given = request.headers ?? {};
  if (!isObject(given)) {
    throw new InvalidCall(`Expected headers to be an object, got ${describeJson(given)}`);
  }
  const lines: [string, string][] = Object.entries(given)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [name, toText(value)]);
  const names = new Set(lines.map(([name]) => name.toLowerCase()));
  if (!names.has("accept")) {
    const accept = request.accept ?? "application/json";
    lines.push(["Accept", isList(accept) ? accept.map(toText).join(", ") : toText(accept)]);
  }
  if (!names.has("content-type")) {
    lines.push(["Content-Type", readText(request, "contentType") ?? "application/json"]);
  }
  return lines;
}

function readTimeout(request: JsonObject, field: string): number | undefined {
  const value = request[field] ?? null;
  if (value === null || value === "") {
    return;
  }
  const timeoutMs = typeof value === "number" || typeof value === "string" ? Math.trunc(Number(value)) : Number.NaN;
  if (!(timeoutMs >= 0)) {
    throw new InvalidCall(`Expected ${field} to be a number of milliseconds, got ${JSON.stringify(value)}`);
  }
  return timeoutMs;
}

function encodeBody(body: Json, contentType: string): string | undefined {
  if (body === null) {
    return;
  }
  if (typeof body === "string") {
    return body;
  }
  const isForm = /^\s*application\/x-www-form-urlencoded\b/i.test(contentType);
  return isForm && isObject(body) ? encodeForm(body) : JSON.stringify(body);
}

/** Lists repeat their key, null is left out, objects are JSON. */
function encodeForm(fields: JsonObject): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const item of isList(value) ? value : [value]) {
      if (item !== null) {
        form.append(name, typeof item === "object" ? JSON.stringify(item) : String(item));
      }
    }
  }
  return form.toString();
}

function isAsyncComplete(input: JsonObject, context: HttpTaskContext): boolean {
  const given = input.asyncComplete ?? null;
  return given === null ? context.asyncComplete : given === true || given === "true";
}

function judgeResponse(call: Call, response: OutboundResponse, isAsync: boolean): Outcome {
  const { statusCode, headers } = response;
  const reasonPhrase = STATUS_CODES[statusCode] ?? "";
  const text = decodeText(response);
  const output = { response: { statusCode, reasonPhrase, headers: { ...headers }, body: parseBody(text) } };
  if (statusCode >= 200 && statusCode < 300) {
    return { status: isAsync ? "IN_PROGRESS" : "COMPLETED", output };
  }
  if (statusCode < 400) {
    return { status: "FAILED", output, reason: cutReason(text || "No response from the remote service") };
  }
  const line = `${statusCode} ${reasonPhrase}`.trimEnd();
  const reason = `Failed to invoke HTTP task due to: ${line} on ${describeCall(call)}: ${text || "[no body]"}`;
  return { status: "FAILED", output, reason: cutReason(reason) };
}

/** Trying again cannot help against these. */
const terminalFailures: ReadonlySet<OutboundFailure> = new Set(["refused", "too-large"]);

/** Failures of the call itself rather than of the way there: they are told in their own words. */
const ownWords: ReadonlySet<OutboundFailure> = new Set(["refused", "invalid-request"]);

function describeFailure(call: Call, error: unknown): Outcome {
  const failure = error instanceof OutboundError ? error.failure : "broken";
  const message = error instanceof Error ? error.message : String(error);
  const response = ownWords.has(failure) ? message : `I/O error on ${describeCall(call)}: ${message}`;
  return {
    status: terminalFailures.has(failure) ? "FAILED_WITH_TERMINAL_ERROR" : "FAILED",
    output: { response },
    reason: cutReason(`Failed to invoke HTTP task due to: ${response}`),
  };
}

function describeCall({ method, url }: Call): string {
  return `${method} request for "${hidePassword(url)}"`;
}

/** The interface keeps this much of a reason; a body of megabytes shall not travel in it. */
function cutReason(reason: string): string {
  return reason.slice(0, 500).toWellFormed();
}

function decodeText({ headers, body }: OutboundResponse): string {
  const name = Object.keys(headers).find((key) => key.toLowerCase() === "content-type");
  const [, charset] = /charset\s*=\s*"?([^\s";]+)/i.exec(headers[name ?? ""]?.[0] ?? "") ?? [];
  try {
    return new TextDecoder(charset ?? "utf-8").decode(body);
  } catch {
    // A character set nobody knows; most such answers are UTF-8 or ASCII all the same.
    return new TextDecoder().decode(body);
  }
}

/** JSON whatever the content type says, else the text; nothing at all is null. */
function parseBody(text: string): Json {
  if (text === "" || isNestedTooDeep(text)) {
    return text || null;
  }
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Text of a value in a text field: lists and objects as `[a, b]` and `{k=v}`, not as JSON. */
function toText(value: Json): string {
  if (isList(value)) {
    return `[${value.map(toText).join(", ")}]`;
  }
  if (isObject(value)) {
    const fields = Object.entries(value).map(([key, item]) => `${key}=${toText(item)}`);
    return `{${fields.join(", ")}}`;
  }
  return String(value);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function describeJson(value: Json): string {
  return isList(value) ? "a list" : typeof value;
}
