import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { aFolder } from "@downbeat/server/testing";
import { strToU8, zipSync } from "fflate";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serveHttp } from "../support/http-server.ts";
import { serveOpenAi } from "../support/openai-server.ts";
import { aToolServer, startToolServer, type ToolServer } from "../support/tool-server.ts";

const folder = aFolder();
const outside = aFolder();
const docs = join(folder, "docs");
let server: ToolServer;

beforeAll(async () => {
  mkdirSync(join(docs, "deeper"), { recursive: true });
  writeFileSync(join(docs, "page.html"), "<h1>Tides</h1><p>High water at 10:42.</p>");
  writeFileSync(join(docs, "deeper", "notes.txt"), "plain notes");
  writeFileSync(join(docs, ".env"), "SECRET=1");
  const word = "<w:document><w:body><w:p><w:r><w:t>From Word</w:t></w:r></w:p></w:body></w:document>";
  writeFileSync(join(docs, "letter.docx"), zipSync({ "word/document.xml": strToU8(word) }));
  writeFileSync(join(docs, "latin.txt"), Buffer.from("caf\xe9", "latin1"));
  writeFileSync(join(docs, "old.doc"), Buffer.from("d0cf11e0a1b11ae1", "hex"));
  writeFileSync(join(docs, "broken.pdf"), "%PDF-1.7 and then nothing");
  writeFileSync(join(outside, "secret.txt"), "not for tasks");
  symlinkSync(join(outside, "secret.txt"), join(docs, "link.txt"));
  server = await startToolServer({
    "service.document-access-policy.allowed-directories": docs,
    "service.document-access-policy.blocked-file-names": "payroll.xlsx",
    "service.documents.max-size": "1MB",
  });
}, 30_000);
afterAll(async () => {
  await server.close();
  for (const one of [folder, outside]) rmSync(one, { recursive: true, force: true });
});

test.each([
  ["page.html", "Tides\n\nHigh water at 10:42."],
  ["deeper/notes.txt", "plain notes"],
  ["letter.docx", "From Word"],
  ["latin.txt", "café"],
])("the text of %s is read from a folder that is allowed", async (name, result) => {
  expect(await server.runTask("GET_DOCUMENT", { url: pathToFileURL(join(docs, name)).href })).toMatchObject({
    status: "COMPLETED",
    outputData: { result },
  });
});

const denied = (what: string): string => `Non-retryable error: Access denied: ${what}`;

test.each([
  [() => join(outside, "secret.txt"), denied("path is not under any allowed directory. Allowed directories: [")],
  [() => join(docs, "link.txt"), denied("path is not under any allowed directory. Allowed directories: [")],
  [() => "/etc/passwd", denied("path matches blocked prefix '/etc/passwd'")],
  [() => "file:///proc/self/environ", denied("path matches blocked prefix '/proc'")],
  [() => "/ETC/SHADOW", denied("path matches blocked prefix '/etc/shadow'")],
  [() => `${docs}/deeper/../../../../etc/shadow/x`, denied("path matches blocked prefix '/etc/shadow'")],
  [() => `${docs}/deeper/../page.html`, denied("path traversal sequences are not allowed")],
  [() => `${docs}/../docs/page.html`, denied("path traversal sequences are not allowed")],
  [() => join(docs, ".env"), denied("file name '.env' is blocked")],
  [() => join(docs, ".ssh", "x"), denied("path matches blocked prefix '.ssh'")],
  [() => join(docs, "PAYROLL.xlsx"), denied("file name 'PAYROLL.xlsx' is blocked")],
  [() => "https://files.example.com/a/credentials.json", denied("file name 'credentials.json' is blocked")],
  [() => "https://files.example.com/%2eenv", denied("file name '.env' is blocked")],
  [() => "http://metadata.google.internal/x", denied("host 'metadata.google.internal' is blocked")],
  [() => "http://kubernetes.default.svc./x", denied("host 'kubernetes.default.svc' is blocked")],
  [() => "http://localhost:1/x", denied("loopback address is blocked (host resolves to 127.0.0.1)")],
  [() => "file://other-machine/share/x", "Non-retryable error: Expected a file URL of this machine"],
  [() => "ftp://127.0.0.1/x", denied("path is not under any allowed directory")],
  [
    () => join(docs, "old.doc"),
    "Non-retryable error: Failed to read the text of the document (application/x-ole-storage): Expected a document of HTML, PDF",
  ],
  [() => join(docs, "broken.pdf"), "Non-retryable error: Failed to read the text of the document (application/pdf): "],
  [() => docs, "Non-retryable error: Expected "],
])("a document that may not or cannot be read fails the task for good (%#)", async (location, reason) => {
  const { status, reasonForIncompletion } = await server.runTask("GET_DOCUMENT", { url: location() });
  expect(reasonForIncompletion).toContain(reason);
  expect(status).toBe("FAILED_WITH_TERMINAL_ERROR");
});

test("files are listed by their extensions, those that may not be read left out", async () => {
  const list = async (fileTypes?: unknown) =>
    (await server.runTask("LIST_FILES", { inputLocation: docs, fileTypes })).outputData["result"];
  const urls = (...names: readonly string[]) => names.map((name) => pathToFileURL(join(docs, name)).href);
  expect(await list()).toEqual(
    urls("broken.pdf", "deeper/notes.txt", "latin.txt", "letter.docx", "old.doc", "page.html"),
  );
  expect(await list(["html", ".DOCX"])).toEqual(urls("letter.docx", "page.html"));
  expect(await list("*.txt")).toEqual(urls("deeper/notes.txt", "latin.txt"));
  expect((await server.runTask("LIST_FILES", { inputLocation: outside })).status).toBe("FAILED_WITH_TERMINAL_ERROR");
});

test("a text is cut into chunks", async () => {
  const text = "One sentence here. Another one there. And a third.";
  const { outputData } = await server.runTask("CHUNK_TEXT", { text, chunkSize: 20 });
  expect(outputData["result"]).toEqual(["One sentence here.", "Another one there.", "And a third."]);
  expect((await server.runTask("CHUNK_TEXT", { text })).outputData["result"]).toEqual([text]);
  const html = await server.runTask("CHUNK_TEXT", { text: "<p>a</p><p>b</p>", mediaType: "text/html" });
  expect(html.outputData["result"]).toEqual(["a\n\nb"]);
});

test("documents come over HTTP, with the task's headers, within limits; a status that says no fails the task", async () => {
  const origin = await serveHttp((request, response) => {
    if (request.headers["x-key"] !== "k") response.writeHead(403).end();
    else if (request.url === "/large") response.end(Buffer.alloc(2 * 1024 * 1024));
    else response.setHeader("content-type", "text/html; charset=utf-8").end("<p>first</p><p>second</p>");
  });
  const { runTask } = await aToolServer({
    "service.document-access-policy.disabled": "true",
    "service.documents.max-size": "1MB",
  });
  const headers = { "X-Key": "k" };
  const whole = await runTask("PARSE_DOCUMENT", { url: `${origin}/a`, headers });
  expect(whole.outputData["result"]).toEqual(["first\n\nsecond"]);
  const cut = await runTask("PARSE_DOCUMENT", { url: `${origin}/a`, headers, chunkSize: 8 });
  expect(cut.outputData["result"]).toEqual(["first", "second"]);
  expect(await runTask("GET_DOCUMENT", { url: `${origin}/a` })).toMatchObject({
    status: "FAILED",
    reasonForIncompletion: "Task execution failed: Error making an HTTP call Forbidden, status: 403",
  });
  expect(await runTask("GET_DOCUMENT", { url: `${origin}/large`, headers })).toMatchObject({
    status: "FAILED_WITH_TERMINAL_ERROR",
    reasonForIncompletion: "Non-retryable error: Expected an answer of at most 1048576 bytes, got more",
  });
});

test("a document is indexed in chunks under its own id, and found", async () => {
  const { settings } = await serveOpenAi();
  const { runTask } = await aToolServer({ ...settings, "service.document-access-policy.allowed-directories": docs });
  const model = { embeddingModelProvider: "openai", embeddingModel: "words" };
  const url = join(docs, "page.html");
  for (const type of ["LLM_INDEX_DOCUMENT", "LLM_INDEX_TEXT"]) {
    expect(
      await runTask(type, { ...model, index: "docs", namespace: "n", docId: type, url, chunkSize: 15 }),
    ).toMatchObject({ status: "COMPLETED" });
  }
  const { outputData } = await runTask("LLM_SEARCH_INDEX", {
    ...model,
    index: "docs",
    namespace: "n",
    query: "high water",
    maxResults: 2,
  });
  expect(outputData["result"]).toMatchObject([
    { text: expect.stringContaining("water") },
    { text: expect.stringContaining("water") },
  ]);
});

test("a file of the file store is read by the executions it belongs to, and by no other", async () => {
  const { client, runTask } = await aToolServer({ "service.file-storage.enabled": "true" });
  await client.register({
    name: "reads_its_file",
    version: 1,
    schemaVersion: 2,
    ownerEmail: "a@example.com",
    timeoutSeconds: 0,
    tasks: [
      { name: "upload", taskReferenceName: "upload", type: "HUMAN" },
      {
        name: "read",
        taskReferenceName: "read",
        type: "GET_DOCUMENT",
        inputParameters: { url: "${upload.output.handle}" },
      },
    ],
  });
  const id = await client.start("reads_its_file");
  const waiting = await client.until(id, ({ tasks }) => tasks[0]?.status === "IN_PROGRESS");
  const created = await client.post("/files", { workflowId: id, fileName: "page.html", contentType: "text/html" });
  const { fileHandleId, uploadUrl } = created.json as { fileHandleId: string; uploadUrl: string };
  const fileId = fileHandleId.split("/").at(-1);
  expect((await fetch(uploadUrl, { method: "PUT", body: "<h1>Mine</h1>" })).ok).toBe(true);
  expect((await client.post(`/files/${id}/${fileId}/upload-complete`)).status).toBe(200);
  const [task] = waiting.tasks;
  if (task === undefined) throw new Error("Expected a task that waits for the file");
  await client.complete(task, { handle: fileHandleId });
  const { status, tasks } = await client.ended(id);
  expect(tasks[1], tasks[1]?.reasonForIncompletion).toMatchObject({ outputData: { result: "Mine" } });
  expect(status).toBe("COMPLETED");
  expect(await runTask("GET_DOCUMENT", { url: fileHandleId })).toMatchObject({
    status: "FAILED_WITH_TERMINAL_ERROR",
    reasonForIncompletion: `Non-retryable error: Workflow cannot access file: ${fileId}`,
  });
  expect(await server.runTask("GET_DOCUMENT", { url: fileHandleId })).toMatchObject({
    reasonForIncompletion: `Non-retryable error: Expected a file store for ${fileHandleId}: set service.file-storage.enabled=true`,
  });
});
