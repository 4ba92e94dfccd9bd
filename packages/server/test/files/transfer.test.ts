import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, eventually } from "../support/client.ts";
import { aFolder, removeFolder, startServer, type TestServer } from "../support/server.ts";
import { create, downloadUrl, filesIn, put, upload } from "./local-files.ts";

const MAX_BYTES = 1_000_000;

const folder = aFolder();
const storage = join(folder, "storage");
let server: TestServer;
let client: Client;

beforeAll(async () => {
  server = await startServer({
    folder,
    settings: {
      "service.file-storage.enabled": "true",
      "service.file-storage.local.directory": storage,
      "service.file-storage.local.max-size": String(MAX_BYTES),
    },
  });
  client = server.client;
});
afterAll(async () => {
  await server.close();
  removeFolder(folder);
  expect(server.errors).toEqual([]);
});

/** Sends bytes without saying how many there will be, and stops when `cutOff` resolves if there is such. */
async function putChunked(
  url: string,
  chunks: readonly Buffer[],
  cutOff?: () => Promise<unknown>,
): Promise<number | undefined> {
  const sent = request(url, { method: "PUT" });
  const answered = once(sent, "response") as Promise<[{ statusCode: number; resume: () => void }]>;
  answered.catch(() => undefined);
  sent.on("error", () => undefined);
  for (const chunk of chunks) if (!sent.write(chunk)) await once(sent, "drain");
  if (cutOff) {
    await cutOff();
    const closed = new Promise<void>((resolve) => sent.once("close", resolve));
    sent.destroy();
    await closed;
    return undefined;
  }
  sent.end();
  const [response] = await answered;
  response.resume();
  return response.statusCode;
}

describe("size", () => {
  const tooLarge = `Upload exceeds the configured maximum size of ${MAX_BYTES} bytes`;

  test("a file of the largest size is taken, one byte more is not", async () => {
    const file = await create(client, "w");
    const refused = await put(file.uploadUrl, Buffer.alloc(MAX_BYTES + 1));
    expect(await refused.json()).toMatchObject({ status: 413, message: tooLarge, retryable: false });
    expect((await client.post(`/files/${file.fileId}/upload-complete`)).status).toBe(500);
    expect((await put(file.uploadUrl, Buffer.alloc(MAX_BYTES))).status).toBe(204);
  });

  test("an upload that does not say its size is stopped at the limit, and leaves nothing", async () => {
    const before = filesIn(storage);
    const { uploadUrl, fileId } = await create(client, "w");
    const chunk = randomBytes(100_000);
    expect(await putChunked(uploadUrl, Array(30).fill(chunk))).toBe(413);
    expect(filesIn(storage)).toEqual(before);
    expect(await putChunked(uploadUrl, Array(10).fill(chunk))).toBe(204);
    expect((await client.post(`/files/${fileId}/upload-complete`)).status).toBe(200);
  });

  test("an upload that is cut off leaves nothing, and is not an error of the server", async () => {
    const before = filesIn(storage);
    const { uploadUrl, fileId } = await create(client, "w");
    const hasBegun = async () => (filesIn(storage).some((path) => path.endsWith(".part")) ? true : undefined);
    await putChunked(uploadUrl, [randomBytes(100_000), randomBytes(100_000)], () => eventually(hasBegun));
    expect((await client.post(`/files/${fileId}/upload-complete`)).status).toBe(500);
    await eventually(async () => (filesIn(storage).length === before.length ? true : undefined));
    expect(filesIn(storage)).toEqual(before);
  });
});

describe("content", () => {
  test("bytes come back with their type, as something to save, and in ranges", async () => {
    const bytes = randomBytes(1000);
    const file = await upload(client, "w", bytes, { contentType: "text/html", fileName: "it's\r\nâ.html" });
    const url = await downloadUrl(client, "w", file.fileId);
    const whole = await fetch(url);
    expect(whole.headers.get("content-type")).toBe("text/html");
    expect(whole.headers.get("content-length")).toBe("1000");
    expect(whole.headers.get("x-content-type-options")).toBe("nosniff");
    expect(whole.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''it%27s%0D%0A%C3%A2.html");
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
    for (const [range, start, end] of [
      ["bytes=10-19", 10, 20],
      ["bytes=990-", 990, 1000],
      ["bytes=-10", 990, 1000],
      ["bytes=900-5000", 900, 1000],
    ] as const) {
      const part = await fetch(url, { headers: { range } });
      expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes ${start}-${end - 1}/1000`]);
      expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(start, end))).toBe(true);
    }
    expect((await fetch(url, { headers: { range: "bytes=1000-" } })).status).toBe(416);
    expect((await fetch(url, { headers: { range: "lines=1-2" } })).status).toBe(200);
  });

  test("what was confirmed stays as it is", async () => {
    const file = await upload(client, "w", "first");
    const late = await put(file.uploadUrl, "second");
    const message = `File is not accepting content uploads: ${file.fileId}`;
    expect(await late.json()).toMatchObject({ status: 409, message });
    expect(await (await fetch(await downloadUrl(client, "w", file.fileId))).text()).toBe("first");
  });

  test("a body of any type, or none, is taken as it is", async () => {
    for (const type of ["application/json", "text/plain", "application/x-www-form-urlencoded", "nonsense"]) {
      const file = await create(client, "w");
      const body = '{"not": json';
      expect((await fetch(file.uploadUrl, { method: "PUT", body, headers: { "content-type": type } })).status).toBe(
        204,
      );
      await client.post(`/files/${file.fileId}/upload-complete`);
      const answer = await fetch(await downloadUrl(client, "w", file.fileId));
      expect(answer.headers.get("content-type")).toBe("application/octet-stream");
      expect(await answer.text()).toBe(body);
    }
  });

  test("two uploads of one file at once do not mix", async () => {
    for (let round = 0; round < 10; round++) {
      const { fileId, uploadUrl } = await create(client, "mixed");
      const bodies = [randomBytes(200_000), randomBytes(200_000)];
      await Promise.all(bodies.map((body) => put(uploadUrl, body)));
      const { json } = await client.post(`/files/${fileId}/upload-complete`);
      const got = Buffer.from(await (await fetch(await downloadUrl(client, "mixed", fileId))).arrayBuffer());
      expect(bodies.some((body) => body.equals(got))).toBe(true);
      expect(json).toMatchObject({ contentHash: createHash("sha256").update(got).digest("hex") });
    }
    expect(filesIn(storage).filter((path) => path.includes("/mixed/"))).toHaveLength(10);
  });

  test("200 uploads at once", async () => {
    const bodies = Array.from({ length: 200 }, () => randomBytes(50_000));
    const files = await Promise.all(bodies.map((body) => upload(client, "many", body)));
    const got = await Promise.all(
      files.map(async ({ fileId }) => (await fetch(await downloadUrl(client, "many", fileId))).arrayBuffer()),
    );
    expect(got.every((bytes, index) => bodies[index]?.equals(Buffer.from(bytes)))).toBe(true);
  });
});

describe("what callers send", () => {
  test("a file needs an owner, and names that can be said", async () => {
    const message = "workflowId is required";
    for (const body of [{}, { workflowId: "" }, { workflowId: "  " }, { workflowId: null }]) {
      expect((await client.post("/files", body)).json).toMatchObject({ status: 400, message });
    }
    for (const body of [
      { workflowId: ".." },
      { workflowId: "x".repeat(256) },
      { workflowId: "\ud800" },
      { workflowId: "w", contentType: "text/plain\r\nset-cookie: a" },
      { workflowId: "w", fileName: "x".repeat(2000) },
      { workflowId: { a: 1 } },
      [],
      "text",
    ]) {
      expect((await client.post("/files", body)).status).toBe(400);
    }
  });

  test("whatever names and ids say, nothing lies outside the folder", async () => {
    const outside = () => filesIn(folder).filter((path) => !path.startsWith(storage) && !path.includes("test.db"));
    const evil = fc.constantFrom(
      "../",
      "..",
      "/",
      "\\",
      "\0",
      "%2e%2e%2f",
      "~",
      "C:",
      "con",
      ".",
      "a",
      "é",
      "😀",
      "\n",
    );
    const name = fc.oneof(
      fc.array(evil, { minLength: 1, maxLength: 12 }).map((parts) => parts.join("")),
      fc.string({ unit: "binary", minLength: 1, maxLength: 300 }),
    );
    await fc.assert(
      fc.asyncProperty(name, name, fc.uint8Array({ maxLength: 50 }), async (workflowId, other, bytes) => {
        const { status, json } = await client.post("/files", { workflowId, fileName: other, taskId: other });
        expect([201, 400]).toContain(status);
        if (status === 201) {
          const { uploadUrl, fileHandleId } = json as { uploadUrl: string; fileHandleId: string };
          const fileId = fileHandleId.split("/").at(-1) ?? "";
          expect((await put(uploadUrl, bytes)).status).toBe(204);
          expect((await client.post(`/files/${fileId}/upload-complete`)).status).toBe(200);
          const got = await (await fetch(await downloadUrl(client, workflowId, fileId))).arrayBuffer();
          expect(Buffer.from(got).equals(bytes)).toBe(true);
        }
        const [a, b] = [encodeURIComponent(workflowId.toWellFormed()), encodeURIComponent(other.toWellFormed())];
        for (const path of [
          `/files/${b}`,
          `/files/${a}/${b}`,
          `/files/${a}/${b}/download-url`,
          `/files/content/${a}/${b}`,
        ]) {
          const { status: read } = await client.get(path);
          expect(read).toBeGreaterThanOrEqual(400);
          expect(read).toBeLessThan(500);
        }
        expect((await client.send("PUT", `/files/content/${a}/${b}`, { text: "evil" })).status).toBeGreaterThanOrEqual(
          400,
        );
        expect(outside()).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
