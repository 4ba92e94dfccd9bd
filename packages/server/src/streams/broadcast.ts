import type { EventStream } from "./event-stream.ts";

/** Watchers of the same thing: an event is made once and sent to all of them. */
export class Broadcast {
  readonly #streams = new Set<EventStream>();
  readonly #onEmpty: () => void;

  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  add(stream: EventStream): void {
    this.#streams.add(stream);
    stream.onClose(() => {
      this.#streams.delete(stream);
      if (this.#streams.size === 0) this.#onEmpty();
    });
  }

  send(text: string): void {
    for (const stream of this.#streams) stream.send(text);
  }

  end(): void {
    for (const stream of this.#streams) stream.end();
  }
}
