import type { Peers } from "../runtime/peers.ts";
import type { Token } from "./token-feed.ts";

/** Whoever wants to hear says so every few seconds; who did not for so long is gone. */
const KEPT_MS = 20_000;
/** Tokens of one task that come together go together. */
const GATHER_MS = 10;
/** As JSON no more than what one word between servers may hold. */
const MOST_CHARACTERS = 1000;

/**
 * Other servers whose watchers want to hear of tokens. They say so; nothing is sent that nobody asked for, and nothing is
 * looked up. Words may be lost, and tokens with them.
 */
export class TokenPeers {
  readonly #peers: Pick<Peers, "tellToken" | "tellTokenWatch">;
  /** Until when which servers want to hear of an execution. */
  readonly #askers = new Map<string, Map<string, number>>();
  readonly #lastNumbers = new Map<string, number>();
  readonly #gathered: Token[] = [];
  #isGathering = false;
  #sweepAt = 0;
  /** Higher than those of an earlier server of the same name. */
  #number = Date.now() * 1000;

  constructor(peers: Pick<Peers, "tellToken" | "tellTokenWatch">) {
    this.#peers = peers;
  }

  ask(executionId: string, isWatched: boolean): void {
    // With a number: words that say the same are told once, in the order of the first.
    this.#peers.tellTokenWatch(executionId, isWatched, ++this.#number);
  }

  onAsked(node: string, executionId: string, isWatched: boolean): void {
    this.#sweep();
    const askers = this.#askers.get(executionId) ?? new Map<string, number>();
    if (isWatched) this.#askers.set(executionId, askers.set(node, performance.now() + KEPT_MS));
    else if (askers.delete(node) && askers.size === 0) this.#askers.delete(executionId);
  }

  isWatched(executionId: string): boolean {
    const askers = this.#askers.get(executionId);
    if (askers === undefined) return false;
    const now = performance.now();
    for (const [node, until] of askers) if (until < now) askers.delete(node);
    if (askers.size === 0) this.#askers.delete(executionId);
    return askers.size > 0;
  }

  send(token: Token): void {
    const last = this.#gathered.at(-1);
    if (last?.taskId === token.taskId && last.kind === token.kind)
      this.#gathered[this.#gathered.length - 1] = { ...token, delta: last.delta + token.delta };
    else this.#gathered.push(token);
    if (this.#isGathering) return;
    this.#isGathering = true;
    setTimeout(() => this.#flush(), GATHER_MS);
  }

  /** Words may pass each other on their way. What comes after its time is left out: better a gap than another order. */
  isNext(node: string, number: number): boolean {
    if (number <= (this.#lastNumbers.get(node) ?? 0)) return false;
    this.#lastNumbers.set(node, number);
    return true;
  }

  /** Forgets whoever went without a word. */
  #sweep(): void {
    if (performance.now() < this.#sweepAt) return;
    this.#sweepAt = performance.now() + KEPT_MS;
    for (const id of [...this.#askers.keys()]) this.isWatched(id);
  }

  #flush(): void {
    this.#isGathering = false;
    for (const token of this.#gathered.splice(0)) {
      for (let at = 0; at < token.delta.length; at += MOST_CHARACTERS)
        this.#peers.tellToken(++this.#number, { ...token, delta: token.delta.slice(at, at + MOST_CHARACTERS) });
    }
  }
}
