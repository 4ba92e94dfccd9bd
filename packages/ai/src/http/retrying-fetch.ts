import { OutboundError } from "@downbeat/server";
import { TerminalError } from "../errors.ts";
import { jitter, now, pause } from "./clock.ts";
import { retryAfterSeconds } from "./retry-after.ts";

export type RetryOptions = {
  /** Tries beyond the first. */
  readonly maxRetries: number;
  /** Makes one try. */
  readonly send: (input: Parameters<typeof fetch>[0], init: RequestInit) => Promise<Response>;
  /** unsent: only what the other side cannot have acted on, for calls that may not be made twice. */
  readonly repeats?: "any" | "unsent";
  /** Told of every try that is made again. */
  readonly onRetry?: (why: string, delayMs: number) => void;
};

const LONGEST_DELAY_MS = 30_000;
const JITTER_MS = 500;

/**
 * A fetch that tries again after 429, after 5xx except 501, and when there is no answer at all. Redirects are not
 * followed unless asked for: a key in a header of a provider's own would follow them anywhere. Who asks to be left alone
 * for longer than half a minute is: the task's next attempt waits for that, in the database and not in memory.
 */
export function retryingFetch({ maxRetries, send, repeats = "any", onRetry }: RetryOptions): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const signal = init.signal ?? undefined;
    const options = { redirect: "manual" as const, ...init };
    const canRepeat = !(init.body instanceof ReadableStream);
    for (let tries = 0; ; tries += 1) {
      const outcome = await attempt(() => send(input, options));
      if (tries >= maxRetries || !canRepeat || !isWorthRepeating(outcome, repeats) || signal?.aborted === true) {
        if (outcome instanceof Response) return outcome;
        throw outcome.error;
      }
      const delayMs = delayBefore(tries, outcome);
      onRetry?.(outcome instanceof Response ? `status ${outcome.status}` : String(outcome.error), delayMs);
      if (outcome instanceof Response) await outcome.body?.cancel();
      await pause(delayMs, signal);
    }
  };
}

type Outcome = Response | { readonly error: unknown };

async function attempt(send: () => Promise<Response>): Promise<Outcome> {
  try {
    return await send();
  } catch (error) {
    return { error };
  }
}

function isWorthRepeating(outcome: Outcome, repeats: "any" | "unsent"): boolean {
  if (!(outcome instanceof Response)) {
    const { error } = outcome;
    if (repeats === "unsent") return error instanceof OutboundError && error.failure === "connect";
    return !(error instanceof TerminalError);
  }
  const isFailure = repeats === "any" && outcome.status >= 500 && outcome.status !== 501;
  return (outcome.status === 429 || isFailure) && (askedDelayMs(outcome) ?? 0) <= LONGEST_DELAY_MS;
}

function delayBefore(tries: number, outcome: Outcome): number {
  const asked = outcome instanceof Response ? askedDelayMs(outcome) : undefined;
  return Math.min(asked ?? 1000 * 2 ** tries, LONGEST_DELAY_MS) + jitter(JITTER_MS);
}

function askedDelayMs({ headers }: Response): number | undefined {
  const seconds = retryAfterSeconds(headers.get("retry-after"), now());
  return seconds === undefined ? undefined : seconds * 1000;
}
