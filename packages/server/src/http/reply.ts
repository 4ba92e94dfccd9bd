import type { Readable } from "node:stream";

/** What routes need of an answer, whether Fastify sends it or the shortcut. */
export type Reply = {
  /** Tells when the answer has left, or never will. */
  readonly raw: Departure;
  readonly code: (status: number) => Reply;
  readonly header: (name: string, value: string) => Reply;
  readonly serializer: (write: (payload: unknown) => string) => Reply;
  readonly send: (payload?: string | Buffer | Readable) => Reply;
};

/** "close" comes once: with the last byte (`writableFinished`), or when the caller has hung up. */
export type Departure = {
  readonly destroyed: boolean;
  readonly writableFinished: boolean;
  readonly once: (event: "close", listener: () => void) => unknown;
  readonly off: (event: "close", listener: () => void) => unknown;
};

/** A bare string; several SDKs choose their decoder by this exact header. */
export function sendText(reply: Reply, text: string): Reply {
  return reply.header("content-type", "text/plain;charset=UTF-8").send(text);
}

/** JSON that is text already, or even bytes. */
export function sendJson(reply: Reply, text: string | Buffer): Reply {
  // With a serializer of its own, a reply keeps its content type; without one Fastify adds a charset to it.
  return reply.header("content-type", "application/json").serializer(asItIs).send(text);
}

/** Any value, as JSON. */
export const sendValue = (reply: Reply, value: unknown): Reply => sendJson(reply, JSON.stringify(value));

const asItIs = (text: unknown): string => text as string;
