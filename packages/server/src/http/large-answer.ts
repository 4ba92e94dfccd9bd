import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { LargePayloads } from "../payloads/large-payloads.ts";
import { splitAtPlaceholders } from "../payloads/reference.ts";
import { sendJson } from "./reply.ts";

/** JSON that is text already, with placeholders where large payloads are copied in on the way out. */
export function sendWithPayloads(payloads: LargePayloads, reply: FastifyReply, text: string): FastifyReply {
  const pieces = splitAtPlaceholders(text);
  if (pieces.length === 1) return sendJson(reply, text);
  return reply
    .header("content-type", "application/json")
    .send(Readable.from(copyIn(payloads, pieces), { objectMode: false }));
}

async function* copyIn(payloads: LargePayloads, pieces: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const [index, piece] of pieces.entries()) {
    if (index % 2 === 0) {
      yield Buffer.from(piece);
      continue;
    }
    const found = await payloads.store.find(decodeURIComponent(piece));
    if (found === undefined) yield Buffer.from("{}");
    else yield* found.stream as AsyncIterable<Uint8Array>;
  }
}
