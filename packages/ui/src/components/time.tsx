import { useSyncExternalStore } from "react";
import { usePreferences } from "../app/preferences.ts";
import { formatAgo, formatDuration, formatTime, zoneName } from "../lib/format.ts";

type Props = { readonly at: number; readonly withMs?: boolean; readonly withDate?: boolean };

/** A moment in the chosen zone; how long ago it was on hover. */
export function Time({ at, withMs = false, withDate = true }: Props) {
  const { timeZone } = usePreferences();
  if (!at) return <span className="text-faint">–</span>;
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={`${formatTime(at, timeZone, { withMs: true })} ${zoneName(timeZone, at)}`}
      className="whitespace-nowrap tabular-nums"
    >
      {formatTime(at, timeZone, { withMs, withDate })}
    </time>
  );
}

/** How long ago, kept current. */
export function Ago({ at }: { readonly at: number }) {
  const now = useNow();
  const { timeZone } = usePreferences();
  if (!at) return <span className="text-faint">–</span>;
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={`${formatTime(at, timeZone, { withMs: true })} ${zoneName(timeZone, at)}`}
      className="whitespace-nowrap tabular-nums"
    >
      {formatAgo(at, now)}
    </time>
  );
}

/** From one moment to another; still growing when there is no end yet. */
export function Duration({ from, to }: { readonly from: number; readonly to: number }) {
  if (!from) return <span className="text-faint">–</span>;
  if (to) return <span className="whitespace-nowrap tabular-nums">{formatDuration(to - from)}</span>;
  return <Growing from={from} />;
}

function Growing({ from }: { readonly from: number }) {
  return <span className="whitespace-nowrap tabular-nums">{formatDuration(Math.max(0, useNow() - from))}</span>;
}

const TICK_MS = 1000;
const listeners = new Set<() => void>();
let now = Date.now();
let ticking: ReturnType<typeof setInterval> | undefined;

/** The time, to the second; one clock for all who look. */
export const useNow = (): number => useSyncExternalStore(watchClock, () => now);

function watchClock(listener: () => void): () => void {
  listeners.add(listener);
  if (ticking === undefined) now = Date.now();
  ticking ??= setInterval(() => {
    now = Date.now();
    for (const one of listeners) one();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}
