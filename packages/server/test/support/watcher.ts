import { expect } from "vitest";
import type { Client, Json } from "./client.ts";

export type StreamEvent = { readonly event: string; readonly id: string; readonly data: Json };

/** Reads server-sent events one by one. */
export class Watcher {
  readonly #reader: ReadableStreamDefaultReader<string>;
  readonly #stop = new AbortController();
  #text = "";

  private constructor(body: ReadableStream<Uint8Array>, stop: AbortController) {
    this.#reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
    this.#stop = stop;
  }

  static async open(client: Client, path: string, lastEventId?: string): Promise<Watcher> {
    const stop = new AbortController();
    const headers = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
    const response = await fetch(client.base + path, { headers, signal: stop.signal });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    if (response.body === null) throw new Error("Expected a body");
    return new Watcher(response.body, stop);
  }

  async next(): Promise<StreamEvent> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        if (!block.startsWith(":")) return parse(block);
        continue;
      }
      const { value, done } = await this.#reader.read();
      if (done) throw new Error("The stream ended");
      this.#text += value;
    }
  }

  /** The next event that is as asked. */
  async until(isSo: (event: StreamEvent) => boolean): Promise<StreamEvent> {
    for (;;) {
      const event = await this.next();
      if (isSo(event)) return event;
    }
  }

  close(): void {
    this.#stop.abort();
    // Whoever hangs up does not care how its reading ends.
    this.#reader.cancel().catch(() => undefined);
  }
}

function parse(block: string): StreamEvent {
  const fields = new Map(block.split("\n").map((line) => line.split(/: (.*)/s) as [string, string]));
  return {
    event: fields.get("event") ?? "",
    id: fields.get("id") ?? "",
    data: JSON.parse(fields.get("data") ?? "null") as Json,
  };
}
