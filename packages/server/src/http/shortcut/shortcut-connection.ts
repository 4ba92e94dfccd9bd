import type { Socket } from "node:net";
import type { Reply } from "../reply.ts";
import { type PlainRequest, type PlainRequestReader, UNFINISHED, UNUSUAL } from "./plain-request.ts";
import { type Outlet, ShortcutReply } from "./shortcut-reply.ts";

type ConnectionParts = {
  readonly socket: Socket;
  readonly reader: PlainRequestReader;
  readonly commonHeaders: () => string;
  /** False: the request is none of the shortcut's. */
  readonly serve: (request: PlainRequest, reply: Reply) => boolean;
  /** Node's HTTP server goes on with the connection, from these bytes on. */
  readonly leave: (socket: Socket, bytes: Buffer) => void;
  /** The shortcut has nothing to do with it any more. */
  readonly onGone: (socket: Socket) => void;
};

/** One connection on the shortcut: requests one after the other, until one comes that is for Node's HTTP server. */
export class ShortcutConnection {
  readonly #parts: ConnectionParts;
  readonly #outlet: Outlet;
  #underWay: ShortcutReply | undefined;
  /** What arrived of a request that is not whole, or while another was under way: then it is for Node. */
  #arrived: Buffer | undefined;
  #wasActive = true;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    const { socket, commonHeaders } = parts;
    this.#outlet = { socket, commonHeaders, onWritten: (error) => this.#onWritten(error) };
    socket.on("data", this.#onData);
    socket.on("end", this.#onEnd);
    socket.on("error", this.#onError);
    socket.on("close", this.#onClose);
  }

  get isIdle(): boolean {
    return this.#underWay === undefined;
  }

  /** Closes the connection if nothing has happened since the last call, or leaves it to Node if half a request waits. */
  closeIfIdle(): void {
    if (this.#underWay !== undefined || this.#wasActive) this.#wasActive = false;
    else if (this.#arrived === undefined) this.#parts.socket.destroy();
    else this.#leave(this.#arrived);
  }

  readonly #onData = (bytes: Buffer): void => {
    this.#wasActive = true;
    const all = this.#arrived === undefined ? bytes : Buffer.concat([this.#arrived, bytes]);
    if (this.#underWay === undefined) {
      this.#read(all, { isSecondLook: this.#arrived !== undefined });
      return;
    }
    this.#arrived = all;
    this.#parts.socket.pause();
  };

  #read(bytes: Buffer, { isSecondLook }: { readonly isSecondLook: boolean }): void {
    const request = this.#parts.reader.read(bytes);
    // Many clients send head and body apart, so a second look is usual. Whoever needs a third is slow: Node has the time.
    if (request === UNFINISHED && !isSecondLook) {
      this.#arrived = bytes;
      return;
    }
    if (request === UNFINISHED || request === UNUSUAL) {
      this.#leave(bytes);
      return;
    }
    const reply = new ShortcutReply(this.#outlet);
    this.#arrived = undefined;
    this.#underWay = reply;
    if (this.#parts.serve(request, reply)) return;
    this.#underWay = undefined;
    this.#leave(bytes);
  }

  #onWritten(error: Error | null | undefined): void {
    // Closing follows.
    if (error !== undefined && error !== null) return;
    const answered = this.#underWay;
    this.#underWay = undefined;
    this.#wasActive = true;
    answered?.end(true);
    if (this.#arrived !== undefined) this.#leave(this.#arrived);
  }

  #leave(bytes: Buffer): void {
    const { socket, leave, onGone } = this.#parts;
    socket.off("data", this.#onData);
    socket.off("end", this.#onEnd);
    socket.off("error", this.#onError);
    socket.off("close", this.#onClose);
    this.#arrived = undefined;
    onGone(socket);
    leave(socket, bytes);
  }

  /** A caller that will not say more has hung up: Node's HTTP server sees it so too. */
  readonly #onEnd = (): void => {
    this.#parts.socket.end();
  };

  /** Closing follows. */
  readonly #onError = (): void => {};

  readonly #onClose = (): void => {
    const unanswered = this.#underWay;
    this.#underWay = undefined;
    unanswered?.end(false);
    this.#parts.onGone(this.#parts.socket);
  };
}
