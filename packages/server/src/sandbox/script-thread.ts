import { MessageChannel, Worker } from "node:worker_threads";
import {
  type Channel,
  channelOn,
  isAnswered,
  listen,
  newSharedMemory,
  type Request,
  waitForAnswer,
  writeRequest,
} from "./channel.ts";
import type { EngineSettings } from "./engine.ts";
import type { ScriptOutcome } from "./outcome.ts";
import type { ScriptThreadData } from "./worker.ts";

export type ScriptThreadEvents = {
  /** Ready for its first call, or done with one that was not waited for. */
  idle(): void;
  /** Its call should have been stopped by the engine and was not. */
  overdue(): void;
  /** It ended by itself. */
  failed(reason: string): void;
};

// A script that the engine can stop has answered by then. What still runs is inside a built-in, which cannot be asked.
const overdueAfterMs = 250;

// At the deepest nesting that QuickJS allows, native frames took 16 to 32 times the stack that it counts.
const nativeStackFactor = 32;

const mebibyte = 1024 * 1024;

/** A thread with an engine, seen from the thread that calls it. It takes one call at a time, and only when idle. */
export class ScriptThread {
  readonly #timeoutMs: number;
  readonly #events: ScriptThreadEvents;
  readonly #worker: Worker;
  readonly #channel: Channel;
  #state: "starting" | "idle" | "busy" | "ended" = "starting";
  #call: DetachedCall | undefined;

  constructor(settings: EngineSettings, events: ScriptThreadEvents) {
    this.#timeoutMs = settings.timeoutMs;
    this.#events = events;
    const shared = newSharedMemory();
    const { port1, port2 } = new MessageChannel();
    this.#channel = channelOn(shared, port1);
    this.#worker = startWorker({ shared, port: port2, settings });
    this.#watch();
  }

  get isIdle(): boolean {
    return this.#state === "idle";
  }

  get isStarting(): boolean {
    return this.#state === "starting";
  }

  /** Blocks for at most `waitMs`; a script that takes longer gives a promise. */
  run(request: Request, waitMs: number): ScriptOutcome | Promise<ScriptOutcome> {
    writeRequest(this.#channel, request, "waiting");
    return waitForAnswer(this.#channel, waitMs) ?? this.#detach();
  }

  start(request: Request): Promise<ScriptOutcome> {
    writeRequest(this.#channel, request, "detached");
    return this.#detach();
  }

  /** Ends the thread, whatever it does. A call under way gets `outcome` at once. */
  async end(outcome: ScriptOutcome): Promise<void> {
    this.#state = "ended";
    this.#settle(outcome);
    this.#channel.port.close();
    await this.#worker.terminate();
  }

  #watch(): void {
    let reason = "the script thread ended";
    this.#worker.on("error", (error) => {
      reason = error.message;
    });
    this.#worker.on("exit", () => {
      if (this.#state !== "ended") {
        this.#events.failed(reason);
      }
    });
    listen(this.#channel, {
      ready: () => this.#becomeIdle(),
      answer: (outcome) => {
        this.#settle(outcome);
        this.#becomeIdle();
      },
    });
  }

  #becomeIdle(): void {
    this.#state = "idle";
    // A process may end while nobody waits for a script, not while somebody does.
    this.#channel.port.unref();
    this.#events.idle();
  }

  #detach(): Promise<ScriptOutcome> {
    this.#state = "busy";
    this.#channel.port.ref();
    return new Promise((settle) => {
      const timer = setTimeout(() => this.#checkOverdue(), this.#timeoutMs + overdueAfterMs);
      this.#call = { settle, timer };
    });
  }

  #checkOverdue(): void {
    // When the calling thread was held up itself, its timers come before the answers that wait for it.
    if (!isAnswered(this.#channel)) {
      this.#events.overdue();
    }
  }

  #settle(outcome: ScriptOutcome): void {
    clearTimeout(this.#call?.timer);
    this.#call?.settle(outcome);
    this.#call = undefined;
  }
}

type DetachedCall = { readonly settle: (outcome: ScriptOutcome) => void; readonly timer: NodeJS.Timeout };

function startWorker(workerData: ScriptThreadData): Worker {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    name: "scripts",
    workerData,
    transferList: [workerData.port],
    // Nothing of the process is any business of a script thread.
    env: {},
    execArgv: [],
    resourceLimits: {
      stackSizeMb: Math.ceil((workerData.settings.stackBytes * nativeStackFactor) / mebibyte),
      maxOldGenerationSizeMb: 256,
    },
  });
  worker.unref();
  return worker;
}
