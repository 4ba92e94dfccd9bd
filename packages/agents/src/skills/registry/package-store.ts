import type { Runtime } from "@downbeat/server";

const COLLECTION = "skill-packages";
const PIECE_BYTES = 256 * 1024;
/** Pieces in one commit, and in memory as text at a time. */
const AT_ONCE = 8;

/** The packages of skills, byte by byte in the store itself: every server on it has them. */
export class PackageStore {
  readonly #runtime: Runtime;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Resolves when all of it is on disk. */
  async write(key: string, bytes: Buffer): Promise<void> {
    const count = pieces(bytes.length);
    for (let first = 0; first < count; first += AT_ONCE) {
      const documents = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, index) => {
        const at = (first + index) * PIECE_BYTES;
        const body = bytes.toString("base64", at, Math.min(at + PIECE_BYTES, bytes.length));
        return { collection: COLLECTION, id: idOf(key, first + index), body, mustBeNew: false };
      });
      await this.#runtime.store.commit({ kind: "put-documents", documents });
    }
  }

  async read(key: string, size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let piece = 0; piece < pieces(size); piece++) {
      const body = await this.#runtime.store.documents.find(COLLECTION, idOf(key, piece));
      if (body === undefined)
        throw new Error(`Expected ${pieces(size)} pieces of the skill package ${key}, got ${piece}`);
      parts.push(Buffer.from(body, "base64"));
    }
    return Buffer.concat(parts);
  }

  async remove(key: string, size: number): Promise<void> {
    const ids = Array.from({ length: pieces(size) }, (_, piece) => idOf(key, piece));
    await this.#runtime.store.commit({ kind: "delete-documents", collection: COLLECTION, ids });
  }
}

const pieces = (size: number): number => Math.ceil(size / PIECE_BYTES);
const idOf = (key: string, piece: number): string => `${key}/${String(piece).padStart(6, "0")}`;
