import type { Request } from "./channel.ts";
import type { EngineSettings } from "./engine.ts";
import { type ScriptOutcome, timeoutMessage } from "./outcome.ts";
import { evaluationError } from "./script-error.ts";
import { ScriptThread } from "./script-thread.ts";

export type { ScriptOutcome } from "./outcome.ts";

/** Runs scripts of users, never on the calling thread. See `Engine` for what keeps them apart. */
export interface Sandbox {
  /**
   * `inputText` is the JSON text of `$`. A short script is waited for, at most `inlineWaitMs`; a longer one, or one
   * that finds no idle thread, gives a promise. It never rejects: whatever goes wrong is an outcome.
   */
  evaluate(source: string, inputText: string): ScriptOutcome | Promise<ScriptOutcome>;
  /** Undefined when `source` can be parsed, else the parser's message. */
  checkSyntax(source: string): string | undefined | Promise<string | undefined>;
  /** Ends all threads; calls under way get an error. */
  close(): Promise<void>;
}

export type SandboxOptions = {
  /** How long one evaluation may take. Default 4,000. */
  readonly timeoutMs?: number;
  /** What one evaluation may allocate. Default 64 MiB, at most 1 GiB; less than 10 MiB counts as 10 MiB. */
  readonly memoryBytes?: number;
  /** Default 1 MiB, enough for about 6,000 nested calls; at most 4 MiB. */
  readonly stackBytes?: number;
  /** How long the calling thread waits before it gets a promise. Default 3. */
  readonly inlineWaitMs?: number;
  /** How many scripts may run at the same time. Default 2. A thread costs 25 MB: none starts before there is a script. */
  readonly threads?: number;
};

export function openSandbox(options: SandboxOptions = {}): Sandbox {
  return new ThreadPool(options);
}

class ThreadPool implements Sandbox {
  readonly #settings: EngineSettings;
  readonly #inlineWaitMs: number;
  readonly #maxThreads: number;
  readonly #threads: ScriptThread[] = [];
  readonly #endings = new Set<Promise<void>>();
  readonly #queue: QueuedCall[] = [];
  #isClosed = false;

  constructor(options: SandboxOptions) {
    const { timeoutMs = 4000, memoryBytes = 64 * mebibyte, stackBytes = mebibyte } = options;
    requireAtMost("memoryBytes", memoryBytes, 1024 * mebibyte);
    // The stack of the wasm has 5 MiB; beyond them lie its variables.
    requireAtMost("stackBytes", stackBytes, 4 * mebibyte);
    this.#settings = { timeoutMs, memoryBytes, stackBytes };
    this.#inlineWaitMs = options.inlineWaitMs ?? 3;
    this.#maxThreads = options.threads ?? 2;
  }

  evaluate(source: string, inputText: string): ScriptOutcome | Promise<ScriptOutcome> {
    return this.#call({ kind: "evaluate", source, input: inputText });
  }

  checkSyntax(source: string): string | undefined | Promise<string | undefined> {
    const outcome = this.#call({ kind: "check-syntax", source, input: "" });
    return outcome instanceof Promise ? outcome.then(problemOf) : problemOf(outcome);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#failQueue(closed);
    for (const thread of [...this.#threads]) {
      this.#endThread(thread, closed);
    }
    await Promise.all(this.#endings);
  }

  #call(request: Request): ScriptOutcome | Promise<ScriptOutcome> {
    if (this.#isClosed) {
      return closed;
    }
    const idle = this.#threads.find((thread) => thread.isIdle);
    if (idle !== undefined && this.#queue.length === 0) {
      const outcome = idle.run(request, this.#inlineWaitMs);
      this.#keepSpare();
      return outcome;
    }
    return new Promise((settle) => {
      this.#queue.push({ request, settle });
      this.#serveQueue();
    });
  }

  #serveQueue(): void {
    for (const thread of this.#threads.filter(({ isIdle }) => isIdle)) {
      const call = this.#queue.shift();
      call?.settle(thread.start(call.request));
    }
    this.#keepSpare();
  }

  /** A thread takes 100 ms or more to start, so the next one starts as soon as all are busy, not when it is needed. */
  #keepSpare(): void {
    const hasSpare = this.#threads.some((thread) => thread.isIdle || thread.isStarting);
    if (!hasSpare && this.#threads.length < this.#maxThreads) {
      this.#addThread();
    }
  }

  #addThread(): void {
    const thread = new ScriptThread(this.#settings, {
      idle: () => this.#serveQueue(),
      overdue: () => this.#replaceThread(thread, this.#timeout()),
      failed: (reason) => this.#onFailed(thread, failure(reason)),
    });
    this.#threads.push(thread);
  }

  #onFailed(thread: ScriptThread, error: ScriptOutcome): void {
    if (!thread.isStarting) {
      this.#replaceThread(thread, error);
      return;
    }
    this.#endThread(thread, error);
    // Not tried again until the next call: a queue that waits for a thread that cannot start would wait for ever.
    if (this.#threads.length === 0) {
      this.#failQueue(error);
    }
  }

  #replaceThread(thread: ScriptThread, outcome: ScriptOutcome): void {
    this.#endThread(thread, outcome);
    this.#addThread();
  }

  #endThread(thread: ScriptThread, outcome: ScriptOutcome): void {
    this.#threads.splice(this.#threads.indexOf(thread), 1);
    const ending = thread.end(outcome).finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }

  #failQueue(outcome: ScriptOutcome): void {
    for (const { settle } of this.#queue.splice(0)) {
      settle(outcome);
    }
  }

  #timeout(): ScriptOutcome {
    return { kind: "timeout", message: timeoutMessage(this.#settings.timeoutMs) };
  }
}

type QueuedCall = {
  readonly request: Request;
  readonly settle: (outcome: ScriptOutcome | Promise<ScriptOutcome>) => void;
};

const mebibyte = 1024 * 1024;

function requireAtMost(option: string, bytes: number, most: number): void {
  if (!(bytes > 0 && bytes <= most)) {
    throw new RangeError(`Expected ${option} to be from 1 to ${most}, got ${bytes}`);
  }
}

const closed = failure("the script sandbox is closed");

function failure(reason: string): ScriptOutcome {
  return { kind: "error", message: evaluationError({ text: `InternalError: ${reason}` }) };
}

function problemOf(outcome: ScriptOutcome): string | undefined {
  return outcome.kind === "value" ? undefined : outcome.message;
}
