import type { QueuedWork, Store } from "@downbeat/store";
import type { Logger } from "../log.ts";
import type { Clock } from "./clock.ts";
import type { Peers } from "./peers.ts";

const BATCH = 500;
/** setTimeout cannot wait longer; a far timer is looked at again then. */
const LONGEST_MS = 2_000_000_000;
const RETRY_MS = 1000;

type TimerOptions = {
  readonly store: Store;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly log: Logger;
  /** Must change or remove the work's timer before it resolves. */
  readonly onDue: (item: QueuedWork) => Promise<void>;
};

/**
 * Everything that waits for a time. The timers themselves stay in the store's index; memory holds the moment of the
 * next one, so that a million sleeping executions cost a million rows and one timeout.
 */
export class Timers {
  readonly #options: TimerOptions;
  #timeout: NodeJS.Timeout | undefined;
  #nextAt = Number.POSITIVE_INFINITY;
  #isFiring = false;
  #isClosed = false;

  constructor(options: TimerOptions) {
    this.#options = options;
  }

  /** Also called when timers may be there that this server did not commit itself. */
  async look(): Promise<void> {
    const at = await this.#options.store.queues.nextTimer();
    if (at !== undefined) this.arm(at);
  }

  /** A timer was committed. 0: none. */
  arm(at: number): void {
    if (at === 0 || at >= this.#nextAt || this.#isClosed) return;
    this.#nextAt = at;
    clearTimeout(this.#timeout);
    const waitMs = Math.min(LONGEST_MS, Math.max(0, at - this.#options.clock()));
    this.#timeout = setTimeout(() => void this.#fire(), waitMs);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timeout);
  }

  async #fire(): Promise<void> {
    if (this.#isFiring || this.#isClosed) return;
    this.#isFiring = true;
    const { store, peers, clock, log, onDue } = this.#options;
    let nextAt: number | undefined;
    let handled: QueuedWork | undefined;
    try {
      for (;;) {
        const due = await peers.takeDue(clock(), BATCH);
        if (due.length === 0) break;
        assertProgress(handled, due[0]);
        handled = due[0];
        await Promise.all(due.map(onDue));
        if (this.#isClosed) break;
      }
      // What is armed from here on counts, whatever the store answers.
      this.#nextAt = Number.POSITIVE_INFINITY;
      nextAt = await store.queues.nextTimer();
    } catch (error) {
      log.error("Timers could not be worked off; trying again", { error: String(error) });
      this.#nextAt = Number.POSITIVE_INFINITY;
      nextAt = clock() + RETRY_MS;
    } finally {
      this.#isFiring = false;
      // Its timeout may have come while this was under way, and found it busy.
      const armedMeanwhile = this.#nextAt;
      this.#nextAt = Number.POSITIVE_INFINITY;
      this.arm(Math.min(armedMeanwhile, nextAt ?? Number.POSITIVE_INFINITY));
    }
  }
}

/** A timer that nobody changes would be due for ever, and its turn would never end. */
function assertProgress(handled: QueuedWork | undefined, first: QueuedWork | undefined): void {
  if (handled === undefined || first === undefined) return;
  const isSame = handled.id === first.id && handled.no === first.no && handled.work.timerAt === first.work.timerAt;
  if (isSame) throw new Error(`Expected the timer of task ${first.no} of ${first.id} to change when it fell due`);
}
