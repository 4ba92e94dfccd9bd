import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Extension } from "../../src/extension.ts";
import type { Files } from "../../src/files/files.ts";
import type { Client, Json } from "../support/client.ts";
import { aWorkflow, entry } from "../support/definitions.ts";
import { aFolder, removeFolder, startServer, type TestServer } from "../support/server.ts";

/** What differs between backends for the one who uploads. */
export type BackendKit = {
  readonly storageType: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Headers that a PUT of all bytes must carry. */
  readonly putHeaders?: Readonly<Record<string, string>>;
  /** Absent: uploads in parts are refused. */
  readonly uploadParts?: (upload: PartUpload) => Promise<readonly string[]>;
  readonly hashOf: (bytes: Buffer) => string;
  /** Whether an upload in parts that was given up can still be completed is the store's business. */
  readonly close: () => Promise<void>;
};

export type PartUpload = {
  /** As the answer to the initiation gave it. */
  readonly uploadUrl: string | null;
  readonly partUrl: (partNumber: number) => Promise<string>;
  readonly parts: readonly Buffer[];
};

type Urls = Json & { readonly fileHandleId: string; readonly uploadUrl: string; readonly downloadUrl: string };

const PART_BYTES = 5 * 1024 * 1024;

/** What every backend must do, seen from outside: through the interface and the URLs it hands out. */
export function describeBackend(openKit: () => Promise<BackendKit>): void {
  let kit: BackendKit;
  let server: TestServer;
  let client: Client;
  let files: Files | undefined;
  const folder = aFolder();

  const start = async (more: Readonly<Record<string, string>> = {}) => {
    const settings = { "service.file-storage.enabled": "true", ...kit.settings, ...more };
    const extension: Extension = {
      name: "uses-files",
      open(runtime) {
        files = runtime.files;
        return {};
      },
    };
    server = await startServer({ folder, settings, extensions: [extension] });
    client = server.client;
  };

  beforeAll(async () => {
    kit = await openKit();
    await start();
    await client.register(aWorkflow("holder", [entry("WAIT", "w")]));
  }, 90_000);
  afterAll(async () => {
    await server.close();
    await kit.close();
    removeFolder(folder);
    expect(server.errors).toEqual([]);
  });

  const create = async (workflowId: string, more: Json = {}): Promise<Urls & { fileId: string }> => {
    const { status, json } = await client.post("/files", { workflowId, ...more });
    expect(status).toBe(201);
    const created = json as Urls;
    return { ...created, fileId: created.fileHandleId.split("/").at(-1) ?? "" };
  };
  const put = (url: string, bytes: Buffer) => fetch(url, { method: "PUT", body: bytes, headers: kit.putHeaders ?? {} });
  const upload = async (workflowId: string, bytes: Buffer, more: Json = {}) => {
    const file = await create(workflowId, more);
    expect((await put(file.uploadUrl, bytes)).ok).toBe(true);
    expect((await client.post(`/files/${workflowId}/${file.fileId}/upload-complete`)).status).toBe(200);
    return file;
  };
  const downloadUrl = async (workflowId: string, fileId: string): Promise<string> =>
    ((await client.get(`/files/${workflowId}/${fileId}/download-url`)).json as Urls).downloadUrl;
  const download = async (workflowId: string, fileId: string): Promise<Buffer> =>
    Buffer.from(await (await fetch(await downloadUrl(workflowId, fileId))).arrayBuffer());

  test("what is uploaded is what is downloaded", async () => {
    const bytes = randomBytes(300_000);
    const owner = await client.start("holder");
    const created = await create(owner, { fileName: "größe ☃.bin", contentType: "image/png", taskId: "t1" });
    expect(created).toMatchObject({
      fileHandleId: `service://file/${created.fileId}`,
      fileName: "größe ☃.bin",
      contentType: "image/png",
      storageType: kit.storageType,
      uploadStatus: "UPLOADING",
    });
    const expiresIn = Number(created["uploadUrlExpiresAt"]) - Number(created["createdAt"]);
    expect(Math.abs(expiresIn - 60_000)).toBeLessThan(5000);
    expect((await put(created.uploadUrl, bytes)).ok).toBe(true);
    const confirmed = await client.post(`/files/${created.fileId}/upload-complete`);
    const contentHash = kit.hashOf(bytes);
    expect(confirmed.json).toEqual({ fileHandleId: created.fileHandleId, uploadStatus: "UPLOADED", contentHash });
    const metadata = await client.get(`/files/${created.fileId}`);
    expect(metadata.json).toMatchObject({ fileSize: bytes.length, contentHash, workflowId: owner, taskId: "t1" });
    expect((await client.get(`/files/${owner}/${encodeURIComponent(created.fileHandleId)}`)).json).toEqual(
      metadata.json,
    );
    expect((await download(owner, created.fileId)).equals(bytes)).toBe(true);
  });

  test("what the server itself stores is a file like any other", async () => {
    const owner = await client.start("holder");
    const bytes = randomBytes(100_000);
    const file = { workflowId: owner, fileName: "made.png", contentType: "image/png", taskId: undefined };
    const stored = await files?.store(file, bytes);
    expect(stored).toMatchObject(file);
    const fileId = stored?.fileId ?? "";
    expect((await client.get(`/files/${fileId}`)).json).toMatchObject({
      fileName: "made.png",
      fileSize: bytes.length,
      uploadStatus: "UPLOADED",
      contentHash: kit.hashOf(bytes),
    });
    expect((await download(owner, fileId)).equals(bytes)).toBe(true);
  });

  test("an empty file is a file", async () => {
    const { fileId } = await upload("nobody-s-workflow", Buffer.alloc(0));
    expect((await client.get(`/files/${fileId}`)).json).toMatchObject({ fileSize: 0, uploadStatus: "UPLOADED" });
    expect(await download("nobody-s-workflow", fileId)).toHaveLength(0);
  });

  test("nothing is confirmed that is not there, and nothing twice", async () => {
    const owner = await client.start("holder");
    const { fileId, uploadUrl } = await create(owner);
    const early = await client.get(`/files/${owner}/${fileId}/download-url`);
    expect(early.json).toMatchObject({ status: 400, message: `File not yet uploaded: ${fileId}, status=UPLOADING` });
    const missing = await client.post(`/files/${owner}/${fileId}/upload-complete`);
    expect(missing.json).toMatchObject({ status: 500, message: `File not found on storage backend: ${fileId}` });
    await put(uploadUrl, Buffer.from("x"));
    const both = await Promise.all([1, 2].map(() => client.post(`/files/${fileId}/upload-complete`)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const again = await client.post(`/files/${owner}/${fileId}/upload-complete`);
    expect(again.json).toMatchObject({ status: 409, message: `File already uploaded: ${fileId}` });
  });

  test("a fresh upload URL works like the first", async () => {
    const { fileId } = await create("w");
    for (const path of [`/files/${fileId}/upload-url`, `/files/w/${fileId}/upload-url`]) {
      const { uploadUrl } = (await client.get(path)).json as Urls;
      expect((await put(uploadUrl, Buffer.from(path))).ok).toBe(true);
    }
    expect((await client.post(`/files/w/${fileId}/upload-complete`)).status).toBe(200);
    expect((await download("w", fileId)).toString()).toBe(`/files/w/${fileId}/upload-url`);
    expect((await client.get(`/files/${fileId}/upload-url`)).status).toBe(200);
  });

  test("an upload in parts becomes one file", async () => {
    const owner = await client.start("holder");
    const { fileId } = await create(owner, { fileName: "large" });
    const initiated = await client.post(`/files/${owner}/${fileId}/multipart`);
    const { uploadParts } = kit;
    if (uploadParts === undefined) {
      const message = "Local file storage does not support multipart uploads";
      expect(initiated.json).toMatchObject({ status: 400, message });
      expect((await client.delete(`/files/${fileId}/multipart/any`)).status).toBe(204);
      return;
    }
    const { uploadId, uploadUrl } = initiated.json as { uploadId: string; uploadUrl: string | null };
    const multipart = `/files/${fileId}/multipart/${encodeURIComponent(uploadId)}`;
    expect((await client.get(`${multipart}/part/0`)).status).toBe(400);
    expect((await client.get(`${multipart}/part/x`)).status).toBe(400);
    const parts = [randomBytes(PART_BYTES), randomBytes(PART_BYTES), randomBytes(1000)];
    const partUrl = async (n: number) => ((await client.get(`${multipart}/part/${n}`)).json as Urls).uploadUrl;
    const partETags = await uploadParts({ uploadUrl, partUrl, parts });
    const completed = await client.post(`${multipart}/complete`, { partETags });
    expect(completed.json).toMatchObject({ uploadStatus: "UPLOADED", contentHash: expect.stringMatching(/./) });
    const again = await client.post(`/files/${owner}${multipart.slice("/files".length)}/complete`, { partETags });
    expect(again.json).toEqual(completed.json);
    expect((await client.get(`/files/${fileId}`)).json).toMatchObject({ fileSize: 2 * PART_BYTES + 1000 });
    expect((await download(owner, fileId)).equals(Buffer.concat(parts))).toBe(true);
    expect((await client.post(`/files/${owner}/${fileId}/multipart`)).status).toBe(409);
  });

  test("an upload in parts that was given up leads to nothing", async () => {
    if (kit.uploadParts === undefined) return;
    const { fileId } = await create("w");
    const { uploadId } = (await client.post(`/files/${fileId}/multipart`)).json as { uploadId: string };
    const multipart = `/files/${fileId}/multipart/${encodeURIComponent(uploadId)}`;
    for (let i = 0; i < 2; i++) expect((await client.delete(multipart)).status).toBe(204);
    expect((await client.post(`${multipart}/complete`, { partETags: ["YQ=="] })).status).toBeGreaterThanOrEqual(400);
    expect((await client.post(`${multipart}/complete`, { partETags: "YQ==" })).status).toBe(400);
    expect((await client.get(`/files/${fileId}`)).json).toMatchObject({ uploadStatus: "UPLOADING" });
  });

  test("files go with their execution, bytes and all; others stay", async () => {
    const [owner, other] = [await client.start("holder"), await client.start("holder")];
    const file = await upload(owner, Buffer.from("goes"));
    const half = await create(owner);
    await put(half.uploadUrl, Buffer.from("half"));
    const kept = await upload(other, Buffer.from("stays"));
    const url = await downloadUrl(owner, file.fileId);
    expect((await fetch(url)).status).toBe(200);
    expect((await client.delete(`/workflow/${owner}/remove`)).status).toBe(200);
    for (const { fileId } of [file, half]) expect((await client.get(`/files/${fileId}`)).status).toBe(404);
    expect((await fetch(url)).status).toBe(404);
    expect((await download(other, kept.fileId)).toString()).toBe("stays");
  });

  test("an upload that nobody confirms goes when its time is over", async () => {
    const file = await upload("w", Buffer.from("confirmed"));
    const half = await create("w");
    await put(half.uploadUrl, Buffer.from("never confirmed"));
    if (kit.uploadParts !== undefined) await client.post(`/files/${half.fileId}/multipart`);
    await server.close();
    await start();
    expect((await client.get(`/files/${half.fileId}`)).status).toBe(200);
    await server.close();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await start({ "service.file-storage.upload-timeout": "1s" });
    expect((await client.get(`/files/${half.fileId}`)).status).toBe(404);
    expect((await download("w", file.fileId)).toString()).toBe("confirmed");
  });
}
