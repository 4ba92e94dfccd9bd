import { randomUUID } from "node:crypto";
import { createReadStream, type ReadStream } from "node:fs";
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";

/**
 * Payloads that clients hand over apart from their requests, as files in one folder. A file is there whole or not at
 * all: it is written beside, synced, and moved to its place.
 */
export class ExternalPayloads {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  /** A place of its own for every payload, under the path the client asked for. */
  newPath = (path: string): string => `${path}${randomUUID()}.json`;

  /** Whether the path leads to a place inside the folder. */
  isInside = (path: string): boolean => this.#fileOf(path) !== undefined;

  /** False when there can be no file of this path: it leads out of the folder, or is too long, or is a folder. */
  async put(path: string, content: string): Promise<boolean> {
    const file = this.#fileOf(path);
    if (file === undefined) return false;
    const part = `${file}.${randomUUID()}.part`;
    try {
      await mkdir(dirname(file), { recursive: true });
      const handle = await open(part, "w");
      try {
        await handle.writeFile(content);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(part, file);
      return true;
    } catch (error) {
      await rm(part, { force: true }).catch(() => undefined);
      if (isAboutThePath(error)) return false;
      throw error;
    }
  }

  async find(path: string): Promise<{ readonly size: number; readonly stream: ReadStream } | undefined> {
    const file = this.#fileOf(path);
    const found = file === undefined ? undefined : await stat(file).catch(() => undefined);
    if (file === undefined || found === undefined || !found.isFile()) return undefined;
    return { size: found.size, stream: createReadStream(file) };
  }

  /** The text of a payload; undefined when there is none. */
  async read(path: string): Promise<string | undefined> {
    const file = this.#fileOf(path);
    return file === undefined ? undefined : await readFile(file, "utf8").catch(() => undefined);
  }

  #fileOf(path: string): string | undefined {
    if (path === "" || path.includes("\0")) return undefined;
    const file = join(this.#folder, path);
    const inside = relative(this.#folder, file);
    return inside === "" || inside.startsWith("..") ? undefined : file;
  }
}

const pathErrors = new Set(["ENAMETOOLONG", "ENOTDIR", "EEXIST", "EISDIR", "ENOTEMPTY"]);

const isAboutThePath = (error: unknown): boolean =>
  error instanceof Error && "code" in error && pathErrors.has(String(error.code));
