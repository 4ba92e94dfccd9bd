import { Helper, type StartPeer } from "./helper.ts";

const IDLE_MS = 60_000;

/** A few helpers of one kind, each with one question at a time: whoever gives up takes nobody else's work along. */
export class HelperPool<Request, Result> {
  readonly #idle: Helper<Request, Result>[];
  readonly #all: readonly Helper<Request, Result>[];
  readonly #waiting: (() => void)[] = [];
  /** When those that rest go home: an idle process holds memory that nobody uses. */
  readonly #retirements = new Map<Helper<Request, Result>, NodeJS.Timeout>();
  readonly #idleMs: number;

  constructor(start: StartPeer, size: number, idleMs = IDLE_MS) {
    this.#idleMs = idleMs;
    this.#all = Array.from({ length: size }, () => new Helper<Request, Result>(start));
    this.#idle = [...this.#all];
  }

  async call(request: Request, options: { readonly signal: AbortSignal; readonly timeoutMs: number }): Promise<Result> {
    const helper = await this.#take(options.signal);
    try {
      return await helper.call(request, options);
    } finally {
      this.#rest(helper);
      this.#waiting.shift()?.();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((helper) => helper.close()));
  }

  #rest(helper: Helper<Request, Result>): void {
    this.#idle.push(helper);
    // It starts again with its next question; a close that fails leaves nothing behind that matters.
    const retire = setTimeout(() => void helper.close().catch(() => undefined), this.#idleMs);
    retire.unref();
    this.#retirements.set(helper, retire);
  }

  async #take(signal: AbortSignal): Promise<Helper<Request, Result>> {
    for (;;) {
      signal.throwIfAborted();
      const helper = this.#idle.pop();
      if (helper !== undefined) {
        clearTimeout(this.#retirements.get(helper));
        return helper;
      }
      await this.#turn(signal);
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const next = (): void => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(next), 1);
        resolve();
      };
      this.#waiting.push(next);
      signal.addEventListener("abort", leave, { once: true });
    });
  }
}
