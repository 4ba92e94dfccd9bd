import { OutboundError } from "@downbeat/server";
import { TerminalError } from "../errors.ts";

type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

export type McpFetch = {
  readonly fetch: Fetch;
  /** Why the last call failed, in words for people: the transports tell less. */
  readonly failure: () => Error | undefined;
};

const MAX_REDIRECTS = 5;
const MAX_BYTES = 10 * 1024 * 1024;
const credentials = ["authorization", "cookie", "proxy-authorization"];

/** A fetch for one exchange with an MCP server: redirects are posted again, within limits, and never with credentials to a stranger. */
export function createMcpFetch(send: Fetch): McpFetch {
  let failure: Error | undefined;

  async function follow(input: string | URL, init: RequestInit = {}): Promise<Response> {
    let url = new URL(input);
    for (let redirects = 0; ; redirects += 1) {
      const response = await send(url, { ...init, redirect: "manual" });
      if (![301, 302, 303, 307, 308].includes(response.status)) return response;
      await response.body?.cancel();
      if (redirects === MAX_REDIRECTS) throw new Error("MCP server exceeded the redirect limit");
      url = redirectTarget(response, url, new Headers(init.headers));
    }
  }

  return {
    failure: () => failure,
    async fetch(input, init = {}) {
      try {
        const response = await follow(input, init);
        if (response.ok) return limited(response, (error) => (failure = error));
        const text = await textOf(response);
        // Servers without a stream of their own answer so; it is no failure.
        if (init.method === "POST") failure = new HttpFailure(response.status, text);
        return new Response(text, { status: response.status, headers: response.headers });
      } catch (error) {
        if (!init.signal?.aborted && error instanceof Error) failure = error;
        throw error;
      }
    },
  };
}

/** An answer with a status that says no. */
export class HttpFailure extends Error {
  readonly status: number;

  constructor(status: number, body: string) {
    super(`HTTP ${status} error from MCP server: ${body}`);
    this.status = status;
  }
}

/** True of failures that no other way of asking can mend. */
export const isFinal = (error: unknown): boolean => error instanceof TerminalError || error instanceof OutboundError;

function redirectTarget(response: Response, from: URL, headers: Headers): URL {
  const location = response.headers.get("location");
  const url = location === null ? null : URL.parse(location, from.href);
  if (url === null) throw new Error("MCP server returned a redirect without a valid Location");
  if (url.origin !== from.origin && credentials.some((name) => headers.has(name))) {
    throw new Error("Refusing to forward credentials across an MCP redirect");
  }
  return url;
}

/** The same answer, cut off when it grows beyond what is read. */
function limited(response: Response, onFailure: (error: Error) => void): Response {
  if (response.body === null) return response;
  let size = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.length;
        if (size <= MAX_BYTES) {
          controller.enqueue(chunk);
          return;
        }
        const error = new Error("MCP response exceeds the 10 MiB payload limit");
        onFailure(error);
        controller.error(error);
      },
    }),
  );
  return new Response(counted, { status: response.status, headers: response.headers });
}

async function textOf(response: Response): Promise<string> {
  try {
    return (await limited(response, () => undefined).text()).slice(0, 2000);
  } catch {
    // The status says enough.
    return "";
  }
}
