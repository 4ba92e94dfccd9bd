/** Lets one wait for a change. */
export class Changes {
  #isTold = false;
  #wake: (() => void) | undefined;
  isEnded = false;

  tell(): void {
    this.#isTold = true;
    this.#wake?.();
  }

  /** Nobody waits any longer. */
  end(): void {
    this.isEnded = true;
    this.tell();
  }

  async next(): Promise<void> {
    if (!this.#isTold) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#isTold = false;
    this.#wake = undefined;
  }
}
