import type { Head } from "@downbeat/engine";
import { Past, type PastReads } from "./past.ts";

/**
 * The pasts of executions in which models talked lately, so that a turn need not read all turns before it. It only saves
 * work: a past that is not here, on a server that just started or took an execution over, is read from the store.
 */
export class Pasts {
  readonly #reads: PastReads;
  readonly #maxBytes: number;
  /** The one that was used longest ago comes first. */
  readonly #kept = new Map<string, { readonly past: Past; bytes: number; turn: Promise<unknown> }>();
  #bytes = 0;

  constructor(executions: PastReads["executions"], payloads: PastReads["payloads"], maxBytes: number) {
    this.#reads = { executions, payloads };
    this.#maxBytes = maxBytes;
  }

  /** Works with an execution's past as it is now, one after the other: several tasks of an execution may talk at once. */
  async use<T>(head: Head, work: (past: Past) => Promise<T>): Promise<T> {
    const kept = this.#kept.get(head.id) ?? { past: new Past(this.#reads), bytes: 0, turn: Promise.resolve() };
    this.#kept.delete(head.id);
    this.#kept.set(head.id, kept);
    const turn = kept.turn.then(async () => {
      await kept.past.catchUp(head);
      return await work(kept.past);
    });
    kept.turn = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#weigh(head.id, kept);
    }
  }

  #weigh(id: string, kept: { readonly past: Past; bytes: number }): void {
    if (this.#kept.get(id) !== kept) return;
    this.#bytes += kept.past.bytes - kept.bytes;
    kept.bytes = kept.past.bytes;
    for (const [oldest, other] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#kept.delete(oldest);
      this.#bytes -= other.bytes;
    }
  }
}
