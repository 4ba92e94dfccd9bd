import { Helper, type StartPeer } from "./helper.ts";

/** A few helpers of one kind, each with one question at a time: whoever gives up takes nobody else's work along. */
export class HelperPool<Request, Result> {
  readonly #idle: Helper<Request, Result>[];
  readonly #all: readonly Helper<Request, Result>[];
  readonly #waiting: (() => void)[] = [];

  constructor(start: StartPeer, size: number) {
    this.#all = Array.from({ length: size }, () => new Helper<Request, Result>(start));
    this.#idle = [...this.#all];
  }

  async call(request: Request, options: { readonly signal: AbortSignal; readonly timeoutMs: number }): Promise<Result> {
    const helper = await this.#take(options.signal);
    try {
      return await helper.call(request, options);
    } finally {
      this.#idle.push(helper);
      this.#waiting.shift()?.();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((helper) => helper.close()));
  }

  async #take(signal: AbortSignal): Promise<Helper<Request, Result>> {
    for (;;) {
      signal.throwIfAborted();
      const helper = this.#idle.pop();
      if (helper !== undefined) return helper;
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
