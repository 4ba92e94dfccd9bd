import { useState } from "react";
import { useEventStream } from "./event-stream.ts";
import type { StreamState } from "./server-events.ts";

export type Minute = {
  readonly at: number;
  readonly started: number;
  readonly completed: number;
  readonly failed: number;
  readonly terminated: number;
};

export type QueuePulse = {
  readonly name: string;
  readonly size: number;
  readonly oldestWaitMs: number;
  readonly lastPollTime: number;
  readonly workerId: string;
};

export type DefinitionPulse = {
  readonly name: string;
  readonly ended: number;
  readonly failed: number;
  readonly averageMs: number;
  readonly longestMs: number;
};

export type Overview = {
  readonly now: number;
  readonly since: number;
  readonly running: number;
  readonly paused: number;
  readonly waiting: number;
  readonly nextTimer: number;
  readonly minutes: readonly Minute[];
  readonly queues: readonly QueuePulse[];
  readonly definitions: readonly DefinitionPulse[];
};

/** How the server is doing, as it tells. */
export function useOverview(): { readonly overview: Overview | undefined; readonly stream: StreamState } {
  const [overview, setOverview] = useState<Overview>();
  const stream = useEventStream("/api/admin/overview/stream", { overview: (told) => setOverview(told as Overview) });
  return { overview, stream };
}
