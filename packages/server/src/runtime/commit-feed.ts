import type { Changes, Work, WorkflowStatus } from "@downbeat/engine";

/** Something of an execution was committed: a transition, or a claim of one of its tasks. */
export type Committed =
  | {
      readonly kind: "changes";
      readonly changes: Changes;
      /** Undefined when the execution is new. */
      readonly statusBefore: WorkflowStatus | undefined;
    }
  | { readonly kind: "claim"; readonly id: string; readonly no: number; readonly work: Work };

type Listener = (committed: Committed) => void;

/**
 * Tells whoever asked what was committed, in order, after it is on disk. Without listeners it costs a look into an empty
 * map; a listener must not throw and must not take long.
 */
export class CommitFeed {
  readonly #ofExecution = new Map<string, Set<Listener>>();
  readonly #ofAll = new Set<Listener>();

  /** Gives a function that ends it. */
  watch(id: string, listener: Listener): () => void {
    const listeners = this.#ofExecution.get(id) ?? new Set();
    this.#ofExecution.set(id, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#ofExecution.get(id) === listeners) this.#ofExecution.delete(id);
    };
  }

  watchAll(listener: Listener): () => void {
    this.#ofAll.add(listener);
    return () => this.#ofAll.delete(listener);
  }

  publish(committed: Committed): void {
    if (this.#ofAll.size === 0 && this.#ofExecution.size === 0) return;
    const id = committed.kind === "changes" ? committed.changes.id : committed.id;
    for (const listener of this.#ofExecution.get(id) ?? []) listener(committed);
    for (const listener of this.#ofAll) listener(committed);
  }
}
