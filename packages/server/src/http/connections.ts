import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Knows which connections have a request under way, so that a stopping server can close the others. */
export class Connections {
  readonly #requests = new Map<Socket, number>();

  constructor(server: Server) {
    server.on("connection", (socket: Socket) => {
      this.#requests.set(socket, 0);
      socket.once("close", () => this.#requests.delete(socket));
    });
    server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#count(socket, 1);
      response.once("close", () => this.#count(socket, -1));
    });
  }

  /** Also those that were opened and never used: Node's own `closeIdleConnections` waits for their first request. */
  closeUnused(): void {
    for (const [socket, requests] of this.#requests) if (requests === 0) socket.destroy();
  }

  #count(socket: Socket, delta: number): void {
    const requests = this.#requests.get(socket);
    if (requests !== undefined) this.#requests.set(socket, requests + delta);
  }
}
