import type { FastifyReply } from "fastify";

/** A bare string; several SDKs choose their decoder by this exact header. */
export function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.header("content-type", "text/plain;charset=UTF-8").send(text);
}

/** JSON that is text already. */
export function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.header("content-type", "application/json").send(text);
}
