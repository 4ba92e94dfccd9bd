import { Readable } from "node:stream";
import type { Store } from "@downbeat/store";
import type { PayloadSource, PayloadStore } from "./payload-store.ts";

const INDEX = "stored-payload";
const PAGE = 500;
const DIGITS = 8;

const piecesOf = (path: string): string => `stored payload ${path}`;

/** Payloads in the server's own database, in pieces. A payload is there when the index says so, which it does last. */
export class DatabasePayloads implements PayloadStore {
  readonly #store: Store;
  readonly #now: () => number;

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  async put(path: string, { bytes, open }: PayloadSource): Promise<boolean> {
    if (path === "" || path.includes("\0")) return false;
    await this.remove(path);
    const decoder = new TextDecoder();
    let number = 0;
    const putPiece = async (text: string) => {
      const piece = { collection: piecesOf(path), id: String(number++).padStart(DIGITS, "0"), body: text };
      await this.#store.commit({ kind: "put-documents", documents: [{ ...piece, mustBeNew: false }] });
    };
    for await (const chunk of open()) await putPiece(decoder.decode(chunk, { stream: true }));
    await putPiece(decoder.decode());
    const index = { collection: INDEX, id: path, body: JSON.stringify({ bytes, at: this.#now() }), mustBeNew: false };
    await this.#store.commit({ kind: "put-documents", documents: [index] });
    return true;
  }

  async find(path: string) {
    const index = await this.#store.documents.find(INDEX, path);
    if (index === undefined) return undefined;
    const { bytes } = JSON.parse(index) as { bytes: number };
    return { bytes, stream: Readable.from(this.#pieces(path), { objectMode: false }) };
  }

  async *#pieces(path: string): AsyncGenerator<Buffer> {
    // One at a time: a page of pieces could be all of a large payload.
    for (let number = 0; ; number++) {
      const piece = await this.#store.documents.find(piecesOf(path), String(number).padStart(DIGITS, "0"));
      if (piece === undefined) return;
      yield Buffer.from(piece);
    }
  }

  async remove(path: string): Promise<void> {
    await this.#store.commit({ kind: "delete-documents", collection: INDEX, ids: [path] });
    await this.#store.commit({ kind: "delete-documents", collection: piecesOf(path), ids: "all" });
  }

  async *list(before: number): AsyncGenerator<string> {
    const found: string[] = [];
    for (let start = 0; ; start += PAGE) {
      const page = await this.#store.documents.list(INDEX, { start, limit: PAGE });
      for (const { id, body } of page) if ((JSON.parse(body) as { at: number }).at < before) found.push(id);
      if (page.length < PAGE) break;
    }
    yield* found;
  }
}
