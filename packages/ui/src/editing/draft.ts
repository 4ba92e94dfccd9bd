import { useSyncExternalStore } from "react";

const PREFIX = "downbeat.draft.";
const listeners = new Set<() => void>();

/** What was written and not saved, under a key: it outlives a change of view and a reload, until the tab is closed. */
export function useDraft(key: string, saved: string) {
  const kept = useSyncExternalStore(subscribe, () => sessionStorage.getItem(PREFIX + key));
  return {
    text: kept ?? saved,
    isChanged: kept !== null && kept !== saved,
    set: (text: string) => {
      if (text === saved) sessionStorage.removeItem(PREFIX + key);
      else sessionStorage.setItem(PREFIX + key, text);
      tell();
    },
    discard: () => {
      sessionStorage.removeItem(PREFIX + key);
      tell();
    },
  };
}

function tell(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
