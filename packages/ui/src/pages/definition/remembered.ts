import type { JsonObject } from "../../api/types.ts";

/** What a workflow was started with from this browser. */
export type RememberedRun = { readonly at: number; readonly input: JsonObject; readonly correlationId?: string };

const MOST = 8;
const keyOf = (name: string): string => `downbeat.runs.${name}`;

/** Newest first. */
export function readRuns(name: string): readonly RememberedRun[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(name)) ?? "[]");
    return Array.isArray(kept) ? (kept as RememberedRun[]) : [];
  } catch {
    // Something else wrote there.
    return [];
  }
}

/** The same input is kept once. */
export function rememberRun(name: string, run: RememberedRun): void {
  const same = JSON.stringify(run.input);
  const others = readRuns(name).filter(({ input }) => JSON.stringify(input) !== same);
  localStorage.setItem(keyOf(name), JSON.stringify([run, ...others].slice(0, MOST)));
}
