import { APICallError } from "@ai-sdk/provider";
import { RetryLaterError, TerminalError } from "../errors.ts";
import { now, startDeadline } from "../http/clock.ts";
import { retryAfterSeconds } from "../http/retry-after.ts";
import { ProviderRefusal } from "./answers.ts";
import type { FailureWords } from "./provider.ts";
import type { OpenProvider } from "./providers.ts";

type Call<T> = {
  readonly provider: Pick<OpenProvider, "slots" | "timeoutMs" | "secrets">;
  readonly words: FailureWords;
  readonly signal: AbortSignal;
  readonly work: (signal: AbortSignal) => Promise<T>;
};

/** One call of a provider: in its turn, within its time, and with its failures told in the interface's words. */
export async function callProvider<T>({ provider, words, signal, work }: Call<T>): Promise<T> {
  const { slots, timeoutMs, secrets } = provider;
  return await slots.run(signal, async () => {
    const deadline = startDeadline(timeoutMs);
    try {
      return await work(AbortSignal.any([signal, deadline.signal]));
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.signal.aborted) throw tookTooLong(words, timeoutMs);
      const refusal = refusalIn(error);
      if (refusal !== undefined) throw refusal;
      throw describeFailure(error, words, secrets);
    } finally {
      deadline.clear();
    }
  });
}

/** What may not be reached is refused however often it is tried. */
function refusalIn(error: unknown): TerminalError | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if (at instanceof TerminalError) return at;
  }
  return;
}

const tookTooLong = ({ call }: FailureWords, timeoutMs: number): Error =>
  new Error(`${call}: no answer within ${timeoutMs / 1000} s`);

function describeFailure(error: unknown, words: FailureWords, secrets: readonly string[]): Error {
  const { text, retryAfter } = read(error, words);
  const message = secrets.reduce((masked, secret) => masked.replaceAll(secret, "********"), `${words.call}: ${text}`);
  const delaySeconds = retryAfterSeconds(retryAfter, now());
  return delaySeconds === undefined ? new Error(message) : new RetryLaterError(message, delaySeconds);
}

function read(
  error: unknown,
  words: FailureWords,
): { readonly text: string; readonly retryAfter?: string | undefined } {
  if (
    APICallError.isInstance(error) &&
    error.statusCode !== undefined &&
    (error.statusCode < 200 || error.statusCode > 299)
  ) {
    const text = `${words.api} ${error.statusCode}: ${error.responseBody ?? error.message}`;
    return { text, retryAfter: error.responseHeaders?.["retry-after"] };
  }
  if (error instanceof ProviderRefusal) return { text: error.message, retryAfter: error.retryAfter };
  return { text: withCauses(error) };
}

/** "fetch failed" alone tells nobody anything: what lies under it does. */
function withCauses(error: unknown): string {
  const texts: string[] = [];
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const text = at.message === "" && "code" in at ? String(at.code) : at.message;
    if (text !== "" && !texts.some((known) => known.includes(text))) texts.push(text);
  }
  return texts.length === 0 ? String(error) : texts.join(": ");
}

/** True of a refusal that names the temperature, which some models do not take. */
export const isAboutTemperature = (error: unknown): boolean =>
  APICallError.isInstance(error) && error.statusCode === 400 && /temperature/i.test(error.responseBody ?? "");
