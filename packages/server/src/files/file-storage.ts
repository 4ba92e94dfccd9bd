import { createHash } from "node:crypto";
import type { StoredObject } from "./file-record.ts";

/** Where the bytes of a file lie: the owner and the file. */
export type FilePlace = { readonly workflowId: string; readonly fileId: string };

/** A URL is for one file and one purpose, and only until it expires. */
export type SignedUrl = { readonly url: string; readonly expiresAt: number };

/** What a backend must do. Bytes travel between the client and the URLs it hands out. */
export interface FileStorage {
  /** As the interface names it. */
  readonly storageType: string;
  /** `origin`: where the request came to, for a backend that this server serves itself. */
  uploadUrl(place: FilePlace, origin: string): Promise<SignedUrl>;
  /** What an upload to that URL must say beside its bytes. */
  readonly uploadHeaders?: Readonly<Record<string, string>>;
  downloadUrl(place: FilePlace, object: StoredObject, origin: string): Promise<SignedUrl>;
  /** What was uploaded so far; undefined when there is nothing, or not all of it. */
  find(place: FilePlace): Promise<StoredObject | undefined>;
  /** The confirmation is on disk: other uploads of the same file will not be asked for. */
  settle?(place: FilePlace, object: StoredObject): Promise<void>;
  /** Everything of the file: also what nobody confirmed. */
  remove(place: FilePlace): Promise<void>;
  /** Absent: uploads in parts are not supported. */
  readonly multipart?: MultipartStorage;
  /** Removes what no record leads to. `isStart`: nobody else can be writing now. */
  cleanUp?(isStart: boolean): Promise<void>;
  close?(): void;
}

export interface MultipartStorage {
  /** `uploadUrl`: one URL that takes all parts, where the backend works that way. */
  initiate(place: FilePlace): Promise<{ readonly uploadId: string; readonly uploadUrl: string | null }>;
  partUrl(place: FilePlace, uploadId: string, partNumber: number): Promise<SignedUrl>;
  /** In the order of their numbers. */
  complete(place: FilePlace, uploadId: string, partETags: readonly string[]): Promise<void>;
  /** Not an error when there is no such upload. */
  abort(place: FilePlace, uploadId: string): Promise<void>;
}

/** The backend cannot do what it was asked because of what the caller said. */
export class StorageRefusal extends Error {}

/** The object's name in a store, or its path in a folder. A workflow id is a caller's text: what is not plain is hashed. */
export const objectName = ({ workflowId, fileId }: FilePlace): string => `service/${plainName(workflowId)}/${fileId}`;

function plainName(text: string): string {
  // Lower case only: two ids that a file system holds for the same must not meet.
  if (/^[a-z0-9][a-z0-9_-]{0,99}$/.test(text)) return text;
  return `~${createHash("sha256").update(text).digest("hex")}`;
}
