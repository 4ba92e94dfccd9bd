import { isJsonObject, type JsonObject } from "@downbeat/engine";
import { TerminalError } from "../errors.ts";
import { readBytes } from "../outbound/read-bytes.ts";

export type SpecRequest = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: (url: URL, init: RequestInit) => Promise<Response>;
  readonly signal: AbortSignal;
};

const MAX_BYTES = 10 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

const wellKnown = [
  "/openapi.json",
  "/swagger.json",
  "/v3/api-docs",
  "/swagger/v1/swagger.json",
  "/api-docs",
  "/.well-known/openapi.json",
];

/** The description of an API: at its URL, or where such are found on its origin. Undefined when there is none. */
export async function findSpec(request: SpecRequest): Promise<JsonObject | undefined> {
  for (const url of [request.url, ...wellKnown.map((path) => new URL(path, request.url))]) {
    const found = await loadSpec({ ...request, url });
    if (found !== undefined) return found;
  }
  return;
}

async function loadSpec({ url, headers, fetch, signal }: SpecRequest): Promise<JsonObject | undefined> {
  try {
    const response = await fetch(url, {
      headers: { accept: "application/json", ...headers },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      return;
    }
    const value: unknown = JSON.parse(Buffer.from(await readBytes(response, MAX_BYTES)).toString("utf8"));
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    signal.throwIfAborted();
    // What is refused is refused at every path; anything else may be right at the next.
    if (error instanceof TerminalError) throw error;
    return;
  }
}
