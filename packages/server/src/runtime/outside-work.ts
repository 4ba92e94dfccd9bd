import {
  type Head,
  isJsonObject,
  type JsonObject,
  type RawJson,
  type SecretPlace,
  substituteSecrets,
  type Task,
  type TaskResult,
} from "@downbeat/engine";
import type { Logger } from "../log.ts";
import type { NamedValues } from "../secrets.ts";
import type { Claim, Queues } from "./queues.ts";

/** A task type whose work happens outside the transition: an HTTP call, a model call, a message to a broker. */
export type Executor = {
  readonly type: string;
  /** How many run at once on this server. */
  readonly concurrency: number;
  /** Undefined: there is nothing to report. Never rejects for reasons that lie in the task: those are results. `signal` aborts when the task is cancelled. */
  readonly run: (call: OutsideCall) => Promise<TaskResult | undefined>;
};

export type OutsideCall = {
  readonly head: Head;
  readonly task: Task;
  /** With secrets filled in. */
  readonly input: JsonObject;
  readonly signal: AbortSignal;
};

type OutsideOptions = {
  readonly queues: Queues;
  readonly log: Logger;
  readonly node: string;
  readonly secrets: NamedValues;
  readonly load: (
    claim: Claim,
  ) => Promise<{ readonly head: Head; readonly task: Task; readonly input: RawJson } | undefined>;
  readonly report: (claim: Claim, result: TaskResult) => Promise<void>;
};

const POLL_MS = 60_000;
const RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;

/**
 * The server as a worker for its own task types: it polls their queues like any worker, under a lease that ends with
 * the process, so that work in progress at a crash is done again.
 */
export class OutsideWork {
  readonly #options: OutsideOptions;
  readonly #running = new Map<string, AbortController>();
  #isClosed = false;
  /** Ends pauses when the server stops. */
  readonly #onClose = new Set<() => void>();
  readonly #loops: Promise<void>[] = [];

  constructor(options: OutsideOptions) {
    this.#options = options;
  }

  start(executors: readonly Executor[]): void {
    for (const executor of executors) this.#loops.push(this.#loop(executor));
  }

  isRunning(id: string, no: number): boolean {
    return this.#running.has(`${id}${no}`);
  }

  /** The task's work row is gone: whatever is still running for it is for nobody. */
  cancel(id: string, no: number): void {
    this.#running.get(`${id}${no}`)?.abort(new Error("The task was cancelled"));
  }

  /** No new work; what is running is aborted and offered again by the next start. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const end of this.#onClose) end();
    for (const controller of this.#running.values()) controller.abort(new Error("The server is stopping"));
    await Promise.all(this.#loops);
  }

  async #loop(executor: Executor): Promise<void> {
    const { queues, log } = this.#options;
    const running = new Set<Promise<void>>();
    // Closed queues answer at once: asking them on would never let go of the thread.
    while (!this.#isClosed && !queues.isClosed) {
      const free = executor.concurrency - running.size;
      if (free <= 0) {
        await Promise.race(running);
        continue;
      }
      const claims = await this.#poll(executor.type, free);
      for (const claim of claims) {
        const run = this.#run(executor, claim)
          .catch((error: unknown) =>
            log.error("Outside work failed", { type: executor.type, id: claim.id, error: String(error) }),
          )
          .finally(() => running.delete(run));
        running.add(run);
      }
    }
    await Promise.all(running);
  }

  /** A store that cannot be reached for a moment must not end the server's own work for good. */
  async #poll(type: string, count: number): Promise<readonly Claim[]> {
    const { queues, node, log } = this.#options;
    try {
      return await queues.poll(type, { count, timeoutMs: POLL_MS, workerId: node, node });
    } catch (error) {
      log.error("Polling for outside work failed; trying again", { type, error: String(error) });
      await this.#pause(RETRY_MS);
      return [];
    }
  }

  /** The work is done: its result must not be lost for a store that is busy. */
  async #report(claim: Claim, result: TaskResult): Promise<void> {
    for (let failures = 0; ; failures++) {
      try {
        await this.#options.report(claim, result);
        return;
      } catch (error) {
        if (this.#isClosed) throw error;
        this.#options.log.error("A result could not be stored; trying again", { id: claim.id, error: String(error) });
        await this.#pause(Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** failures));
      }
    }
  }

  async #pause(ms: number): Promise<void> {
    let end = (): void => undefined;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      end = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#onClose.add(end);
    });
    this.#onClose.delete(end);
  }

  async #run(executor: Executor, claim: Claim): Promise<void> {
    const { load, secrets } = this.#options;
    const key = `${claim.id}${claim.no}`;
    const controller = new AbortController();
    this.#running.set(key, controller);
    try {
      const loaded = await load(claim);
      if (loaded === undefined) return;
      const input = fillSecrets(loaded.task, loaded.input, secrets);
      let result: TaskResult | undefined;
      try {
        result = await executor.run({ head: loaded.head, task: loaded.task, input, signal: controller.signal });
      } catch (error) {
        result = {
          status: "FAILED",
          outputMode: "replace",
          reasonForIncompletion: error instanceof Error ? error.message : String(error),
        };
      }
      // Cancelled, or the server is stopping: the lease ends with it and the work is offered again.
      if (controller.signal.aborted || result === undefined) return;
      await this.#report(claim, result);
    } finally {
      this.#running.delete(key);
    }
  }
}

export function fillSecrets(
  task: Pick<Task, "secrets">,
  input: Pick<RawJson, "value">,
  secrets: NamedValues,
): JsonObject {
  const value = isJsonObject(input.value) ? input.value : {};
  if (task.secrets === undefined) return value;
  const filled = substituteSecrets(value, JSON.parse(task.secrets) as SecretPlace[], (name) => secrets.find(name));
  return isJsonObject(filled) ? filled : {};
}
