import type { Json, WireTask } from "../support/client.ts";

export type Result = { readonly status: string; readonly outputData: Json; readonly acknowledgedAt: number };

/** Everything the server acknowledged. What is in here must be there after any crash. */
export class Ledger {
  readonly starts = new Set<string>();
  readonly results = new Map<string, Result>();
  readonly logs = new Map<string, string[]>();
  readonly definitions = new Set<string>();
  /** When the end of a task was acknowledged. */
  readonly #endedAt = new Map<string, number>();
  /** Tasks that a poll gave out although their end had been acknowledged before it was sent. */
  readonly offeredAgain: string[] = [];
  /** Tasks that came out of two polls: a retry is another task. */
  readonly deliveredTwice: string[] = [];
  readonly #delivered = new Set<string>();
  #acknowledged = 0;
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  noteStart(id: string): void {
    this.starts.add(id);
    this.#count();
  }

  noteResult(taskId: string, result: Result): void {
    this.results.set(taskId, result);
    this.#endedAt.set(taskId, performance.now());
    this.#count();
  }

  noteLog(taskId: string, line: string): void {
    this.logs.set(taskId, [...(this.logs.get(taskId) ?? []), line]);
    this.#count();
  }

  noteDefinition(name: string): void {
    this.definitions.add(name);
    this.#count();
  }

  /** A poll that was sent at `sentAt` gave this task out. */
  noteDelivery({ taskId }: WireTask, sentAt: number): void {
    const endedAt = this.#endedAt.get(taskId);
    if (endedAt !== undefined && endedAt < sentAt) this.offeredAgain.push(taskId);
    if (this.#delivered.has(taskId)) this.deliveredTwice.push(taskId);
    this.#delivered.add(taskId);
  }

  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Resolves when this many more things were acknowledged. */
  more(count: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ count: this.#acknowledged + count, resolve }));
  }

  #count(): void {
    this.#acknowledged++;
    const reached = this.#waiting.filter(({ count }) => count <= this.#acknowledged);
    this.#waiting = this.#waiting.filter(({ count }) => count > this.#acknowledged);
    for (const { resolve } of reached) resolve();
  }
}
