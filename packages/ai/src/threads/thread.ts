import { Worker } from "node:worker_threads";
import type { Answer, Question } from "./answer.ts";

type ThreadOptions = {
  /** Given to the thread as its `workerData`. */
  readonly data?: unknown;
  readonly memoryMb?: number;
};

type CallOptions = {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
};

type Waiting = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };

/**
 * A thread of this package that starts with its first question. A question that is given up or takes too long ends the
 * thread, for what runs in it cannot be interrupted; the next one starts another.
 */
export class Thread<Request, Result> {
  readonly #script: URL;
  readonly #options: ThreadOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(script: URL, options: ThreadOptions = {}) {
    this.#script = script;
    this.#options = options;
  }

  async call(request: Request, { signal, timeoutMs }: CallOptions = {}): Promise<Result> {
    signal?.throwIfAborted();
    const worker = this.#worker ?? this.#start();
    const id = ++this.#lastId;
    const giveUp = (error: Error): void => {
      const own = this.#waiting.get(id);
      this.#waiting.delete(id);
      own?.reject(error);
      this.#end(worker, new Error("The work was given up because the thread it ran in was stopped"));
    };
    const onAbort = (): void => giveUp(signal?.reason as Error);
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => giveUp(new Error(`Expected an end within ${timeoutMs} ms, got none`)), timeoutMs);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return (await new Promise<unknown>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        worker.postMessage({ id, request } satisfies Question);
      })) as Result;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#end(worker, new Error("The server is stopping"));
    await worker.terminate();
  }

  #start(): Worker {
    const { data, memoryMb } = this.#options;
    const worker = new Worker(this.#script, {
      workerData: data,
      ...(memoryMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: memoryMb } }),
    });
    worker.on("message", ({ id, value, error }: Answer) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(value);
      else waiting?.reject(new Error(error));
    });
    worker.on("error", (error) => this.#end(worker, error instanceof Error ? error : new Error(String(error))));
    worker.on("exit", () => this.#end(worker, new Error("The thread ended before it answered")));
    // Nobody waits for a thread that has nothing to do.
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  /** Once per thread: the questions still open are its own, for it is the only one there is. */
  #end(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    void worker.terminate();
  }
}
