import type { Store } from "@downbeat/store";
import type { Logger } from "../log.ts";
import type { Clock } from "../runtime/clock.ts";

const INTERVAL_MS = 60_000;
/** Removed by one commit. */
const BATCH = 1000;

type RunRetentionOptions = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** Of one schedule: so many are kept, once there may be more than `threshold`. */
  readonly keep: number;
  readonly threshold: number;
  /** 0: for ever. */
  readonly keepMs: number;
  readonly intervalMs?: number;
};

/** Takes away records of schedules: of one schedule when it has too many, of all when they are old. */
export class RunRetention {
  readonly #options: RunRetentionOptions;
  /** Runs of each schedule since it was last cut; after a start of the server they count from 0. */
  readonly #counts = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: RunRetentionOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#options.keepMs === 0 || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#expire().then(() => this.start());
    }, this.#options.intervalMs ?? INTERVAL_MS);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** A run was written. */
  note(schedule: string): void {
    const { store, log, keep, threshold } = this.#options;
    const count = (this.#counts.get(schedule) ?? 0) + 1;
    this.#counts.set(schedule, count);
    if (count <= Math.max(0, threshold - keep)) return;
    this.#counts.set(schedule, 0);
    store.commit({ kind: "trim-runs", schedule, keep }).catch((error: unknown) => {
      // The next runs bring it about again.
      log.warn("Records of a schedule could not be cut", { schedule, error: String(error) });
    });
  }

  forget(schedule: string): void {
    this.#counts.delete(schedule);
  }

  async #expire(): Promise<void> {
    const { store, clock, log, keepMs } = this.#options;
    const before = clock() - keepMs;
    try {
      for (;;) {
        const oldest = await store.schedules.oldestRun();
        if (oldest === undefined || oldest >= before || this.#isClosed) return;
        await store.commit({ kind: "expire-runs", before, limit: BATCH });
      }
    } catch (error) {
      log.warn("Old records of schedules could not be removed; trying again later", { error: String(error) });
    }
  }
}
