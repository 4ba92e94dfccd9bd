import { setTimeout as wait } from "node:timers/promises";

/** Epoch milliseconds. */
export const now = (): number => Date.now();

/** Up to so many milliseconds, so that those who wait for the same thing do not come back together. */
export const jitter = (mostMs: number): number => Math.floor(Math.random() * mostMs);

/** Rejects when the signal aborts first. */
export const pause = (delayMs: number, signal: AbortSignal | undefined): Promise<void> =>
  wait(delayMs, undefined, signal === undefined ? {} : { signal });

/** A signal that aborts after so long, unless it is cleared: a call that is over leaves no timer behind. */
export function startDeadline(ms: number): { readonly signal: AbortSignal; readonly clear: () => void } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error(`Took longer than ${ms} ms`)), ms);
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}
