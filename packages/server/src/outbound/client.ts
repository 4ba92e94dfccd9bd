import { Agent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import { checkedLookup, checkLiteralAddress, type RefuseTarget } from "./address-policy.ts";
import { exchange, type OutboundResponse, StaleConnection } from "./exchange.ts";
import { buildHeaders, type HeaderLines, hasHeader, withoutHeaders } from "./headers.ts";
import { OutboundError } from "./outbound-error.ts";
import { parseLocation, parseRequestUrl, type RequestUrl } from "./request-url.ts";

export interface OutboundLimits {
  /** Until connected, name lookup and TLS included; 0 means no limit. */
  readonly connectTimeoutMs: number;
  /** Longest silence of the other side; 0 means no limit. */
  readonly readTimeoutMs: number;
  /** Before and after decompression. */
  readonly maxResponseBytes: number;
}

export interface OutboundRequest {
  readonly method: string;
  /** Used as given; only characters that HTTP cannot carry are percent-encoded. */
  readonly url: string;
  readonly headers: HeaderLines;
  readonly body?: Uint8Array;
  /** Those not given are the client's. */
  readonly limits?: { readonly [L in keyof OutboundLimits]?: OutboundLimits[L] | undefined };
  /** The one bound on the whole call: a slow but steady answer meets no other. */
  readonly signal: AbortSignal;
}

export interface OutboundClient {
  /** Any status is an answer. Rejects with OutboundError, and with nothing else, when there is none. */
  send(request: OutboundRequest): Promise<OutboundResponse>;
  /** Closes every connection: calls under way fail. */
  close(): void;
}

export interface OutboundOptions extends OutboundLimits {
  /** Asked for every address before it is connected to, after each redirect too. Metadata addresses are always refused. */
  readonly refuse?: RefuseTarget;
}

/**
 * The way out of the server. A client keeps its connections to itself, so one that is reused was allowed by the
 * policy of this client.
 */
export function createOutboundClient(options: OutboundOptions): OutboundClient {
  const { refuse = () => undefined } = options;
  const kept = { plain: new Agent(keepAlive), secure: new SecureAgent(keepAlive) };
  const single = { plain: new Agent(connecting), secure: new SecureAgent(connecting) };
  let isClosed = false;

  async function send(request: OutboundRequest): Promise<OutboundResponse> {
    let hop: Hop = {
      ...parseRequestUrl(request.url),
      method: request.method,
      headers: request.headers,
      body: request.body,
    };
    for (let redirects = 0; ; redirects += 1) {
      const response = await sendOnce(hop, request);
      const location = findLocation(response);
      if (location === undefined) {
        return response;
      }
      if (redirects === maxRedirects) {
        throw new OutboundError(`Maximum redirects (${maxRedirects}) exceeded`, { failure: "too-many-redirects" });
      }
      hop = redirect(hop, response.statusCode, location);
    }
  }

  async function sendOnce(hop: Hop, { limits = {}, signal }: OutboundRequest): Promise<OutboundResponse> {
    const { url, target, method, body } = hop;
    checkLiteralAddress(url, refuse);
    const side = url.protocol === "https:" ? "secure" : "plain";
    const call = {
      url,
      target,
      method,
      headers: finishHeaders(hop),
      ...(body === undefined ? {} : { body }),
      connectTimeoutMs: Math.min(limits.connectTimeoutMs ?? options.connectTimeoutMs, longestTimeoutMs),
      readTimeoutMs: Math.min(limits.readTimeoutMs ?? options.readTimeoutMs, longestTimeoutMs),
      maxResponseBytes: limits.maxResponseBytes ?? options.maxResponseBytes,
      signal,
      lookup: checkedLookup(url, refuse),
      agent: kept[side],
    };
    try {
      return await exchange(call);
    } catch (error) {
      if (error instanceof StaleConnection && repeatableMethods.has(method) && !isClosed) {
        return await exchange({ ...call, agent: single[side] });
      }
      throw error;
    }
  }

  return {
    send,
    close() {
      isClosed = true;
      for (const agent of [kept.plain, kept.secure, single.plain, single.secure]) {
        agent.destroy();
      }
    },
  };
}

interface Hop extends RequestUrl {
  readonly method: string;
  readonly headers: HeaderLines;
  readonly body: Uint8Array | undefined;
}

const maxRedirects = 20;

/** What Node's timers can hold. */
const longestTimeoutMs = 2 ** 31 - 1;

// When a name has several addresses, each but the last gets this long; Node's 250 ms gives up on links that are merely slow.
const connecting = { autoSelectFamilyAttemptTimeout: 1000 };

// Idle connections go before most servers drop theirs; a server that announces less is obeyed.
const keepAlive = { ...connecting, keepAlive: true, timeout: 4000, maxFreeSockets: 64, scheduling: "lifo" } as const;

const repeatableMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"]);

const bodyMethods: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

const bodyHeaders: ReadonlySet<string> = new Set(["content-type", "content-encoding", "content-language"]);

const originHeaders: ReadonlySet<string> = new Set(["authorization", "cookie", "host", "proxy-authorization"]);

function finishHeaders({ url, method, headers, body }: Hop): Record<string, string | string[]> {
  const lines = [...headers];
  if (!hasHeader(headers, "user-agent")) {
    lines.push(["User-Agent", "Downbeat"]);
  }
  if (!hasHeader(headers, "accept-encoding")) {
    lines.push(["Accept-Encoding", "gzip, deflate, br"]);
  }
  if (url.username !== "" && !hasHeader(headers, "authorization")) {
    const pair = [url.username, url.password].map(decodeCredential).join(":");
    lines.push(["Authorization", `Basic ${Buffer.from(pair).toString("base64")}`]);
  }
  const built = buildHeaders(lines);
  if (body !== undefined || bodyMethods.has(method)) {
    built["Content-Length"] = String(body?.length ?? 0);
  }
  return built;
}

function decodeCredential(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign: the text stands for itself.
    return text;
  }
}

function findLocation({ statusCode, headers }: OutboundResponse): string | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode)) {
    return;
  }
  const name = Object.keys(headers).find((key) => key.toLowerCase() === "location");
  return name === undefined ? undefined : headers[name]?.[0];
}

/** 301 and 302 turn POST into GET, 303 everything but HEAD; the rest keeps method and body. Credentials stay with their origin. */
function redirect(hop: Hop, statusCode: number, location: string): Hop {
  const next = parseLocation(location, hop.url);
  const becomesGet =
    statusCode === 303 ? hop.method !== "HEAD" : (statusCode === 301 || statusCode === 302) && hop.method === "POST";
  const headers = next.url.origin === hop.url.origin ? hop.headers : withoutHeaders(hop.headers, originHeaders);
  if (becomesGet) {
    return { ...next, method: "GET", headers: withoutHeaders(headers, bodyHeaders), body: undefined };
  }
  return { ...next, method: hop.method, headers, body: hop.body };
}
