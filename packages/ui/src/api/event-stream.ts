import { useEffect, useEffectEvent, useState } from "react";
import { listen, type StreamState } from "./server-events.ts";

type Listeners = Readonly<Record<string, (data: unknown) => void>>;

/** Listens to a stream of the server while mounted; a listener per name of event. */
export function useEventStream(url: string, listeners: Listeners): StreamState {
  const [state, setState] = useState<StreamState>("connecting");
  const hear = useEffectEvent((name: string, data: unknown) => listeners[name]?.(data));
  useEffect(
    () =>
      listen(url, {
        onState: setState,
        onEvents: (events) => {
          for (const { event, data } of events) hear(event, data);
        },
      }),
    [url],
  );
  return state;
}
