import { useSyncExternalStore } from "react";

const PREFIX = "downbeat.draft.";
const drafts = new Map<string, string>();
const listeners = new Set<() => void>();

/** What was written and not saved, under a key: it outlives a change of view and a reload, until the tab is closed. */
export function useDraft(key: string, saved: string) {
  const kept = useSyncExternalStore(subscribe, () => read(key));
  return {
    text: kept ?? saved,
    isChanged: kept !== undefined && kept !== saved,
    set: (text: string) => keep(key, text === saved ? undefined : text),
    discard: () => keep(key, undefined),
  };
}

const read = (key: string): string | undefined => drafts.get(key) ?? sessionStorage.getItem(PREFIX + key) ?? undefined;

function keep(key: string, text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(PREFIX + key);
    else sessionStorage.setItem(PREFIX + key, text);
  } catch {
    // More than the browser keeps: then it lives as long as the page.
  }
  if (text === undefined) drafts.delete(key);
  else drafts.set(key, text);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
