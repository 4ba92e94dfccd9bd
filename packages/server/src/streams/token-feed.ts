import type { Peers } from "../runtime/peers.ts";
import { TokenPeers } from "./token-peers.ts";

/** A piece of a model's reply, told while the reply is still coming. The stored result does not depend on it. */
export type Token = {
  readonly executionId: string;
  readonly taskId: string;
  readonly referenceTaskName: string;
  readonly kind: "text" | "reasoning";
  readonly delta: string;
};

type Listener = (token: Token) => void;

/**
 * Tokens as they come, for those who watch an execution, here or at another server. In memory only: whoever comes late
 * has missed them.
 */
export class TokenFeed {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #peers: TokenPeers;

  constructor(peers: Pick<Peers, "tellToken" | "tellTokenWatch">) {
    this.#peers = new TokenPeers(peers);
  }

  /** Whether anyone would hear of this execution's tokens. */
  isWatched(executionId: string): boolean {
    return this.#listeners.has(executionId) || this.#peers.isWatched(executionId);
  }

  publish(token: Token): void {
    this.#tell(token);
    if (this.#peers.isWatched(token.executionId)) this.#peers.send(token);
  }

  /** Gives the way to stop. */
  watch(executionId: string, listener: Listener): () => void {
    let listeners = this.#listeners.get(executionId);
    if (listeners === undefined) {
      listeners = new Set();
      this.#listeners.set(executionId, listeners);
      this.#peers.ask(executionId, true);
    }
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#listeners.get(executionId) !== listeners) return;
      this.#listeners.delete(executionId);
      this.#peers.ask(executionId, false);
    };
  }

  /** Another server wants to hear of an execution's tokens, or no longer. */
  onAsked(node: string, executionId: string, isWatched: boolean): void {
    this.#peers.onAsked(node, executionId, isWatched);
  }

  /** Another server tells. */
  onToken(node: string, number: number, token: Token): void {
    if (this.#peers.isNext(node, number)) this.#tell(token);
  }

  /** Others may not have heard what this server wants, or have forgotten. */
  askAgain(): void {
    for (const id of this.#listeners.keys()) this.#peers.ask(id, true);
  }

  #tell(token: Token): void {
    for (const listener of this.#listeners.get(token.executionId) ?? []) listener(token);
  }
}
