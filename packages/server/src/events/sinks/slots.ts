/** So many messages at once, and no more. */
export class Slots {
  readonly #most: number;
  #taken = 0;
  #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Waits until there is room, then begins the work without waiting for it. The work must not reject. */
  async begin(work: () => Promise<void>): Promise<void> {
    while (this.#taken >= this.#most) await this.#change();
    this.#taken++;
    void work().finally(() => {
      this.#taken--;
      for (const resolve of this.#waiting.splice(0)) resolve();
    });
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#taken > 0) await this.#change();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
