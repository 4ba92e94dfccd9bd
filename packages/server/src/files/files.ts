import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { conflict, HttpError, invalidInput, notFound } from "../http/errors.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { isFamily } from "./family.ts";
import { FileNotes } from "./file-notes.ts";
import { type FileRecord, parseFileId, uploadStatus } from "./file-record.ts";
import { type FileStorage, type MultipartStorage, type SignedUrl, StorageRefusal } from "./file-storage.ts";
import type { LocalFiles } from "./local.ts";
import { openFileStorage } from "./open-storage.ts";

const CLEAN_UP_MS = 3_600_000;

export type NewFile = Pick<FileRecord, "workflowId" | "fileName" | "contentType" | "taskId">;

type Page = { readonly start: number; readonly limit: number };
type FilePage = { readonly totalHits: number; readonly records: readonly FileRecord[] };

/** Whether the caller must own the file, or only be of its family. Undefined: the path names no caller. */
export type Caller = { readonly workflowId: string; readonly must: "own" | "see" };

/** Files of executions: what is known of them, who may reach them, and where their bytes are. */
export class Files {
  readonly notes: FileNotes;
  readonly #runtime: Runtime;
  readonly #handlePrefix: string;
  #storage: FileStorage | undefined;
  #local: LocalFiles | undefined;
  #timer: NodeJS.Timeout | undefined;
  #cleaning: Promise<void> = Promise.resolve();

  constructor(runtime: Runtime) {
    const { config } = runtime;
    this.#runtime = runtime;
    this.notes = new FileNotes(runtime.store);
    this.#handlePrefix = config["service.file-storage.handle-prefix"] || `${config["service.brand"]}://file/`;
  }

  /** Opens the backend, and clears away what a crash left half done. */
  async start(): Promise<void> {
    const { storage, local } = await openFileStorage(this.#runtime, this.notes);
    this.#storage = storage;
    this.#local = local;
    this.#cleaning = this.#cleanUp(true);
    await this.#cleaning;
    this.#timer = setInterval(() => {
      this.#cleaning = this.#cleanUp(false);
    }, CLEAN_UP_MS);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#cleaning;
    this.#storage?.close?.();
  }

  get storage(): FileStorage {
    if (this.#storage === undefined) throw new HttpError(503, "The server is still starting", { retryable: true });
    return this.#storage;
  }

  /** The backend when this server serves the bytes itself. */
  get local(): LocalFiles | undefined {
    return this.#local;
  }

  handleOf = ({ fileId }: Pick<FileRecord, "fileId">): string => this.#handlePrefix + fileId;

  async create(file: NewFile, origin: string): Promise<{ readonly record: FileRecord; readonly upload: SignedUrl }> {
    const record = { ...file, fileId: randomUUID(), createdAt: this.#runtime.clock(), uploaded: undefined };
    const upload = await this.storage.uploadUrl(record, origin);
    await this.notes.create(record);
    return { record, upload };
  }

  /** A file that the server itself has made, whole. */
  async store(file: NewFile, bytes: Uint8Array): Promise<FileRecord> {
    const { record, upload } = await this.create(file, "");
    if (this.#local === undefined) await this.#send(upload, bytes);
    else await this.#local.write(record, Readable.from([bytes]));
    return await this.confirm(record);
  }

  async #send({ url }: SignedUrl, bytes: Uint8Array): Promise<void> {
    // Copied: what is sent must not lie in memory that others may change.
    const response = await fetch(url, {
      method: "PUT",
      headers: { ...this.storage.uploadHeaders },
      body: Uint8Array.from(bytes),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`Expected the file store to take a file, got status ${response.status}`);
  }

  /** The file, when there is one and the caller may have it. */
  async load(idOrHandle: string, caller: Caller | undefined): Promise<FileRecord> {
    const fileId = parseFileId(idOrHandle, this.#handlePrefix);
    const record = fileId === undefined ? undefined : await this.notes.find(fileId);
    if (record === undefined) throw notFound(`File not found: ${fileId ?? idOrHandle.slice(0, 200)}`);
    if (caller?.must === "own" && caller.workflowId !== record.workflowId)
      throw new HttpError(403, `Workflow does not own file: ${record.fileId}`);
    if (caller?.must === "see" && !(await isFamily(this.#runtime, caller.workflowId, record.workflowId)))
      throw new HttpError(403, `Workflow cannot access file: ${record.fileId}`);
    return record;
  }

  /** Files an execution owns, some of them. */
  async listOf(workflowId: string, page: Page): Promise<FilePage> {
    const { total, fileIds } = await this.notes.page(workflowId, page);
    const found = await Promise.all(fileIds.map((fileId) => this.notes.find(fileId)));
    // One that is being removed may be gone from one place and not yet from the other.
    return { totalHits: total, records: found.filter((record) => record !== undefined) };
  }

  async downloadUrl(record: FileRecord, origin: string): Promise<SignedUrl> {
    const { fileId, uploaded } = record;
    if (uploaded === undefined) throw invalidInput(`File not yet uploaded: ${fileId}, status=${uploadStatus(record)}`);
    return await this.storage.downloadUrl(record, uploaded, origin);
  }

  async confirm(record: FileRecord): Promise<FileRecord> {
    if (record.uploaded !== undefined) throw alreadyUploaded(record);
    const confirmed = await this.#confirm(record, "File not found on storage backend");
    if (confirmed === undefined) throw alreadyUploaded(record);
    return confirmed;
  }

  get multipart(): MultipartStorage {
    const { multipart } = this.storage;
    if (multipart === undefined) throw invalidInput("Local file storage does not support multipart uploads");
    return multipart;
  }

  async initiateMultipart(record: FileRecord): ReturnType<MultipartStorage["initiate"]> {
    const { multipart } = this;
    if (record.uploaded !== undefined) throw alreadyUploaded(record);
    return await multipart.initiate(record);
  }

  async partUrl(record: FileRecord, uploadId: string, partNumber: number): Promise<SignedUrl> {
    return await this.multipart.partUrl(record, uploadId, partNumber).catch(asInvalidInput);
  }

  /** May be repeated: an answer can get lost. */
  async completeMultipart(record: FileRecord, uploadId: string, partETags: readonly string[]): Promise<FileRecord> {
    const { multipart } = this;
    if (record.uploaded !== undefined) return record;
    await multipart.complete(record, uploadId, partETags).catch(asInvalidInput);
    const confirmed = await this.#confirm(record, "File not found on storage after multipart complete");
    return confirmed ?? (await this.load(record.fileId, undefined));
  }

  /** Undefined when someone else was faster. */
  async #confirm(record: FileRecord, whenMissing: string): Promise<FileRecord | undefined> {
    const object = await this.storage.find(record);
    if (object === undefined) throw new HttpError(500, `${whenMissing}: ${record.fileId}`);
    const uploaded = { ...object, at: this.#runtime.clock() };
    if (!(await this.notes.confirm(record.fileId, uploaded))) return undefined;
    await this.storage.settle?.(record, object);
    return { ...record, uploaded };
  }

  // What happens when an execution is removed.

  isOwner = (workflowId: string): Promise<boolean> => this.notes.hasAny(workflowId);

  async removeAllOf(workflowId: string): Promise<void> {
    for (;;) {
      const fileIds = await this.notes.listOf(workflowId);
      if (fileIds.length === 0) return;
      for (const fileId of fileIds) await this.#remove({ fileId, workflowId });
    }
  }

  /** The bytes first: while the note is there, a removal that was cut off is found again. */
  async #remove(place: Pick<FileRecord, "fileId" | "workflowId">): Promise<void> {
    await this.storage.remove(place);
    await this.notes.remove(place);
  }

  async #cleanUp(isStart: boolean): Promise<void> {
    try {
      await this.#removeUnconfirmed();
      await this.storage.cleanUp?.(isStart);
    } catch (error) {
      // Nothing depends on it: the next round tries again.
      this.#runtime.log.error("Half uploads could not be cleared away; trying again later", { error: String(error) });
    }
  }

  async #removeUnconfirmed(): Promise<void> {
    const before = this.#runtime.clock() - this.#runtime.config["service.file-storage.upload-timeout"];
    for (const place of await this.notes.pending()) {
      const record = await this.notes.find(place.fileId);
      if (record?.uploaded !== undefined) await this.notes.settlePending(place.fileId);
      else if (record === undefined || record.createdAt < before) await this.#remove(place);
    }
  }
}

const alreadyUploaded = ({ fileId }: FileRecord): HttpError => conflict(`File already uploaded: ${fileId}`);

/** What the backend refused because of what it was given is the caller's mistake. */
function asInvalidInput(error: unknown): never {
  throw error instanceof StorageRefusal ? invalidInput(error.message) : error;
}
