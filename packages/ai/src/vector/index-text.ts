import type { JsonObject } from "@downbeat/engine";
import type { OutsideCall } from "@downbeat/server";
import type { AiServices } from "../ai-task.ts";
import { chunkText } from "../documents/chunk.ts";
import { readDocument } from "../documents/read-document.ts";
import { embed } from "../embeddings/embed.ts";
import { TerminalError } from "../errors.ts";
import { input } from "../input.ts";
import { readPlace } from "./place.ts";
import type { IndexedDocument } from "./port.ts";

const CHUNK_SIZE = 12_000;
const CHUNK_OVERLAP = 400;
const AT_ONCE = 8;

/**
 * Embeds a text, or the document at a URL, and stores it. A text is cut into chunks only when a size is given and it is
 * longer, a document always; each chunk is a document of its own under the one it came from.
 */
export async function indexText(call: OutsideCall, services: AiServices): Promise<void> {
  const { input: from, signal } = call;
  const docId = input.text(from, "docId") ?? "";
  if (docId.trim() === "") throw new TerminalError("docId is empty");
  const place = readPlace(from, docId);
  const store = await services.tools.vectors.find(input.text(from, "vectorDB") ?? "");
  const pieces = await piecesOf(call, docId, services);
  const metadata = input.object(from, "metadata") ?? {};
  for (let at = 0; at < pieces.length; at += AT_ONCE) {
    const documents = await Promise.all(
      pieces.slice(at, at + AT_ONCE).map(async ({ id, text }): Promise<IndexedDocument> => {
        const embedding = await embedText(from, text, services, signal);
        return { id, parentId: docId, text, embedding, metadata };
      }),
    );
    await store.put(place, documents, signal);
  }
}

/** By the embedding model that a task on vectors names. */
export async function embedText(
  from: JsonObject,
  text: string,
  services: AiServices,
  signal: AbortSignal,
): Promise<readonly number[]> {
  return await embed(services.providers, {
    llmProvider: input.word(from, "embeddingModelProvider") ?? input.word(from, "llmProvider"),
    model: input.word(from, "embeddingModel") ?? input.word(from, "model") ?? "",
    baseUrl: input.word(from, "baseUrl"),
    text,
    dimensions: input.integer(from, "dimensions"),
    signal,
  });
}

type Piece = { readonly id: string; readonly text: string };

async function piecesOf(call: OutsideCall, docId: string, services: AiServices): Promise<readonly Piece[]> {
  const { input: from } = call;
  const given = input.text(from, "text") ?? "";
  const url = input.word(from, "url");
  const size = positive(input.integer(from, "chunkSize"));
  const overlap = positive(input.integer(from, "chunkOverlap")) ?? CHUNK_OVERLAP;
  if (given.trim() === "" && url === undefined)
    throw new TerminalError("No input text provided to generate embeddings");
  if (given.trim() !== "" && (size === undefined || given.length <= size)) return [{ id: docId, text: given }];
  const text = given.trim() === "" ? await readDocument(call, url ?? "", services) : given;
  const chunks = chunkText(text, { size: size ?? CHUNK_SIZE, overlap });
  if (chunks.length === 0) throw new TerminalError(`Expected the document at ${url} to hold text, found none`);
  return chunks.map((chunk, at) => ({ id: `${docId}-${at}`, text: chunk }));
}

const positive = (value: number | undefined): number | undefined =>
  value === undefined || value <= 0 ? undefined : value;
