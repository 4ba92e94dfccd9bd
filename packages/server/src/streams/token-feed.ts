/** A piece of a model's reply, told while the reply is still coming. The stored result does not depend on it. */
export type Token = {
  readonly executionId: string;
  readonly taskId: string;
  readonly referenceTaskName: string;
  readonly kind: "text" | "reasoning";
  readonly delta: string;
};

type Listener = (token: Token) => void;

/** Tokens as they come, for those who watch an execution. In memory only: whoever comes late has missed them. */
export class TokenFeed {
  readonly #listeners = new Map<string, Set<Listener>>();

  /** Whether anyone would hear of this execution's tokens. */
  isWatched(executionId: string): boolean {
    return this.#listeners.has(executionId);
  }

  publish(token: Token): void {
    for (const listener of this.#listeners.get(token.executionId) ?? []) listener(token);
  }

  /** Gives the way to stop. */
  watch(executionId: string, listener: Listener): () => void {
    let listeners = this.#listeners.get(executionId);
    if (listeners === undefined) {
      listeners = new Set();
      this.#listeners.set(executionId, listeners);
    }
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(executionId) === listeners) this.#listeners.delete(executionId);
    };
  }
}
