import { useSyncExternalStore } from "react";
import type { ExecutionsSearch } from "./search.ts";

/** A named set of filters and columns, kept in this browser. */
export type View = { readonly name: string; readonly search: ExecutionsSearch };

export const givenViews: readonly View[] = [
  { name: "Everything", search: {} },
  { name: "Running now", search: { status: "RUNNING" } },
  { name: "Failed in the last 24 hours", search: { status: "FAILED,TIMED_OUT", range: "24h" } },
  { name: "Paused", search: { status: "PAUSED" } },
  { name: "Slowest of the last 24 hours", search: { range: "24h", sort: "executionTime:DESC" } },
];

const KEY = "downbeat.views";
const listeners = new Set<() => void>();
let views = read();

export const useSavedViews = (): readonly View[] => useSyncExternalStore(subscribe, () => views);

/** One of the same name is replaced. */
export const saveView = (view: View): void =>
  write([...views.filter(({ name }) => name !== view.name), view].sort((a, b) => a.name.localeCompare(b.name)));

export const forgetView = (name: string): void => write(views.filter((view) => view.name !== name));

function write(next: readonly View[]): void {
  views = next;
  localStorage.setItem(KEY, JSON.stringify(next));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(): readonly View[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? (kept as View[]) : [];
  } catch {
    // Views that cannot be read are as good as none.
    return [];
  }
}
