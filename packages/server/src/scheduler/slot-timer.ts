import type { Logger } from "../log.ts";
import type { Clock } from "../runtime/clock.ts";
import { SlotHeap, type Timed } from "./slot-heap.ts";

/** Timers do not know of a clock that is set, or of a machine that slept: they are asked again so often. */
const LONGEST_MS = 60_000;
const RETRY_MS = 1000;
/** So many are begun before others get a turn: thousands may be due at midnight. */
const AT_ONCE = 50;
const SPREAD_MS_EACH = 0.3;

type SlotTimerOptions<Item> = {
  readonly clock: Clock;
  readonly log: Logger;
  /** Deals with an item that is due and tells when it is due again; undefined: never. Items in hand are not in the timer. */
  readonly onDue: (item: Item) => Promise<number | undefined>;
};

/** Everything that waits for a slot, and one timer for the earliest. Between slots it does nothing. */
export class SlotTimer<Item extends Timed> {
  readonly #options: SlotTimerOptions<Item>;
  readonly #heap = new SlotHeap<Item>();
  readonly #inHand = new Map<Item, Promise<void>>();
  /** Taken out while they were in hand. */
  readonly #gone = new Set<Item>();
  #timeout: NodeJS.Timeout | undefined;
  #armedFor = Number.POSITIVE_INFINITY;
  #isRunning = false;
  #isFiring = false;
  #lastBurst = 0;

  constructor(options: SlotTimerOptions<Item>) {
    this.#options = options;
  }

  /** From now on items fire. */
  start(): void {
    this.#isRunning = true;
    this.#arm();
  }

  /** What is in hand is finished; nothing more fires. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    clearTimeout(this.#timeout);
    this.#armedFor = Number.POSITIVE_INFINITY;
    await Promise.all(this.#inHand.values());
  }

  /** A delay for one of many that are due at once: more when the last burst was large, and never more than this. */
  spread(mostMs: number): number {
    return Math.random() * Math.min(mostMs, SPREAD_MS_EACH * this.#lastBurst);
  }

  add(item: Item): void {
    this.#heap.add(item);
    this.#arm();
  }

  remove(item: Item): void {
    this.#heap.remove(item);
    if (this.#inHand.has(item)) this.#gone.add(item);
  }

  #arm(): void {
    const first = this.#heap.first;
    if (!this.#isRunning || this.#isFiring || first === undefined || first.fireAt >= this.#armedFor) return;
    clearTimeout(this.#timeout);
    this.#armedFor = first.fireAt;
    const waitMs = Math.max(0, Math.min(LONGEST_MS, first.fireAt - this.#options.clock()));
    this.#timeout = setTimeout(() => void this.#fire(), waitMs);
  }

  async #fire(): Promise<void> {
    this.#armedFor = Number.POSITIVE_INFINITY;
    this.#isFiring = true;
    const due = this.#heap.takeDue(this.#options.clock());
    if (due.length > 0) this.#lastBurst = due.length;
    for (const [index, item] of due.entries()) {
      if (!this.#isRunning) this.#heap.add(item);
      else this.#begin(item);
      if (index % AT_ONCE === AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve));
    }
    this.#isFiring = false;
    this.#arm();
  }

  #begin(item: Item): void {
    const done = this.#dealWith(item).then((again) => {
      this.#inHand.delete(item);
      if (this.#gone.delete(item) || again === undefined) return;
      item.fireAt = again;
      this.add(item);
    });
    this.#inHand.set(item, done);
  }

  async #dealWith(item: Item): Promise<number | undefined> {
    const { clock, log, onDue } = this.#options;
    try {
      return await onDue(item);
    } catch (error) {
      log.error("A slot of a schedule could not be dealt with; trying again", { error: String(error) });
      return clock() + RETRY_MS;
    }
  }
}
