import type { Runtime } from "@downbeat/server";
import { HttpError } from "@downbeat/server";
import { TerminalError } from "../errors.ts";
import { readBytes } from "../outbound/read-bytes.ts";
import type { LoadedDocument, LoadOptions } from "./document-loader.ts";
import { mimeTypeOf } from "./mime-types.ts";

/** True of a handle of the file store, such as `service://file/<id>`. */
export const isFileHandle = (location: string, prefix: string): boolean =>
  [prefix, "service://file/", "conductor://file/"].some((one) => one !== "" && location.startsWith(one));

/** The bytes of a file that the execution may see: its own, or one of its family. */
export async function readFileHandle(
  { files }: Runtime,
  handle: string,
  { executionId, signal }: LoadOptions,
  maxBytes: number,
): Promise<LoadedDocument> {
  if (files === undefined) {
    throw new TerminalError(`Expected a file store for ${handle}: set service.file-storage.enabled=true`);
  }
  try {
    const record = await files.load(handle, { workflowId: executionId, must: "see" });
    const { uploaded, contentType } = record;
    if (uploaded === undefined) {
      throw new Error(`File not yet uploaded: ${record.fileId}; put its bytes and confirm them with upload-complete`);
    }
    if (uploaded.size > maxBytes) {
      throw new TerminalError(`Expected a document of at most ${maxBytes} bytes, got ${uploaded.size}`);
    }
    const mimeType = plainType(contentType) ?? mimeTypeOf(record.fileName ?? "");
    if (files.local !== undefined) {
      const stream = await files.local.read(record, uploaded);
      if (stream === undefined) throw new Error(`Expected the bytes of file ${record.fileId}, found none`);
      return { bytes: Buffer.concat(await stream.toArray({ signal })), mimeType };
    }
    // The backend is the operator's own choice.
    const { url } = await files.downloadUrl(record, "");
    const response = await fetch(url, { signal });
    if (!response.ok) throw new Error(`Error making an HTTP call ${response.statusText}, status: ${response.status}`);
    return { bytes: await readBytes(response, maxBytes), mimeType };
  } catch (error) {
    // Not there, or not for this execution.
    if (error instanceof HttpError && error.status < 500) throw new TerminalError(error.message, { cause: error });
    throw error;
  }
}

/** Without its parameters; undefined for one that says nothing. */
function plainType(contentType: string | undefined): string | undefined {
  const plain = contentType?.split(";")[0]?.trim().toLowerCase();
  return plain === "" || plain === "application/octet-stream" ? undefined : plain;
}
