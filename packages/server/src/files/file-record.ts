/** A file of an execution. Its name, type and owner never change; `uploaded` comes with the confirmation. */
export type FileRecord = {
  readonly fileId: string;
  readonly workflowId: string;
  readonly fileName: string | undefined;
  readonly contentType: string | undefined;
  readonly taskId: string | undefined;
  readonly createdAt: number;
  readonly uploaded: Uploaded | undefined;
};

/** What the backend said of the bytes when the upload was confirmed. */
export type Uploaded = StoredObject & { readonly at: number };

/** Bytes that are there, whole. */
export type StoredObject = {
  readonly size: number;
  readonly hash: string;
  /** Which of several uploads counts, where the backend keeps them apart. */
  readonly version?: string;
};

export type UploadStatus = "UPLOADING" | "UPLOADED";

export const uploadStatus = ({ uploaded }: FileRecord): UploadStatus =>
  uploaded === undefined ? "UPLOADING" : "UPLOADED";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The id in a path or a handle, whichever brand the handle has; undefined when there can be no file of it. */
export function parseFileId(text: string, handlePrefix: string): string | undefined {
  const prefix = [handlePrefix, "service://file/", "conductor://file/"].find((one) => text.startsWith(one));
  const id = prefix === undefined ? text : text.slice(prefix.length);
  return UUID.test(id) ? id.toLowerCase() : undefined;
}
