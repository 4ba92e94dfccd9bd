import { useEffect, useEffectEvent, useState } from "react";

/** How a stream stands: shown beside what it feeds, so that nobody trusts a picture that has stopped. */
export type StreamState = "connecting" | "live" | "lost";

type Listeners = Readonly<Record<string, (data: unknown) => void>>;

/**
 * Listens to a stream of the server while mounted. `url` undefined: to none. The browser reconnects by itself and says
 * what it saw last; what the server refuses for good (an execution that is gone) stays "lost".
 */
export function useEventStream(url: string | undefined, listeners: Listeners): StreamState {
  const [state, setState] = useState<StreamState>("connecting");
  const names = Object.keys(listeners).join(" ");
  const hear = useEffectEvent((name: string, data: string) => {
    listeners[name]?.(JSON.parse(data));
  });
  useEffect(() => {
    if (url === undefined) return;
    setState("connecting");
    const source = new EventSource(url);
    source.onopen = () => setState("live");
    source.onerror = () => setState(source.readyState === EventSource.CLOSED ? "lost" : "connecting");
    for (const name of names.split(" ")) {
      source.addEventListener(name, (event) => hear(name, (event as MessageEvent<string>).data));
    }
    return () => source.close();
  }, [url, names]);
  return state;
}
