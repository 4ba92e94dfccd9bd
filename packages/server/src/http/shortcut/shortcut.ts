import type { Server } from "node:http";
import type { Socket } from "node:net";
import createRouter, { type Config, type HTTPMethod, type HTTPVersion, type Instance } from "find-my-way";
import type { Reply } from "../reply.ts";
import { type PlainRequest, PlainRequestReader } from "./plain-request.ts";
import { ShortcutConnection } from "./shortcut-connection.ts";

/** What a route makes its answer of. */
export type ShortcutCall = {
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: unknown;
  readonly body: unknown;
  readonly headers: { readonly "content-type": string | undefined };
};

export type ShortcutAnswer = (call: ShortcutCall, reply: Reply) => unknown;

export type ShortcutRequest = { readonly method: string; readonly originalUrl: string };

type Route = { readonly answer: ShortcutAnswer | undefined };

type ShortcutOptions = {
  readonly routerOptions: Config<HTTPVersion.V1>;
  readonly mostBodyBytes: number;
  /** Paths without a route, though the router would find one. */
  readonly isNothing: (url: string) => boolean;
  readonly fail: (error: unknown, request: ShortcutRequest, reply: Reply) => void;
};

/** A little longer than was promised: nobody shall send into a connection that is closing. */
const IDLE_GRACE_MS = 1000;

/**
 * A shortcut for plain requests, beside Node's HTTP server and Fastify: a request that arrives whole and has nothing unusual is
 * read, routed and answered without the objects that streams and hooks need. Everything else goes the usual way, and its
 * connection with it. What a route does and answers is the same on both ways. Decision 0012 says what it is worth.
 */
export class Shortcut {
  readonly #options: ShortcutOptions;
  readonly #router: Instance<HTTPVersion.V1>;
  readonly #connections = new Map<Socket, ShortcutConnection>();
  #isClosing = false;
  #commonHeaders = "";
  #commonHeadersSecond = 0;

  constructor(options: ShortcutOptions) {
    this.#options = options;
    this.#router = createRouter(options.routerOptions);
  }

  /** Every route has to be known, those that are not for the shortcut too: which one a path leads to is decided among all. */
  add(method: string, url: string, answer: ShortcutAnswer | undefined): void {
    const route: Route = { answer };
    this.#router.on(method as HTTPMethod, url, () => undefined, route);
  }

  /** Takes over the connections of a server, and gives back what is not for the shortcut. */
  open(server: Server): void {
    const reader = new PlainRequestReader({ mostBodyBytes: this.#options.mostBodyBytes });
    const idleMs = server.keepAliveTimeout + IDLE_GRACE_MS;
    const sweep = setInterval(() => {
      for (const connection of this.#connections.values()) connection.closeIfIdle();
    }, idleMs).unref();
    server.once("close", () => clearInterval(sweep));
    const usual = server.listeners("connection");
    server.removeAllListeners("connection");
    server.on("connection", (socket: Socket) => {
      const connection = new ShortcutConnection({
        socket,
        reader,
        commonHeaders: () => this.#headersNow(server.keepAliveTimeout),
        serve: (request, reply) => this.#serve(request, reply),
        leave(socket, bytes) {
          // Paused until someone listens again: what was read goes back first.
          socket.pause();
          socket.unshift(bytes);
          for (const listener of usual) Reflect.apply(listener, server, [socket]);
          socket.resume();
        },
        onGone: (socket) => this.#connections.delete(socket),
      });
      this.#connections.set(socket, connection);
    });
  }

  /** From here on, connections are closed where nothing is under way, and new requests go the usual way. */
  closeUnused(): void {
    this.#isClosing = true;
    for (const [socket, connection] of this.#connections) if (connection.isIdle) socket.destroy();
  }

  #serve({ method, url, contentType, body }: PlainRequest, reply: Reply): boolean {
    if (this.#isClosing || this.#options.isNothing(url)) return false;
    const found = this.#router.find(method as HTTPMethod, url);
    const answer = (found?.store as Route | undefined)?.answer;
    if (found === null || answer === undefined) return false;
    const fail = (error: unknown) => this.#options.fail(error, { method, originalUrl: url }, reply);
    try {
      const { params, searchParams: query } = found;
      const answered = answer({ params, query, body, headers: { "content-type": contentType } }, reply);
      if (answered instanceof Promise) answered.catch(fail);
    } catch (error) {
      fail(error);
    }
    return true;
  }

  /** Made once a second. */
  #headersNow(keepAliveMs: number): string {
    const second = Math.floor(Date.now() / 1000);
    if (second !== this.#commonHeadersSecond) {
      this.#commonHeadersSecond = second;
      const date = new Date(1000 * second).toUTCString();
      const seconds = Math.floor(keepAliveMs / 1000);
      this.#commonHeaders = `Date: ${date}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n`;
    }
    return this.#commonHeaders;
  }
}
