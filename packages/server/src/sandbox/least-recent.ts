export type LeastRecentLimits = { readonly count: number; readonly bytes: number };

type Entry<V> = { readonly value: V; readonly bytes: number };

/** A map that forgets what was used longest ago once it holds more than its limits. */
export class LeastRecent<V> {
  readonly #limits: LeastRecentLimits;
  // A Map keeps the order of insertion, so its first key is the one used longest ago.
  readonly #entries = new Map<string, Entry<V>>();
  #bytes = 0;

  constructor(limits: LeastRecentLimits) {
    this.#limits = limits;
  }

  find(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      return undefined;
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** `bytes` is what the value keeps alive besides its key. */
  put(key: string, value: V, bytes: number): void {
    this.#remove(key);
    const entry = { value, bytes: bytes + key.length * 2 };
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#limits.count && this.#bytes <= this.#limits.bytes) {
        return;
      }
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}
