// One large file through the file API of a running server, whole or in parts, and what that costs the server.
// node bench/files.mjs --url http://127.0.0.1:8080/api --pid <pid of the server> [--gb 5] [--parts 64]
// --parts: megabytes of each part, for stores that take parts; without it the bytes go in one streamed PUT.
import { createCipheriv, createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    url: { type: "string", default: "http://127.0.0.1:8080/api" },
    pid: { type: "string" },
    gb: { type: "string", default: "5" },
    parts: { type: "string" },
  },
});
const MEGABYTE = 1024 ** 2;
const WATCH_MS = 200;
const workflowId = "bench-files";
const megabytes = Number(values.gb) * 1024;
const partMegabytes = Number(values.parts ?? 0);

async function call(method, path, body) {
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  const response = await fetch(values.url + path, { method, headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

async function put(url, body) {
  const response = await fetch(url, { method: "PUT", body, duplex: "half" });
  if (!response.ok) throw new Error(`PUT: ${response.status} ${await response.text()}`);
  return response.headers.get("etag");
}

// Bytes that do not repeat, made as they are sent: their sum is taken on the way.
const cipher = createCipheriv("aes-128-ctr", Buffer.alloc(16, 7), Buffer.alloc(16));
const zeros = Buffer.alloc(MEGABYTE);
const sent = createHash("sha256");
function* bytes(count) {
  for (let at = 0; at < count; at += 1) {
    const block = cipher.update(zeros);
    sent.update(block);
    yield block;
  }
}

const memoryOf = (field) =>
  values.pid === undefined
    ? undefined
    : Math.round(
        Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${values.pid}/status`, "utf8"))?.[1]) / 1024,
      );

async function uploadParts(fileId) {
  const path = `/files/${workflowId}/${fileId}/multipart`;
  const { uploadId } = await call("POST", path);
  const partETags = [];
  for (let part = 1; part <= Math.ceil(megabytes / partMegabytes); part += 1) {
    const { uploadUrl } = await call("GET", `${path}/${encodeURIComponent(uploadId)}/part/${part}`);
    const size = Math.min(partMegabytes, megabytes - (part - 1) * partMegabytes);
    partETags.push(await put(uploadUrl, Buffer.concat([...bytes(size)])));
  }
  await call("POST", `${path}/${encodeURIComponent(uploadId)}/complete`, { partETags });
}

const before = memoryOf("VmRSS");
let peak = before;
const watch = setInterval(() => {
  peak = Math.max(peak ?? 0, memoryOf("VmRSS") ?? 0);
}, WATCH_MS);
const created = await call("POST", "/files", { workflowId, fileName: "large.bin" });
const fileId = created.fileHandleId.split("/").at(-1);

const began = performance.now();
if (partMegabytes > 0) {
  await uploadParts(fileId);
} else {
  await put(created.uploadUrl, Readable.from(bytes(megabytes)));
  await call("POST", `/files/${workflowId}/${fileId}/upload-complete`);
}
const uploaded = performance.now();

const { downloadUrl } = await call("GET", `/files/${workflowId}/${fileId}/download-url`);
const got = createHash("sha256");
let size = 0;
for await (const chunk of (await fetch(downloadUrl)).body) {
  got.update(chunk);
  size += chunk.length;
}
clearInterval(watch);
const sha256 = sent.digest("hex");
if (size !== megabytes * MEGABYTE || got.digest("hex") !== sha256)
  throw new Error("The bytes that came back are not those that were sent");
const { fileSize, contentHash, storageType } = await call("GET", `/files/${workflowId}/${fileId}`);
console.log(
  JSON.stringify({
    storageType,
    fileSize,
    contentHash,
    sha256,
    uploadSeconds: Number(((uploaded - began) / 1000).toFixed(1)),
    downloadSeconds: Number(((performance.now() - uploaded) / 1000).toFixed(1)),
    serverMb: { before, peak, highest: memoryOf("VmHWM") },
  }),
);
