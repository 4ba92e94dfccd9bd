import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { LargePayloads } from "../payloads/large-payloads.ts";
import { hasPlaceholder, splitAtPlaceholders } from "../payloads/reference.ts";
import { sendJson } from "./reply.ts";

/** JSON that is text already, with placeholders where large payloads are copied in on the way out. */
export function sendWithPayloads(payloads: LargePayloads, reply: FastifyReply, text: string): FastifyReply {
  const pieces = splitAtPlaceholders(text);
  if (pieces.length === 1) return sendJson(reply, text);
  return reply
    .header("content-type", "application/json")
    .send(Readable.from(copyIn(payloads, pieces), { objectMode: false }));
}

/** The same for an answer in pieces: a large one becomes bytes piece by piece, never one long text. */
export function sendPieces(payloads: LargePayloads, reply: FastifyReply, pieces: readonly string[]): FastifyReply {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length < LARGE || pieces.some(hasPlaceholder)) return sendWithPayloads(payloads, reply, pieces.join(""));
  return sendJson(reply, toBytes(pieces, length));
}

const LARGE = 64 * 1024;

const encoder = new TextEncoder();

function toBytes(pieces: readonly string[], length: number): Buffer {
  // Most answers have as many bytes as characters: how many there are is only counted when they do not fit.
  return encode(pieces, length) ?? encode(pieces, bytesOf(pieces)) ?? Buffer.from(pieces.join(""));
}

function encode(pieces: readonly string[], length: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const piece of pieces) {
    const { read, written } = encoder.encodeInto(piece, bytes.subarray(at));
    if (read < piece.length) return undefined;
    at += written;
  }
  return bytes;
}

const bytesOf = (pieces: readonly string[]): number => pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);

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
