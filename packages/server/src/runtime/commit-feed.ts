import type { Changes, Head, Task, Work, WorkflowStatus } from "@downbeat/engine";

/** Something of an execution was committed: a transition, or a claim of one of its tasks. */
export type Committed =
  | {
      readonly kind: "changes";
      readonly changes: Changes;
      /** Undefined when the execution is new. */
      readonly statusBefore: WorkflowStatus | undefined;
    }
  | { readonly kind: "claim"; readonly id: string; readonly no: number; readonly work: Work }
  /** Another server wrote it: how the execution and the tasks it touched stand now. */
  | { readonly kind: "elsewhere"; readonly head: Head; readonly tasks: readonly Task[]; readonly hasNewStatus: boolean }
  /** Something may have been written that nobody told of. */
  | { readonly kind: "gap"; readonly id: string };

import type { Peers } from "./peers.ts";

type Listener = (committed: Committed) => void;

/**
 * Tells whoever asked what was committed, in order, after it is on disk. Without listeners it costs a look into an empty
 * map; a listener must not throw and must not take long.
 */
export class CommitFeed {
  readonly #peers: Pick<Peers, "watch" | "unwatch">;
  readonly #ofExecution = new Map<string, Set<Listener>>();
  readonly #ofAll = new Set<Listener>();
  readonly #ofOwn = new Set<Listener>();

  constructor(peers: Pick<Peers, "watch" | "unwatch">) {
    this.#peers = peers;
  }

  /** Resolves when every later commit will be told of, with a function that ends it. */
  async watch(id: string, listener: Listener): Promise<() => void> {
    const listeners = this.#ofExecution.get(id) ?? new Set();
    this.#ofExecution.set(id, listeners.add(listener));
    const end = () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#ofExecution.get(id) !== listeners) return;
      this.#ofExecution.delete(id);
      this.#peers.unwatch(id);
    };
    await this.#peers.watch(id).catch((error: unknown) => {
      end();
      throw error;
    });
    return end;
  }

  async watchAll(listener: Listener): Promise<() => void> {
    this.#ofAll.add(listener);
    const end = () => {
      this.#ofAll.delete(listener);
      if (this.#ofAll.size === 0) this.#peers.unwatch(EVERY);
    };
    await this.#peers.watch(EVERY).catch((error: unknown) => {
      end();
      throw error;
    });
    return end;
  }

  /** Only what this server itself commits. */
  watchOwn(listener: Listener): () => void {
    this.#ofOwn.add(listener);
    return () => this.#ofOwn.delete(listener);
  }

  isWatched(id: string): boolean {
    return this.#ofAll.size > 0 || this.#ofExecution.has(id);
  }

  /** Whoever waits for a commit had better look. */
  wakeAll(): void {
    for (const id of [...this.#ofExecution.keys()]) this.publish({ kind: "gap", id });
  }

  publish(committed: Committed): void {
    if (committed.kind === "changes" || committed.kind === "claim")
      for (const listener of this.#ofOwn) listener(committed);
    if (this.#ofAll.size === 0 && this.#ofExecution.size === 0) return;
    const id = idOf(committed);
    for (const listener of this.#ofExecution.get(id) ?? []) listener(committed);
    for (const listener of this.#ofAll) listener(committed);
  }
}

/** How the store is told that all executions are watched. */
const EVERY = "*";

function idOf(committed: Committed): string {
  if (committed.kind === "changes") return committed.changes.id;
  return committed.kind === "elsewhere" ? committed.head.id : committed.id;
}
