import { createHash, type Hash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, opendir, rename, rm, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Readable } from "node:stream";
import type { StoredObject } from "./file-record.ts";
import { type FilePlace, type FileStorage, objectName, type SignedUrl } from "./file-storage.ts";
import type { UrlSigner } from "./url-signer.ts";

export type LocalFilesOptions = {
  readonly storageType: string;
  readonly directory: string;
  /** Empty: the address the request came to. */
  readonly baseUrl: string;
  readonly maxBytes: number;
  readonly expirationMs: number;
  /** Undefined: URLs are not signed. */
  readonly signer: UrlSigner | undefined;
  readonly now: () => number;
  /** What was uploaded last, and what counts: kept by the caller, because bytes cannot say it themselves. */
  readonly content: ContentNotes;
  /** Other servers write into the same folder. */
  readonly isShared: boolean;
};

export interface ContentNotes {
  /** On disk when this resolves. Rejects when the file takes no content any more. */
  put(fileId: string, object: StoredObject): Promise<void>;
  find(fileId: string): Promise<StoredObject | undefined>;
  /** The version that counts: that of the confirmation, else the last one uploaded. */
  currentVersion(fileId: string): Promise<string | undefined>;
}

/** The upload has more bytes than are allowed. */
export class TooLarge extends Error {}

const PART = ".part";
/** A part that was not written to for this long has no writer, on any server. */
const STALE_MS = 3_600_000;

/**
 * Files in a folder of this machine. Every upload gets a name of its own: it is written beside, synced, renamed, and only
 * then noted, so that a half upload is never seen and two uploads at once do not mix.
 */
export class LocalFiles implements FileStorage {
  readonly storageType: string;
  readonly maxBytes: number;
  readonly signer: UrlSigner | undefined;
  readonly #options: LocalFilesOptions;
  readonly #directory: string;
  /** Of this process, under way. */
  readonly #writing = new Set<string>();

  constructor(options: LocalFilesOptions) {
    this.#options = options;
    this.#directory = resolve(options.directory);
    this.storageType = options.storageType;
    this.maxBytes = options.maxBytes;
    this.signer = options.signer;
  }

  async uploadUrl(place: FilePlace, origin: string): Promise<SignedUrl> {
    return this.#url(place, "upload", origin);
  }

  async downloadUrl(place: FilePlace, _object: StoredObject, origin: string): Promise<SignedUrl> {
    return this.#url(place, "download", origin);
  }

  #url({ workflowId, fileId }: FilePlace, purpose: "upload" | "download", origin: string): SignedUrl {
    const { baseUrl, now, expirationMs, signer } = this.#options;
    // Whole seconds, because that is what the signature says: an answer never promises more than the URL holds.
    const expiresAt = Math.ceil((now() + expirationMs) / 1000) * 1000;
    const base = (baseUrl === "" ? origin : baseUrl).replace(/\/+$/, "");
    const path = `${base}/api/files/content/${encodeURIComponent(workflowId)}/${fileId}`;
    const query = signer?.sign({ purpose, workflowId, fileId }, expiresAt);
    return { url: query === undefined ? path : `${path}?${query}`, expiresAt };
  }

  /** Takes the bytes of an upload. They count when this resolves. */
  async write(place: FilePlace, body: AsyncIterable<Uint8Array>): Promise<StoredObject> {
    const version = randomBytes(8).toString("hex");
    const target = this.#path(place, version);
    const part = target + PART;
    this.#writing.add(basename(target));
    try {
      await mkdir(dirname(target), { recursive: true });
      const { size, hash } = await this.#writePart(part, body);
      await rename(part, target);
      await syncFolder(dirname(target));
      const object = { size, hash: hash.digest("hex"), version };
      await this.#options.content.put(place.fileId, object);
      return object;
    } catch (error) {
      await rm(part, { force: true });
      await rm(target, { force: true });
      throw error;
    } finally {
      this.#writing.delete(basename(target));
    }
  }

  async #writePart(part: string, body: AsyncIterable<Uint8Array>): Promise<{ size: number; hash: Hash }> {
    const handle = await open(part, "wx");
    try {
      const hash = createHash("sha256");
      let size = 0;
      for await (const chunk of body) {
        size += chunk.length;
        if (size > this.maxBytes) throw new TooLarge();
        hash.update(chunk);
        await writeAll(handle, chunk);
      }
      await handle.sync();
      return { size, hash };
    } finally {
      await handle.close();
    }
  }

  /** The bytes of a confirmed upload, or some of them; undefined when they are gone. */
  async read(
    place: FilePlace,
    { version = "" }: StoredObject,
    range?: { readonly start: number; readonly end: number },
  ): Promise<Readable | undefined> {
    const path = this.#path(place, version);
    const handle = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    return handle === undefined ? undefined : createReadStream(path, { fd: handle, ...range });
  }

  async find({ fileId }: FilePlace): Promise<StoredObject | undefined> {
    return await this.#options.content.find(fileId);
  }

  async settle(place: FilePlace, { version }: StoredObject): Promise<void> {
    await this.#removeVersions(place, version);
  }

  async remove(place: FilePlace): Promise<void> {
    await this.#removeVersions(place, undefined);
    await removeIfEmpty(join(this.#directory, dirname(objectName(place))));
  }

  async #removeVersions(place: FilePlace, kept: string | undefined): Promise<void> {
    const folder = join(this.#directory, dirname(objectName(place)));
    for await (const { name } of entriesOf(folder)) {
      const [fileId, version] = name.split(".");
      if (fileId === place.fileId && version !== kept) await rm(join(folder, name), { force: true });
    }
  }

  /** Removes parts that nobody writes any more, and uploads that were cut off before they were noted. */
  async cleanUp(isStart: boolean): Promise<void> {
    const isIdle = isStart && !this.#options.isShared;
    const root = join(this.#directory, "service");
    for await (const folder of entriesOf(root)) {
      if (!folder.isDirectory()) continue;
      for await (const { name } of entriesOf(join(root, folder.name))) {
        const path = join(root, folder.name, name);
        if (!this.#writing.has(name.replace(PART, "")) && (isIdle || (await isStale(path))))
          await this.#removeOrphan(path);
      }
      await removeIfEmpty(join(root, folder.name));
    }
  }

  async #removeOrphan(path: string): Promise<void> {
    const [fileId = "", version = "", part] = basename(path).split(".");
    if (part === undefined && (await this.#options.content.currentVersion(fileId)) === version) return;
    await rm(path, { force: true });
  }

  #path(place: FilePlace, version: string): string {
    return join(this.#directory, `${objectName(place)}.${version}`);
  }
}

async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.length; ) {
    written += (await handle.write(chunk, written, chunk.length - written)).bytesWritten;
  }
}

/** A new name is safe when its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** None when there is no such folder. */
async function* entriesOf(folder: string) {
  try {
    yield* await opendir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

async function isStale(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > STALE_MS;
}

/** A folder in which an upload has just begun stays. */
async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined);
}
