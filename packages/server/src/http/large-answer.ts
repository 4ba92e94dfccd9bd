import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { LargePayloads } from "../payloads/large-payloads.ts";
import { splitAtPlaceholders } from "../payloads/reference.ts";
import { type Reply, sendJson } from "./reply.ts";
import type { Pieces } from "./wire/pieces.ts";

/** JSON that is text already, with placeholders where large payloads are copied in on the way out. */
export function sendWithPayloads(payloads: LargePayloads, reply: Reply, text: string): Reply {
  const pieces = splitAtPlaceholders(text);
  if (pieces.length === 1) return sendJson(reply, text);
  return reply
    .header("content-type", "application/json")
    .send(Readable.from(copyIn(payloads, pieces), { objectMode: false }));
}

/**
 * JSON in pieces, without placeholders. What is large is made while it is sent, a chunk at a time: it is never one long
 * text, and others have their turn in between.
 */
export function sendPieces(reply: Reply, lists: Iterator<Pieces>): Reply {
  const first: string[] = [];
  for (let length = 0; length < CHUNK; ) {
    const { done, value } = lists.next();
    if (done) return sendJson(reply, first.join(""));
    for (const piece of value) {
      first.push(piece);
      length += piece.length;
    }
  }
  return reply
    .header("content-type", "application/json")
    .send(Readable.from(chunksOf(first, lists), { objectMode: false }));
}

const CHUNK = 256 * 1024;

async function* chunksOf(first: Pieces, others: Iterator<Pieces>): AsyncGenerator<Uint8Array> {
  let chunk = Buffer.allocUnsafe(CHUNK);
  let at = 0;
  for (let pieces: Pieces | undefined = first; pieces !== undefined; pieces = others.next().value) {
    for (const piece of pieces) {
      // A character takes three bytes at most.
      const room = 3 * piece.length;
      if (at > 0 && at + room > CHUNK) {
        yield chunk.subarray(0, at);
        await setImmediate();
        chunk = Buffer.allocUnsafe(CHUNK);
        at = 0;
      }
      if (room > CHUNK) yield Buffer.from(piece);
      else at += chunk.write(piece, at);
    }
  }
  if (at > 0) yield chunk.subarray(0, at);
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
