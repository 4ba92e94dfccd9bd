import { createHash, randomBytes } from "node:crypto";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { canMeasureMemory, memoryOf } from "../support/memory.ts";
import { aFolder, type ChildServer, removeFolder, startChildServer } from "../support/server.ts";
import { type Created, create, downloadUrl, filesIn, upload } from "./local-files.ts";

const MB = 1024 * 1024;
/** By hand: LARGE_UPLOAD_MB=5120. */
const LARGE_MB = Number(process.env["LARGE_UPLOAD_MB"] ?? 200);
const folder = aFolder();
const storage = join(folder, "files");
const settings = {
  "service.file-storage.enabled": "true",
  "service.file-storage.local.max-size": "8GB",
};
let server: ChildServer;

afterAll(async () => {
  await server.kill();
  removeFolder(folder);
});

/** Sends a chunk again and again, until it is told to stop or there is an answer. */
async function stream(url: string, chunk: Buffer, goOn: (sent: number) => boolean): Promise<number | "cut off"> {
  const sending = request(url, { method: "PUT" });
  let outcome: number | "cut off" | undefined;
  let wake = () => {};
  const settle = (settled: number | "cut off") => {
    outcome ??= settled;
    wake();
  };
  sending.on("drain", () => wake());
  sending.on("error", () => settle("cut off"));
  sending.on("close", () => settle("cut off"));
  sending.on("response", (response) => {
    response.resume();
    settle(response.statusCode ?? 0);
  });
  const woken = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  for (let sent = 0; goOn(sent) && outcome === undefined; sent++) if (!sending.write(chunk)) await woken();
  sending.end();
  while (outcome === undefined) await woken();
  return outcome;
}

test("a kill in the middle of uploads leaves no half file, and nothing behind", { timeout: 60_000 }, async () => {
  server = await startChildServer({ folder, settings });
  const confirmed = await upload(server.client, "w", "confirmed before");
  let isOver = false;
  const halves: Created[] = [];
  const uploads: Promise<unknown>[] = [];
  for (let i = 0; i < 20; i++) {
    const half = await create(server.client, `w${i}`);
    halves.push(half);
    uploads.push(stream(half.uploadUrl, randomBytes(64 * 1024), () => !isOver));
  }
  const begun = () => filesIn(storage).filter((path) => path.endsWith(".part")).length;
  while (begun() < halves.length) await pause(5);
  // A file that was uploaded whole and not confirmed is not half: it may still be confirmed.
  const whole = await create(server.client, "w");
  expect(await stream(whole.uploadUrl, Buffer.from("all of it"), (sent) => sent < 1)).toBe(204);
  await server.kill();
  isOver = true;
  expect(await Promise.all(uploads)).toEqual(halves.map(() => "cut off"));
  expect(begun()).toBe(halves.length);

  server = await startChildServer({ folder, settings });
  expect(filesIn(storage)).toHaveLength(2);
  for (const { fileId, workflowId } of halves) {
    expect((await server.client.get(`/files/${fileId}`)).json).toMatchObject({
      fileSize: 0,
      uploadStatus: "UPLOADING",
    });
    expect((await server.client.get(`/files/${workflowId}/${fileId}/download-url`)).status).toBeGreaterThanOrEqual(400);
    expect((await server.client.post(`/files/${fileId}/upload-complete`)).status).toBe(500);
  }
  expect(await (await fetch(await downloadUrl(server.client, "w", confirmed.fileId))).text()).toBe("confirmed before");
  expect((await server.client.post(`/files/${whole.fileId}/upload-complete`)).status).toBe(200);
  expect(await (await fetch(await downloadUrl(server.client, "w", whole.fileId))).text()).toBe("all of it");
});

test.skipIf(!canMeasureMemory)("a large file passes through without being held", { timeout: 600_000 }, async () => {
  const chunk = randomBytes(MB);
  const { fileId, uploadUrl } = await create(server.client, "large");
  const before = memoryOf(server.pid);
  const startedAt = performance.now();
  expect(await stream(uploadUrl, chunk, (sent) => sent < LARGE_MB)).toBe(204);
  const seconds = (performance.now() - startedAt) / 1000;
  const { json } = await server.client.post(`/files/${fileId}/upload-complete`);
  const hash = createHash("sha256");
  for (let i = 0; i < LARGE_MB; i++) hash.update(chunk);
  expect(json).toMatchObject({ contentHash: hash.digest("hex") });
  let received = 0;
  const { body } = await fetch(await downloadUrl(server.client, "large", fileId));
  for await (const part of body ?? []) received += (part as Uint8Array).length;
  expect(received).toBe(LARGE_MB * MB);
  const { peak } = memoryOf(server.pid);
  if (process.env["LARGE_UPLOAD_MB"] !== undefined) {
    process.stdout.write(
      `${LARGE_MB} MB in ${seconds.toFixed(1)} s, ${Math.round(before.now / MB)} MB before, peak ${Math.round(peak / MB)} MB\n`,
    );
  }
  expect(peak).toBeLessThan(300 * MB);
});
