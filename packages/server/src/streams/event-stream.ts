import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";

/** A watcher that takes its events too slowly is let go: it comes back and says what it saw last. */
const MOST_BUFFERED_BYTES = 1_000_000;
const HEARTBEAT_MS = 15_000;

const open = new Set<EventStream>();
let heartbeat: NodeJS.Timeout | undefined;

/** One answer that stays open and carries server-sent events. */
export class EventStream {
  readonly #raw: ServerResponse;
  readonly #onClose = new Set<() => void>();
  #isOpen = true;

  constructor(reply: FastifyReply, stopping: AbortSignal) {
    reply.hijack();
    this.#raw = reply.raw;
    this.#raw.setHeader("content-type", "text/event-stream");
    this.#raw.setHeader("cache-control", "no-store");
    // Proxies must hand events on as they come.
    this.#raw.setHeader("x-accel-buffering", "no");
    this.#raw.once("close", () => this.#closed());
    const stop = () => this.end();
    stopping.addEventListener("abort", stop, { once: true });
    this.onClose(() => stopping.removeEventListener("abort", stop));
    open.add(this);
    heartbeat ??= setInterval(beat, HEARTBEAT_MS).unref();
    if (stopping.aborted) this.end();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Nothing will be missed from now on: the watcher may know. */
  begin(comment = ""): void {
    if (this.#isOpen) this.#raw.write(`:${comment}\n\n`);
  }

  /** Gives a function that takes it back. */
  onClose(listener: () => void): () => void {
    if (this.#isOpen) this.#onClose.add(listener);
    else listener();
    return () => this.#onClose.delete(listener);
  }

  /** Text made by `eventText`. */
  send(text: string): void {
    if (!this.#isOpen) return;
    this.#raw.write(text);
    if (this.#raw.writableLength > MOST_BUFFERED_BYTES) this.#raw.destroy();
  }

  /** As many as there are, at the reader's pace. */
  async sendAll(texts: Iterable<string>): Promise<void> {
    for (const text of texts) {
      if (!this.#isOpen) return;
      if (this.#raw.write(text)) continue;
      let forget = () => {};
      await new Promise<void>((resolve) => {
        this.#raw.once("drain", resolve);
        forget = this.onClose(resolve);
      });
      forget();
    }
  }

  end(): void {
    if (this.#isOpen) this.#raw.end();
  }

  #closed(): void {
    this.#isOpen = false;
    open.delete(this);
    for (const listener of this.#onClose) listener();
    this.#onClose.clear();
  }
}

/** One timer for all: it keeps proxies from closing what is merely quiet. */
function beat(): void {
  for (const stream of open) stream.send(":heartbeat\n\n");
  if (open.size > 0) return;
  clearInterval(heartbeat);
  heartbeat = undefined;
}

/** `data` is JSON text, which has no line breaks. */
export const eventText = (event: string, id: number, data: string): string =>
  `event: ${event}\nid: ${id}\ndata: ${data}\n\n`;
