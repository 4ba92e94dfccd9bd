import { Agent, type Response as AgentResponse, fetch as send } from "undici";
import { checkedLookup, checkLiteralAddress, type RefuseTarget, type ResolveHost } from "./address-policy.ts";
import { OutboundError } from "./outbound-error.ts";
import { hidePassword } from "./request-url.ts";

export type FetchRules = {
  /** Ends the sentence "Outbound access denied: …" for a URL that may not be asked at all: before its name is looked up. */
  readonly refuseUrl?: (url: URL) => string | undefined;
  /** Asked for every address before it is connected to. Metadata addresses are always refused. */
  readonly refuse: RefuseTarget;
};

export type GuardedFetchOptions = FetchRules & {
  readonly connectTimeoutMs: number;
  /** Longest silence of the other side, before its answer and within it; 0 means no limit. */
  readonly readTimeoutMs: number;
  /** Whom to ask for the addresses of a name, instead of the system. */
  readonly resolve?: ResolveHost;
};

export type GuardedFetch = {
  /**
   * As the global fetch, with the rules in front of every hop. Redirects: at most five, method and body kept on all but
   * 303, headers of the caller left behind when the origin changes. Rejects with OutboundError, or with the reason of its
   * signal.
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  readonly close: () => Promise<void>;
};

/** The way out for calls whose target a definition may choose. Its connections are its own: one that is reused was allowed. */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const agent = new Agent({
    connect: {
      timeout: options.connectTimeoutMs,
      lookup: (hostname, lookup, callback) =>
        checkedLookup(new URL(`http://${hostname}`), options.refuse, options.resolve)(hostname, lookup, callback),
    },
    headersTimeout: options.readTimeoutMs,
    bodyTimeout: options.readTimeoutMs,
  });

  async function guardedFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const redirect = init.redirect ?? (input instanceof Request ? input.redirect : "follow");
    let hop = await firstHop(input, init);
    for (let redirects = 0; ; redirects += 1) {
      const response = await sendOnce(hop);
      const location = redirectOf(response);
      if (location === undefined || redirect === "manual") return response;
      await response.body?.cancel();
      if (redirect === "error" || redirects === MAX_REDIRECTS) {
        throw new OutboundError(
          redirect === "error" ? "A redirect is not followed here" : `Maximum redirects (${MAX_REDIRECTS}) exceeded`,
          { failure: "too-many-redirects" },
        );
      }
      hop = nextHop(hop, response.status, location);
    }
  }

  async function sendOnce({ url, method, headers, body, signal }: Hop): Promise<Response> {
    checkUrl(url, options);
    try {
      const response = await send(url, {
        method,
        headers: [...headers],
        redirect: "manual",
        dispatcher: agent,
        signal,
        ...(body === undefined ? {} : { body }),
      });
      return asGlobal(response);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw describe(url, error);
    }
  }

  return { fetch: guardedFetch, close: () => agent.destroy() };
}

/** Throws when the URL alone shows that it may not be asked. */
export function checkUrl(url: URL, { refuseUrl, refuse }: FetchRules): void {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    const message = `Expected an http or https URL, got "${hidePassword(url.href)}"`;
    throw new OutboundError(message, { failure: "invalid-request" });
  }
  const reason = refuseUrl?.(url);
  if (reason !== undefined) throw new OutboundError(`Outbound access denied: ${reason}`, { failure: "refused" });
  checkLiteralAddress(url, refuse);
}

type Hop = {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array | undefined;
  readonly signal: AbortSignal;
};

const MAX_REDIRECTS = 5;

/** Headers that say what is wanted, not who asks: they may cross to another origin. */
const plainHeaders: ReadonlySet<string> = new Set(["accept", "accept-language", "content-type", "user-agent"]);

async function firstHop(input: string | URL | Request, init: RequestInit): Promise<Hop> {
  const text = input instanceof Request ? input.url : String(input);
  const url = URL.parse(text);
  if (url === null) {
    throw new OutboundError(`Expected an http or https URL, got "${hidePassword(text)}"`, {
      failure: "invalid-request",
    });
  }
  const credentials = url.username === "" ? undefined : basicAuthorization(url);
  url.username = "";
  url.password = "";
  const request = readRequest(input instanceof Request ? input : url, init);
  if (request === undefined) {
    const message = "Expected a method, headers and a body that HTTP can carry";
    throw new OutboundError(message, { failure: "invalid-request" });
  }
  const headers = new Headers(request.headers);
  if (credentials !== undefined && !headers.has("authorization")) headers.set("authorization", credentials);
  // Read whole, so that it can be sent again after a redirect.
  const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
  return { url, method: request.method, headers, body, signal: request.signal };
}

/** Undefined for what HTTP cannot carry: the error of the platform shows the value, which may be a credential. */
function readRequest(input: URL | Request, init: RequestInit): Request | undefined {
  try {
    return new Request(input, init);
  } catch {
    return;
  }
}

function basicAuthorization({ username, password }: URL): string {
  const pair = [username, password].map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      // A stray percent sign: the text stands for itself.
      return part;
    }
  });
  return `Basic ${Buffer.from(pair.join(":")).toString("base64")}`;
}

function redirectOf({ status, headers }: Response): string | undefined {
  return [301, 302, 303, 307, 308].includes(status) ? (headers.get("location") ?? undefined) : undefined;
}

function nextHop(hop: Hop, status: number, location: string): Hop {
  const url = URL.parse(location, hop.url.href);
  if (url === null) {
    throw new OutboundError("Expected the Location of a redirect to be a URL", { failure: "invalid-request" });
  }
  // Those of another place are none of ours.
  url.username = "";
  url.password = "";
  const isSame = url.origin === hop.url.origin;
  const headers = new Headers([...hop.headers].filter(([name]) => isSame || plainHeaders.has(name)));
  if (status !== 303 || hop.method === "HEAD") return { ...hop, url, headers };
  headers.delete("content-type");
  return { ...hop, url, headers, method: "GET", body: undefined };
}

/** The package's answers are of a class of their own, which others do not take for one. */
function asGlobal({ status, statusText, headers, body }: AgentResponse): Response {
  const hasNoBody = status === 204 || status === 205 || status === 304;
  return new Response(hasNoBody ? null : body, { status, statusText, headers: [...headers] });
}

function describe(url: URL, error: unknown): OutboundError {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutboundError) return cause;
    if (cause.cause === undefined) {
      const code = "code" in cause ? String(cause.code) : "";
      const failure = code.endsWith("_TIMEOUT") && !code.includes("CONNECT") ? "read-timeout" : "connect";
      const why = cause.message || code;
      return new OutboundError(`Request to ${url.origin} failed: ${why}`, { failure, cause: error });
    }
  }
  return new OutboundError(`Request to ${url.origin} failed: ${String(error)}`, { failure: "broken", cause: error });
}
