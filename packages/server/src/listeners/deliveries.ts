import type { Logger } from "../log.ts";
import { reasonOf } from "../outbound/reason-of.ts";
import { pause } from "../runtime/pause.ts";

type DeliveriesOptions = {
  readonly log: Logger;
  /** Aborted when the server stops: what is not told by then is told after the next start. */
  readonly signal: AbortSignal;
  /** Quick attempts, so far apart, before the back-off grows. */
  readonly attempts: number;
  readonly intervalMs: number;
  readonly giveUpMs: number;
  readonly atOnce: number;
  readonly now: () => number;
};

export type Delivery = {
  /** Deliveries of one lane happen one after the other. */
  readonly lane: string;
  readonly tell: () => Promise<void>;
  /** After the last attempt. */
  readonly putAside: (reason: string) => Promise<void>;
};

const FIRST_BACKOFF_MS = 1000;
const LONGEST_BACKOFF_MS = 300_000;
/** Beyond this many nobody waits any more: memory is not for what nobody takes. */
const MOST_WAITING = 100_000;

/** Tells things in order, again and again until they are taken or too old. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #lanes = new Map<string, Delivery[]>();
  readonly #running = new Set<Promise<void>>();
  #waiting = 0;
  #telling = 0;
  readonly #turns: (() => void)[] = [];

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  add(delivery: Delivery): void {
    this.#waiting++;
    const lane = this.#lanes.get(delivery.lane);
    if (lane !== undefined) {
      lane.push(delivery);
      return;
    }
    this.#lanes.set(delivery.lane, [delivery]);
    const run = this.#run(delivery.lane).finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  /** Resolves when nothing is being told; after a stop, soon. */
  async idle(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #run(name: string): Promise<void> {
    const lane = this.#lanes.get(name) ?? [];
    for (let [next] = lane; next !== undefined; [next] = lane) {
      await this.#deliver(next);
      lane.shift();
      this.#waiting--;
      if (this.#options.signal.aborted) break;
    }
    this.#lanes.delete(name);
  }

  /** Never rejects. */
  async #deliver(delivery: Delivery): Promise<void> {
    const { signal, attempts, intervalMs, giveUpMs, now, log } = this.#options;
    const startedAt = now();
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        await this.#inTurn(delivery.tell);
        return;
      } catch (error) {
        if (signal.aborted) return;
        const reason = reasonOf(error);
        const pauseMs = failures < attempts ? intervalMs : backoff(failures - attempts);
        if (now() + pauseMs - startedAt > giveUpMs || this.#waiting > MOST_WAITING) {
          await this.#putAside(delivery, reason);
          return;
        }
        if (failures >= attempts) log.warn("A status listener was not reached", { to: delivery.lane, pauseMs, reason });
        await pause(pauseMs, signal);
      }
    }
  }

  async #putAside(delivery: Delivery, reason: string): Promise<void> {
    const { log } = this.#options;
    log.error("A notice was put aside: nobody took it", { to: delivery.lane, reason });
    // Should this fail it stays in the outbox, and is told after the next start.
    await delivery.putAside(reason).catch((error: unknown) => log.error("It stays", { error: String(error) }));
  }

  /** So many at once, and no more. */
  async #inTurn(tell: () => Promise<void>): Promise<void> {
    while (this.#telling >= this.#options.atOnce) await new Promise<void>((resolve) => this.#turns.push(resolve));
    this.#telling++;
    try {
      await tell();
    } finally {
      this.#telling--;
      this.#turns.shift()?.();
    }
  }
}

const backoff = (n: number): number => Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** n);
