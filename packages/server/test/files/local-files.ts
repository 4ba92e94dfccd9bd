import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Client, Json } from "../support/client.ts";

export type Created = Json & {
  readonly fileId: string;
  readonly fileHandleId: string;
  readonly uploadUrl: string;
  readonly uploadUrlExpiresAt: number;
};

type Bytes = NonNullable<RequestInit["body"]>;

/** A file that waits for its bytes. */
export async function create(client: Client, workflowId: string, more: Json = {}): Promise<Created> {
  const { status, text, json } = await client.post("/files", { workflowId, ...more });
  if (status !== 201) throw new Error(`Expected a new file, got ${status} ${text}`);
  const created = json as Created;
  return { ...created, fileId: created.fileHandleId.split("/").at(-1) ?? "" };
}

export const put = (url: string, body: Bytes): Promise<Response> => fetch(url, { method: "PUT", body });

/** A file with its bytes, confirmed. */
export async function upload(client: Client, workflowId: string, body: Bytes, more: Json = {}): Promise<Created> {
  const file = await create(client, workflowId, more);
  const { status } = await put(file.uploadUrl, body);
  if (status !== 204) throw new Error(`Expected the bytes to be taken, got ${status}`);
  const confirmed = await client.post(`/files/${file.fileId}/upload-complete`);
  if (confirmed.status !== 200) throw new Error(`Expected the upload to be confirmed, got ${confirmed.text}`);
  return file;
}

export async function downloadUrl(client: Client, workflowId: string, fileId: string): Promise<string> {
  const path = `/files/${encodeURIComponent(workflowId)}/${fileId}/download-url`;
  return ((await client.get(path)).json as { downloadUrl: string }).downloadUrl;
}

/** Every file below a folder. */
export const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
