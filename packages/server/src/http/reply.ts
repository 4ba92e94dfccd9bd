import type { FastifyReply } from "fastify";

/** A bare string; several SDKs choose their decoder by this exact header. */
export function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.header("content-type", "text/plain;charset=UTF-8").send(text);
}

/** JSON that is text already, or even bytes. */
export function sendJson(reply: FastifyReply, text: string | Buffer): FastifyReply {
  // With a serializer of its own, a reply keeps its content type; without one Fastify adds a charset to it.
  return reply.header("content-type", "application/json").serializer(asItIs).send(text);
}

/** Any value, as JSON. */
export const sendValue = (reply: FastifyReply, value: unknown): FastifyReply => sendJson(reply, JSON.stringify(value));

const asItIs = (text: unknown): string => text as string;
