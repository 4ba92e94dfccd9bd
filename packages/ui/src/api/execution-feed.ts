import { useEffect, useMemo, useSyncExternalStore } from "react";
import { path, toUrl } from "./client.ts";
import { listen, type StreamState } from "./server-events.ts";
import type { ExecutionState, TaskState } from "./types.ts";

/** How an execution and its tasks stand, as its event stream tells. */
export type Feed = {
  readonly stream: StreamState;
  readonly execution: ExecutionState | undefined;
  /** By their place in the execution. */
  readonly tasks: readonly TaskState[];
};

/**
 * Events are gathered this long before anyone is told: ten thousand tasks arrive as ten thousand events. The more there
 * are, the longer: drawing ten thousand tasks ten times a second would be all that a browser does.
 */
const GATHER_MS = 60;
const GATHER_MS_PER_TASK = 0.05;
const endedStatuses = new Set(["COMPLETED", "FAILED", "TIMED_OUT", "TERMINATED"]);

/** Follows an execution while mounted. `reload` reads everything anew. */
export function useExecutionFeed(id: string): Feed & { readonly reload: () => void } {
  const feed = useMemo(() => new ExecutionFeed(id), [id]);
  useEffect(() => {
    feed.open();
    return () => feed.close();
  }, [feed]);
  const current = useSyncExternalStore(feed.subscribe, feed.get);
  return useMemo(() => ({ ...current, reload: () => feed.open() }), [current, feed]);
}

class ExecutionFeed {
  readonly #url: string;
  readonly #listeners = new Set<() => void>();
  #stop: (() => void) | undefined;
  #gathering: ReturnType<typeof setTimeout> | undefined;
  #tasks = new Map<string, TaskState>();
  #execution: ExecutionState | undefined;
  #current: Feed = { stream: "connecting", execution: undefined, tasks: [] };

  constructor(id: string) {
    this.#url = toUrl({ path: path`/workflow/${id}/stream` });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly get = (): Feed => this.#current;

  open(): void {
    this.close();
    // What is shown stays until the new stream has told how things stand.
    this.#tasks = new Map();
    this.#stop = listen(this.#url, {
      onState: (stream) => this.#publish({ stream }),
      onEvents: (events) => {
        for (const { event, data } of events) {
          if (event === "task") this.#tasks.set((data as TaskState).taskId, data as TaskState);
          else if (event === "workflow" && this.#hasComeBack(data as ExecutionState)) return;
        }
        this.#gather();
      },
    });
  }

  close(): void {
    this.#stop?.();
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
  }

  /** Restarted, retried or run again: some of its tasks are gone, and no event says which. Then all is read anew. */
  #hasComeBack(execution: ExecutionState): boolean {
    const before = this.#execution?.status;
    this.#execution = execution;
    const hasComeBack = before !== undefined && endedStatuses.has(before) && !endedStatuses.has(execution.status);
    if (hasComeBack) this.open();
    return hasComeBack;
  }

  #gather(): void {
    this.#gathering ??= setTimeout(
      () => {
        this.#gathering = undefined;
        const tasks = [...this.#tasks.values()].sort((a, b) => a.seq - b.seq);
        this.#publish({ execution: this.#execution, tasks });
      },
      GATHER_MS + GATHER_MS_PER_TASK * this.#tasks.size,
    );
  }

  #publish(change: Partial<Feed>): void {
    this.#current = { ...this.#current, ...change };
    for (const listener of this.#listeners) listener();
  }
}
