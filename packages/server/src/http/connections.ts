import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Knows which connections have a request under way, so that a stopping server can close the others. */
export class Connections {
  readonly #requests = new Map<Socket, Set<IncomingMessage>>();

  constructor(server: Server) {
    server.on("connection", (socket: Socket) => {
      this.#requests.set(socket, new Set());
      socket.once("close", () => this.#requests.delete(socket));
    });
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      const requests = this.#requests.get(request.socket);
      requests?.add(request);
      response.once("close", () => requests?.delete(request));
    });
  }

  /**
   * Also those that were opened and never used, and those whose request has not arrived whole: nothing was begun for
   * them. Node's own `closeIdleConnections` waits for both.
   */
  closeUnused(): void {
    for (const [socket, requests] of this.#requests) {
      const hasBegun = requests.values().some((request) => request.complete);
      if (!hasBegun) socket.destroy();
    }
  }
}
