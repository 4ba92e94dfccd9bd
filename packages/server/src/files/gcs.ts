import { randomUUID } from "node:crypto";
import type { Store } from "@downbeat/store";
import { ApiError, type Bucket, type File, Storage } from "@google-cloud/storage";
import type { StoredObject } from "./file-record.ts";
import {
  type FilePlace,
  type FileStorage,
  type MultipartStorage,
  objectName,
  type SignedUrl,
  StorageRefusal,
} from "./file-storage.ts";

export type GcsOptions = {
  readonly bucket: string;
  /** Empty: that of the credentials. */
  readonly projectId: string;
  /** What a key file holds; undefined: the application default credentials. */
  readonly credentials: object | undefined;
  /** Empty: Google's own. */
  readonly apiEndpoint: string;
  readonly expirationMs: number;
  readonly now: () => number;
  /** Keeps which upload of ours is which session of the store. */
  readonly store: Store;
};

/** How long the store keeps a session that nobody finishes. */
const SESSION_MS = 7 * 86_400_000;
/** What the store answers to a session that is given up, finished, or forgotten. */
const gone = new Set([200, 204, 404, 410, 499]);

/**
 * Files in a bucket of Google Cloud Storage. An upload in parts is one of its resumable sessions: all parts go to the same
 * URL, and the last one finishes it.
 */
export class GcsFiles implements FileStorage {
  readonly storageType = "GCS";
  readonly multipart: MultipartStorage;
  readonly #options: GcsOptions;
  readonly #bucket: Bucket;

  constructor(options: GcsOptions) {
    this.#options = options;
    const { apiEndpoint, projectId, credentials, bucket } = options;
    const storage = new Storage({
      ...(projectId === "" ? {} : { projectId }),
      ...(credentials === undefined ? {} : { credentials }),
      // A store without encryption is one for tests on this machine: it gets no token of a real account.
      ...(apiEndpoint === "" ? {} : { apiEndpoint, useAuthWithCustomEndpoint: /^https:/i.test(apiEndpoint) }),
    });
    this.#bucket = storage.bucket(bucket);
    this.multipart = this.#multipart();
  }

  uploadUrl(place: FilePlace): Promise<SignedUrl> {
    return this.#sign(place, "write");
  }

  downloadUrl(place: FilePlace): Promise<SignedUrl> {
    return this.#sign(place, "read");
  }

  async #sign(place: FilePlace, action: "read" | "write"): Promise<SignedUrl> {
    const { expirationMs, now } = this.#options;
    // Whole seconds: the client would write a fraction into the URL, and the store takes none.
    const accessibleAt = Math.floor(now() / 1000) * 1000;
    const expiresAt = accessibleAt + Math.ceil(expirationMs / 1000) * 1000;
    const [url] = await this.#file(place).getSignedUrl({ version: "v4", action, accessibleAt, expires: expiresAt });
    return { url, expiresAt };
  }

  async find(place: FilePlace): Promise<StoredObject | undefined> {
    try {
      const [{ size = 0, md5Hash, etag = "" }] = await this.#file(place).getMetadata();
      return { size: Number(size), hash: md5Hash ?? etag };
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return undefined;
      throw error;
    }
  }

  async remove(place: FilePlace): Promise<void> {
    const sessions = await this.#options.store.documents.list(sessionsOf(place), { start: 0, limit: 1000 });
    for (const { id } of sessions) await this.multipart.abort(place, id);
    await this.#file(place).delete({ ignoreNotFound: true });
  }

  #file(place: FilePlace): File {
    return this.#bucket.file(objectName(place));
  }

  #multipart(): MultipartStorage {
    const { store, now } = this.#options;
    const findSession = async (place: FilePlace, uploadId: string): Promise<string | undefined> =>
      await store.documents.find(sessionsOf(place), uploadId);
    const forget = async (place: FilePlace, uploadId: string) => {
      await store.commit({ kind: "delete-documents", collection: sessionsOf(place), ids: [uploadId] });
    };
    return {
      initiate: async (place) => {
        const [uploadUrl] = await this.#file(place).createResumableUpload();
        const uploadId = randomUUID();
        const note = { collection: sessionsOf(place), id: uploadId, body: uploadUrl, mustBeNew: true };
        await store.commit({ kind: "put-documents", documents: [note] });
        return { uploadId, uploadUrl };
      },
      partUrl: async (place, uploadId) => {
        const url = await findSession(place, uploadId);
        if (url === undefined) throw new StorageRefusal(`No upload in parts is under way: ${uploadId}`);
        return { url, expiresAt: now() + SESSION_MS };
      },
      complete: async (place, uploadId) => {
        if ((await findSession(place, uploadId)) !== undefined && (await this.find(place)) !== undefined)
          await forget(place, uploadId);
      },
      abort: async (place, uploadId) => {
        const url = await findSession(place, uploadId);
        if (url === undefined) return;
        const { status } = await fetch(url, { method: "DELETE", signal: AbortSignal.timeout(30_000) });
        if (!gone.has(status)) throw new Error(`Expected the store to give the upload up, got status ${status}`);
        await forget(place, uploadId);
      },
    };
  }
}

const sessionsOf = ({ fileId }: FilePlace): string => `upload sessions of ${fileId}`;
