import { useEffect, useEffectEvent, useSyncExternalStore } from "react";

/** Something a page offers to the command palette while it is on screen. */
export type Command = { readonly id: string; readonly label: string; readonly run: () => void };

const listeners = new Set<() => void>();
const offers = new Map<symbol, readonly Command[]>();
let all: readonly Command[] = [];

/** Offers commands while mounted. `key` changes when the list does. */
export function useOfferCommands(commands: readonly Command[], key: string): void {
  const current = useEffectEvent(() => commands);
  useEffect(() => {
    const offer = Symbol(key);
    offers.set(offer, current());
    publish();
    return () => {
      offers.delete(offer);
      publish();
    };
  }, [key]);
}

export const useCommands = (): readonly Command[] => useSyncExternalStore(subscribe, () => all);

function publish(): void {
  all = [...offers.values()].flat();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
