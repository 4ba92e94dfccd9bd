import { Thread } from "./thread.ts";

/** A few threads of one kind, each with one question at a time: whoever gives up takes nobody else's work along. */
export class ThreadPool<Request, Result> {
  readonly #idle: Thread<Request, Result>[];
  readonly #all: readonly Thread<Request, Result>[];
  readonly #waiting: (() => void)[] = [];

  constructor(script: URL, options: { readonly size: number; readonly memoryMb: number }) {
    this.#all = Array.from({ length: options.size }, () => new Thread<Request, Result>(script, options));
    this.#idle = [...this.#all];
  }

  async call(request: Request, options: { readonly signal: AbortSignal; readonly timeoutMs: number }): Promise<Result> {
    const thread = await this.#take(options.signal);
    try {
      return await thread.call(request, options);
    } finally {
      this.#idle.push(thread);
      this.#waiting.shift()?.();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((thread) => thread.close()));
  }

  async #take(signal: AbortSignal): Promise<Thread<Request, Result>> {
    for (;;) {
      signal.throwIfAborted();
      const thread = this.#idle.pop();
      if (thread !== undefined) return thread;
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
