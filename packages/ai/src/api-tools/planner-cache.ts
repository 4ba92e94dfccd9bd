import { createHash } from "node:crypto";
import { readBytes } from "../outbound/read-bytes.ts";

export type PlannerDocument = { readonly body: string; readonly statusCode: number };

export type PlannerRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly ttlMs: number;
  readonly signal: AbortSignal;
};

type Entry = { readonly document: PlannerDocument; readonly etag: string | undefined; readonly storedAt: number };

const MOST_ENTRIES = 1024;
const MAX_BYTES = 10 * 1024 * 1024;
/** Of all that is kept: documents may be large, and there may be many. */
const MOST_CHARACTERS = 32 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** Documents that planners read again and again: kept for a while, then asked for by their tag. */
export class PlannerCache {
  readonly #fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly #now: () => number;
  /** By URL and headers: what one may read another may not. The oldest use is first. */
  readonly #entries = new Map<string, Entry>();
  #characters = 0;

  constructor(fetch: (url: string, init: RequestInit) => Promise<Response>, now: () => number) {
    this.#fetch = fetch;
    this.#now = now;
  }

  async load(request: PlannerRequest): Promise<PlannerDocument & { readonly isHit: boolean }> {
    const key = keyOf(request);
    const known = this.#entries.get(key);
    if (known !== undefined && this.#now() - known.storedAt < request.ttlMs) {
      this.#keep(key, known);
      return { ...known.document, isHit: true };
    }
    const response = await this.#ask(request, known?.etag);
    if (response.status === 304 && known !== undefined) {
      await response.body?.cancel();
      this.#keep(key, { ...known, storedAt: this.#now() });
      return { ...known.document, isHit: true };
    }
    const body = Buffer.from(await readBytes(response, MAX_BYTES)).toString("utf8");
    const document = { body, statusCode: response.status };
    if (response.ok) {
      this.#keep(key, { document, etag: response.headers.get("etag") ?? undefined, storedAt: this.#now() });
    }
    return { ...document, isHit: false };
  }

  #ask({ url, headers, signal }: PlannerRequest, etag: string | undefined): Promise<Response> {
    return this.#fetch(url, {
      headers: { accept: "*/*", ...headers, ...(etag === undefined ? {} : { "if-none-match": etag }) },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
  }

  #keep(key: string, entry: Entry): void {
    this.#forget(key);
    this.#entries.set(key, entry);
    this.#characters += entry.document.body.length;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MOST_ENTRIES && this.#characters <= MOST_CHARACTERS) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#characters -= this.#entries.get(key)?.document.body.length ?? 0;
    this.#entries.delete(key);
  }
}

function keyOf({ url, headers }: PlannerRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return createHash("sha256")
    .update(JSON.stringify([url, lines.toSorted()]))
    .digest("hex");
}
