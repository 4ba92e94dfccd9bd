import { EventEmitter } from "node:events";
import { STATUS_CODES, validateHeaderValue } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Departure, Reply } from "../reply.ts";

/** The connection, as its answers see it. */
export type Outlet = {
  readonly socket: Socket;
  /** The headers that every answer ends with. */
  readonly commonHeaders: () => string;
  /** The answer under way has left, or cannot. */
  readonly onWritten: (error?: Error | null) => void;
};

/** An answer on the shortcut: most are one text, and leave in one write with their head. */
export class ShortcutReply implements Reply {
  readonly #outlet: Outlet;
  #status = 200;
  #contentType = "";
  #otherHeaders = "";
  #isSent = false;
  #departure: Departed | undefined;
  #outcome: "left" | "lost" | undefined;

  constructor(outlet: Outlet) {
    this.#outlet = outlet;
  }

  /** Only polls and waits ask, some of them after the caller has hung up. */
  get raw(): Departure {
    if (this.#departure === undefined) {
      this.#departure = new Departed();
      if (this.#outcome !== undefined) this.#departure.end(this.#outcome === "left");
    }
    return this.#departure;
  }

  code(status: number): this {
    this.#status = status;
    return this;
  }

  header(name: string, value: string): this {
    validateHeaderValue(name, value);
    if (name === "content-type") this.#contentType = `${name}: ${value}\r\n`;
    else this.#otherHeaders += `${name}: ${value}\r\n`;
    return this;
  }

  /** Nothing is changed on its way out here. */
  serializer(): this {
    return this;
  }

  send(payload?: string | Buffer | Readable): this {
    // Whoever fails after its answer has nothing to add to it.
    if (this.#isSent) return this;
    this.#isSent = true;
    if (typeof payload === "string") this.#sendText(payload);
    else if (payload === undefined) this.#sendNothing();
    else if (Buffer.isBuffer(payload)) this.#sendBytes(payload);
    else this.#sendStream(payload);
    return this;
  }

  /** All of the answer has left, or none of what is missing will. */
  end(isComplete: boolean): void {
    this.#outcome = isComplete ? "left" : "lost";
    this.#departure?.end(isComplete);
  }

  #sendText(text: string): void {
    const bytes = Buffer.byteLength(text);
    // As many bytes as characters: all of them are ASCII, and need no encoding.
    const encoding = bytes === text.length ? "latin1" : "utf8";
    const { socket, onWritten } = this.#outlet;
    socket.write(this.#head(`content-length: ${bytes}\r\n`) + text, encoding, onWritten);
  }

  #sendNothing(): void {
    const { socket, onWritten } = this.#outlet;
    socket.write(this.#head(this.#status === 204 ? "" : "content-length: 0\r\n"), "latin1", onWritten);
  }

  #sendBytes(bytes: Buffer): void {
    const { socket, onWritten } = this.#outlet;
    socket.cork();
    socket.write(this.#head(`content-length: ${bytes.length}\r\n`), "latin1");
    socket.write(bytes, onWritten);
    socket.uncork();
  }

  #sendStream(stream: Readable): void {
    const { socket, onWritten } = this.#outlet;
    socket.write(this.#head("transfer-encoding: chunked\r\n"), "latin1");
    pipeline(stream, asChunks, socket, { end: false }).then(
      () => onWritten(),
      // What breaks off must not look whole, and nobody shall wait for the rest.
      () => socket.destroy(),
    );
  }

  #head(length: string): string {
    const status = `HTTP/1.1 ${this.#status} ${STATUS_CODES[this.#status] ?? "Unknown"}\r\n`;
    return `${status}${this.#otherHeaders}${this.#contentType}${length}${this.#outlet.commonHeaders()}\r\n`;
  }
}

class Departed extends EventEmitter<{ close: [] }> implements Departure {
  destroyed = false;
  writableFinished = false;

  end(isComplete: boolean): void {
    if (this.destroyed) return;
    this.writableFinished = isComplete;
    this.destroyed = true;
    this.emit("close");
  }
}

async function* asChunks(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string | Uint8Array> {
  let before = "";
  for await (const bytes of stream) {
    if (bytes.length === 0) continue;
    yield `${before}${bytes.length.toString(16)}\r\n`;
    yield bytes;
    before = "\r\n";
  }
  yield `${before}0\r\n\r\n`;
}
