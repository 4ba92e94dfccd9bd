import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, opendir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import type { PayloadSource, PayloadStore } from "./payload-store.ts";

const PART = ".part";

/**
 * Payloads as files in one folder. A file is there whole or not at all: it is written beside, synced, and moved to its
 * place.
 */
export class LocalPayloads implements PayloadStore {
  readonly spoolFolder: string;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = resolve(folder);
    this.spoolFolder = join(this.#folder, "spool");
  }

  async put(path: string, source: PayloadSource): Promise<boolean> {
    const file = this.#fileOf(path);
    if (file === undefined) return false;
    const part = `${file}.${randomUUID()}${PART}`;
    try {
      await mkdir(dirname(file), { recursive: true });
      if (source.file === undefined || !(await hasMoved(source.file, file))) {
        await writeSynced(part, source.open());
        await rename(part, file);
      }
      await syncFolder(dirname(file));
      return true;
    } catch (error) {
      await rm(part, { force: true }).catch(() => undefined);
      if (isAboutThePath(error)) return false;
      throw error;
    }
  }

  async find(path: string) {
    const file = this.#fileOf(path);
    const found = file === undefined ? undefined : await stat(file).catch(() => undefined);
    if (file === undefined || found === undefined || !found.isFile()) return undefined;
    return { bytes: found.size, stream: createReadStream(file, { highWaterMark: 256 * 1024 }) };
  }

  async remove(path: string): Promise<void> {
    const file = this.#fileOf(path);
    if (file !== undefined) await rm(file, { force: true });
  }

  /** Half written files among them, by names that lead to them. */
  async *list(before: number): AsyncGenerator<string> {
    const folder = await opendir(this.#folder, { recursive: true }).catch(() => undefined);
    if (folder === undefined) return;
    for await (const entry of folder) {
      const file = join(entry.parentPath, entry.name);
      const found = entry.isFile() ? await stat(file).catch(() => undefined) : undefined;
      if (found !== undefined && found.mtimeMs < before) yield relative(this.#folder, file);
    }
  }

  #fileOf(path: string): string | undefined {
    if (path === "" || path.includes("\0")) return undefined;
    const file = join(this.#folder, path);
    const inside = relative(this.#folder, file);
    return inside === "" || inside.startsWith("..") ? undefined : file;
  }
}

async function writeSynced(file: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(file, "wx");
  try {
    for await (const chunk of chunks) await handle.writeFile(chunk);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** False when the two are on different disks: then it must be copied. */
async function hasMoved(from: string, to: string): Promise<boolean> {
  const handle = await open(from, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EXDEV") return false;
    throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const pathErrors = new Set(["ENAMETOOLONG", "ENOTDIR", "EEXIST", "EISDIR", "ENOTEMPTY"]);

const isAboutThePath = (error: unknown): boolean =>
  error instanceof Error && "code" in error && pathErrors.has(String(error.code));
