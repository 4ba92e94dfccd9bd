import { type Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw } from "node:zlib";
import { hostOf } from "./address-policy.ts";
import { OutboundError } from "./outbound-error.ts";

/** One request and its answer over one connection: no redirects, no second try. */
export interface Exchange {
  readonly method: string;
  readonly url: URL;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: Uint8Array;
  /** Until connected, name lookup and TLS included; 0 means no limit. */
  readonly connectTimeoutMs: number;
  /** Longest silence once connected; 0 means no limit. */
  readonly readTimeoutMs: number;
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal;
  readonly lookup: LookupFunction;
  readonly agent: Agent;
}

export interface OutboundResponse {
  readonly statusCode: number;
  /** Spelled as received; one list per name. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** Decompressed. */
  readonly body: Buffer;
}

/** A kept connection that the other side had closed: the request may be sent again where that does no harm. */
export class StaleConnection extends OutboundError {}

export async function exchange(call: Exchange): Promise<OutboundResponse> {
  const { message, raw } = await receive(call);
  const headers = groupHeaders(message.rawHeaders);
  const encodings = (message.headers["content-encoding"] ?? "").split(",").map((name) => name.trim().toLowerCase());
  const statusCode = message.statusCode!;
  if (raw.length === 0 || !encodings.some((name) => decoders.has(name))) {
    return { statusCode, headers, body: raw };
  }
  let body = raw;
  for (const name of encodings.toReversed()) {
    body = await decompress(name, body, call.maxResponseBytes);
  }
  // They describe the compressed text, which nobody downstream sees.
  for (const name of Object.keys(headers)) {
    if (/^content-(encoding|length)$/i.test(name)) {
      delete headers[name];
    }
  }
  return { statusCode, headers, body };
}

function receive(call: Exchange): Promise<{ message: IncomingMessage; raw: Buffer }> {
  const { url, signal, connectTimeoutMs, readTimeoutMs, maxResponseBytes } = call;
  const isSecure = url.protocol === "https:";
  return new Promise((resolve, reject) => {
    let isConnected = false;
    const request = (isSecure ? httpsRequest : httpRequest)({
      host: hostOf(url),
      port: url.port,
      path: call.target,
      method: call.method,
      headers: call.headers,
      agent: call.agent,
      lookup: call.lookup,
      signal,
    });
    const fail = (error: Error): void => {
      const failure = signal.aborted
        ? new OutboundError("Request aborted", { failure: "aborted", cause: error })
        : describeFailure({ error, url, isConnected, isReused: request.reusedSocket });
      reject(failure);
      request.destroy();
    };
    request.on("error", fail);
    request.on("socket", (socket) => {
      const onTimeout = (): void => fail(isConnected ? readTimedOut() : connectTimedOut(url));
      const onConnect = (): void => {
        isConnected = true;
        socket.setTimeout(readTimeoutMs);
      };
      socket.on("timeout", onTimeout);
      if (request.reusedSocket) {
        onConnect();
      } else {
        socket.setTimeout(connectTimeoutMs);
        socket.once(isSecure ? "secureConnect" : "connect", onConnect);
      }
      request.once("close", () => socket.off("timeout", onTimeout));
    });
    request.on("response", (message) => {
      const chunks: Buffer[] = [];
      let receivedBytes = 0;
      message.on("error", fail);
      message.on("data", (chunk: Buffer) => {
        receivedBytes += chunk.length;
        if (receivedBytes > maxResponseBytes) {
          fail(tooLarge(maxResponseBytes));
        } else {
          chunks.push(chunk);
        }
      });
      message.on("end", () => resolve({ message, raw: Buffer.concat(chunks) }));
    });
    request.end(call.body);
  });
}

const readTimedOut = (): OutboundError => new OutboundError("Read timed out", { failure: "read-timeout" });

const connectTimedOut = (url: URL): OutboundError => cannotConnect(url, "Connect timed out");

const cannotConnect = (url: URL, why: string, cause?: Error): OutboundError =>
  new OutboundError(`Connect to ${url.origin} failed: ${why}`, { failure: "connect", cause });

const tooLarge = (maxBytes: number): OutboundError =>
  new OutboundError(`Expected a response of at most ${maxBytes} bytes, got more`, { failure: "too-large" });

/** The words are the reference's, which users' alerts match on. */
const connectTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: "Connection refused",
  ECONNRESET: "Connection reset",
  EHOSTUNREACH: "No route to host",
  ENETUNREACH: "Network is unreachable",
  EADDRNOTAVAIL: "Cannot assign requested address",
  ETIMEDOUT: "Connect timed out",
};

const lookupTexts: Readonly<Record<string, string>> = {
  EAI_AGAIN: "Temporary failure in name resolution",
  EAI_NODATA: "Name or service not known",
  EAI_NONAME: "Name or service not known",
  ENOTFOUND: "Name or service not known",
};

interface RawFailure {
  readonly error: Error;
  readonly url: URL;
  readonly isConnected: boolean;
  readonly isReused: boolean;
}

function describeFailure({ error, url, isConnected, isReused }: RawFailure): OutboundError {
  if (error instanceof OutboundError) {
    return error;
  }
  const code = "code" in error ? String(error.code) : "";
  const lookupText = lookupTexts[code];
  if (lookupText !== undefined) {
    return new OutboundError(`${url.hostname}: ${lookupText}`, { failure: "connect", cause: error });
  }
  if (!isConnected) {
    // Some TLS failures come as a line of OpenSSL internals with the plain words in the middle.
    const tlsReason = /:SSL routines:[^:]*:([^:]+)/.exec(error.message)?.[1];
    return cannotConnect(url, connectTexts[code] ?? tlsReason ?? (error.message || code), error);
  }
  const isClosed = code === "ECONNRESET" || code === "EPIPE";
  const text = error.message === "socket hang up" ? `${url.host} failed to respond` : "Connection reset";
  const options = { failure: "broken", cause: error } as const;
  if (isClosed && isReused) {
    return new StaleConnection(text, options);
  }
  return new OutboundError(isClosed ? text : error.message, options);
}

function groupHeaders(raw: readonly string[]): Record<string, string[]> {
  const spellings = new Map<string, string>();
  // Without a prototype: the names come from outside.
  const headers: Record<string, string[]> = Object.create(null);
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!;
    const spelling = spellings.get(name.toLowerCase()) ?? name;
    spellings.set(name.toLowerCase(), spelling);
    headers[spelling] = [...(headers[spelling] ?? []), raw[at + 1]!];
  }
  return headers;
}

const gunzipAsync = promisify(gunzip);
const brotliAsync = promisify(brotliDecompress);
const inflateAsync = promisify(inflate);
const inflateRawAsync = promisify(inflateRaw);

const decoders = new Map<string, (body: Buffer, limit: { maxOutputLength: number }) => Promise<Buffer>>([
  ["gzip", gunzipAsync],
  ["x-gzip", gunzipAsync],
  ["br", brotliAsync],
  // Some servers send the bare stream; the first byte of the wrapped form always ends in 8.
  ["deflate", (body, limit) => (body[0]! % 16 === 8 ? inflateAsync(body, limit) : inflateRawAsync(body, limit))],
]);

async function decompress(encoding: string, body: Buffer, maxBytes: number): Promise<Buffer> {
  const decode = decoders.get(encoding);
  if (decode === undefined) {
    return body;
  }
  try {
    return await decode(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof RangeError) {
      throw tooLarge(maxBytes);
    }
    const message = `Expected the response body to be ${encoding}, got something else`;
    throw new OutboundError(message, { failure: "broken", cause: error });
  }
}
