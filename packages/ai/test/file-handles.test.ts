import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { type AiServer, oneTask, startAiServer } from "./support/ai-server.ts";
import { serveHttp } from "./support/http-server.ts";
import { openaiResponse } from "./support/replies.ts";
import { aToolServer } from "./support/tool-server.ts";

const MAX_BYTES = 1000;

let server: AiServer;
beforeAll(async () => {
  server = await startAiServer({
    settings: {
      "service.ai.max-retries": "0",
      "service.file-storage.enabled": "true",
      "service.documents.max-size": `${MAX_BYTES}B`,
    },
  });
  await server.client.register(waitsFor("LLM_CHAT_COMPLETE", { ...model, messages: "${upload.output.messages}" }));
  await server.client.register(waitsFor("GENERATE_VIDEO", { ...video, inputImage: "${upload.output.image}" }));
  await server.client.register(waitsFor("GENERATE_PDF", { markdown: "![dot](${upload.output.image})" }));
  await server.client.register({
    ...oneTask("SUB_WORKFLOW", {}),
    name: "parent",
    tasks: [
      {
        name: "child",
        taskReferenceName: "child",
        type: "SUB_WORKFLOW",
        subWorkflowParam: { name: "waits_llm_chat_complete", version: 1 },
      },
    ],
  });
});
afterAll(() => server.close());

const model = { llmProvider: "openai", model: "gpt-4o-mini" };
const video = { llmProvider: "openai", model: "sora-2", prompt: "A tide", duration: 4 };
const dot = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const png = Buffer.from("89504e470d0a1a0a00", "hex");

/** A task that runs when its execution has been given something. */
const waitsFor = (type: string, inputParameters: Record<string, unknown>) => ({
  ...oneTask(type, {}),
  name: `waits_${type.toLowerCase()}`,
  tasks: [
    { name: "upload", taskReferenceName: "upload", type: "HUMAN" },
    { name: "task", taskReferenceName: "task", type, inputParameters, retryCount: 0 },
  ],
});

/** As much of S3 as one object needs: it is put, looked at, and got. */
async function serveS3(): Promise<string> {
  const objects = new Map<string, Buffer>();
  return await serveHttp(async (request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    if (request.method === "PUT") {
      objects.set(path, await buffer(request));
      response.end();
      return;
    }
    const found = objects.get(path);
    if (found === undefined) response.writeHead(404).end();
    else
      response
        .writeHead(200, { etag: '"1"', "content-length": found.length })
        .end(request.method === "HEAD" ? undefined : found);
  });
}

type File = {
  readonly workflowId: string;
  readonly bytes?: Buffer;
  readonly fileName?: string;
  readonly type?: string;
};

async function upload({ workflowId, bytes, fileName, type }: File, { client } = server): Promise<string> {
  const created = await client.post("/files", { workflowId, fileName, contentType: type });
  const { fileHandleId, uploadUrl } = created.json as { fileHandleId: string; uploadUrl: string };
  if (bytes === undefined) return fileHandleId;
  expect((await fetch(uploadUrl, { method: "PUT", body: new Uint8Array(bytes) })).ok).toBe(true);
  const fileId = fileHandleId.split("/").at(-1);
  expect((await client.post(`/files/${workflowId}/${fileId}/upload-complete`)).status).toBe(200);
  return fileHandleId;
}

/** Gives the waiting execution what it waits for, and tells what became of its task. */
async function go(id: string, output: Record<string, unknown>, { client } = server) {
  const { tasks: waiting } = await client.until(id, ({ tasks }) => tasks[0]?.status === "IN_PROGRESS");
  const [first] = waiting;
  if (first === undefined) throw new Error("Expected a task that waits");
  await client.complete(first, output);
  const { tasks } = await client.ended(id);
  const task = tasks[1];
  if (task === undefined) throw new Error("Expected the task to have run");
  return task;
}

const startChat = () => server.client.start("waits_llm_chat_complete");

async function chatWith(id: string, media: readonly string[], mimeType?: string) {
  const before = server.provider.requests.length;
  server.provider.answer(() => openaiResponse("Seen"));
  const task = await go(id, { messages: [{ role: "user", message: "Look", media, mimeType }] });
  return { task, sent: server.provider.requests.slice(before).map(({ body }) => body["input"]) };
}

const looking = (...files: readonly unknown[]) => [
  [{ role: "user", content: [{ type: "input_text", text: "Look" }, ...files] }],
];

describe("a file of the file store", () => {
  test("is shown to a model as bytes, in both spellings of its handle, with the type it was stored with", async () => {
    for (const spelling of ["service", "conductor"]) {
      const id = await startChat();
      const handle = await upload({ workflowId: id, bytes: png, type: "image/png; v=1", fileName: "a.jpg" });
      const { task, sent } = await chatWith(id, [handle.replace(/^\w+/, spelling)]);
      expect(task, task.reasonForIncompletion).toMatchObject({ status: "COMPLETED", outputData: { result: "Seen" } });
      const image_url = `data:image/png;base64,${png.toString("base64")}`;
      expect(sent).toEqual(looking({ type: "input_image", image_url }));
    }
  });

  test("without a type is of the type its name tells; the message's own word wins", async () => {
    const id = await startChat();
    const handle = await upload({ workflowId: id, bytes: png, fileName: "a.webp", type: "application/octet-stream" });
    const named = await chatWith(id, [handle]);
    const image_url = `data:image/webp;base64,${png.toString("base64")}`;
    expect(named.sent).toEqual(looking({ type: "input_image", image_url }));
    const other = await startChat();
    const typed = await chatWith(
      other,
      [await upload({ workflowId: other, bytes: png, type: "image/png" })],
      "image/gif",
    );
    expect(typed.sent).toEqual(
      looking({ type: "input_image", image_url: `data:image/gif;base64,${png.toString("base64")}` }),
    );
  });

  test("of the parent execution is seen by the child, and one of a stranger is not", async () => {
    const parent = await server.client.start("parent");
    const { tasks } = await server.client.until(parent, (one) => one.tasks[0]?.subWorkflowId !== undefined);
    const child = String(tasks[0]?.subWorkflowId);
    const handle = await upload({ workflowId: parent, bytes: png, type: "image/png" });
    expect((await chatWith(child, [handle])).task.status).toBe("COMPLETED");
    const stranger = await chatWith(await startChat(), [handle]);
    expect(stranger.task).toMatchObject({
      status: "FAILED_WITH_TERMINAL_ERROR",
      reasonForIncompletion: `Non-retryable error: Workflow cannot access file: ${handle.split("/").at(-1)}`,
    });
    expect(stranger.sent).toEqual([]);
  });

  test("that is not there, not whole or too large says so, and nothing is sent", async () => {
    const nobody = "0b9e0000-0000-4000-8000-000000000000";
    const missing = await chatWith(await startChat(), [`service://file/${nobody}`]);
    expect(missing.task).toMatchObject({
      status: "FAILED_WITH_TERMINAL_ERROR",
      reasonForIncompletion: `Non-retryable error: File not found: ${nobody}`,
    });
    const id = await startChat();
    const half = await upload({ workflowId: id });
    const early = await chatWith(id, [half]);
    expect(early.task).toMatchObject({
      status: "FAILED",
      reasonForIncompletion: `Task execution failed: File not yet uploaded: ${half.split("/").at(-1)}; put its bytes and confirm them with upload-complete`,
    });
    const large = await startChat();
    const big = await upload({ workflowId: large, bytes: Buffer.alloc(MAX_BYTES + 1), type: "image/png" });
    const refused = await chatWith(large, [big]);
    expect(refused.task).toMatchObject({
      status: "FAILED_WITH_TERMINAL_ERROR",
      reasonForIncompletion: `Non-retryable error: Expected a document of at most ${MAX_BYTES} bytes, got ${MAX_BYTES + 1}`,
    });
    expect([...missing.sent, ...early.sent, ...refused.sent]).toEqual([]);
  });

  test("and others may be as large together as one alone", async () => {
    const id = await startChat();
    const half = await upload({ workflowId: id, bytes: Buffer.alloc(MAX_BYTES / 2), type: "image/png" });
    expect((await chatWith(id, [half, half])).task.status).toBe("COMPLETED");
    const other = await startChat();
    const again = await upload({ workflowId: other, bytes: Buffer.alloc(MAX_BYTES / 2), type: "image/png" });
    const { task, sent } = await chatWith(other, [again, again, again, again]);
    expect(task).toMatchObject({
      status: "FAILED_WITH_TERMINAL_ERROR",
      reasonForIncompletion: `Non-retryable error: Expected the media of a conversation to be at most ${MAX_BYTES} bytes together, got at least ${MAX_BYTES * 1.5}: show fewer, or raise service.documents.max-size`,
    });
    expect(sent).toEqual([]);
  });

  test("is drawn on a PDF", async () => {
    const id = await server.client.start("waits_generate_pdf");
    const task = await go(id, { image: await upload({ workflowId: id, bytes: dot, type: "image/png" }) });
    const { location } = task.outputData["result"] as { location: string };
    const download = await server.client.get(`/files/${id}/${encodeURIComponent(location)}/download-url`);
    const pdf = await fetch((download.json as { downloadUrl: string }).downloadUrl);
    expect(Buffer.from(await pdf.arrayBuffer()).includes("/Subtype /Image")).toBe(true);
  });

  test("can be where a video begins", async () => {
    const id = await server.client.start("waits_generate_video");
    const handle = await upload({ workflowId: id, bytes: png, type: "image/png", fileName: "first.png" });
    server.provider.answer(() => ({ status: 400, json: { error: "enough" } }));
    const task = await go(id, { image: handle });
    expect(task.reasonForIncompletion).toContain("enough");
    expect(server.provider.requests.at(-1)?.bytes.includes(png)).toBe(true);
  });
});

test("without a file store a handle is refused with the setting that brings one", async () => {
  const { runTask } = await aToolServer({ "service.ai.openai.api-key": "none" });
  const media = ["conductor://file/0b9e0000-0000-4000-8000-000000000000"];
  expect(await runTask("LLM_CHAT_COMPLETE", { ...model, messages: [{ role: "user", media }] })).toMatchObject({
    status: "FAILED_WITH_TERMINAL_ERROR",
    reasonForIncompletion: `Non-retryable error: Expected a file store for ${media[0]}: set service.file-storage.enabled=true`,
  });
});

test("a file in a store of objects is read from there", async () => {
  // The client of the store looks for them here, and sends nothing of them in clear.
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
  onTestFinished(() => void vi.unstubAllEnvs());
  const other = await startAiServer({
    settings: {
      "service.file-storage.enabled": "true",
      "service.file-storage.type": "s3",
      "service.file-storage.s3.bucket-name": "files",
      "service.file-storage.s3.endpoint": await serveS3(),
      "service.file-storage.s3.force-path-style": "true",
    },
  });
  onTestFinished(() => other.close());
  await other.client.register(waitsFor("LLM_CHAT_COMPLETE", { ...model, messages: "${upload.output.messages}" }));
  other.provider.answer(() => openaiResponse("Seen"));
  const id = await other.client.start("waits_llm_chat_complete");
  const handle = await upload({ workflowId: id, bytes: png, type: "image/png" }, other);
  const task = await go(id, { messages: [{ role: "user", message: "Look", media: [handle] }] }, other);
  expect(task, task.reasonForIncompletion).toMatchObject({ status: "COMPLETED" });
  const image_url = `data:image/png;base64,${png.toString("base64")}`;
  expect(other.provider.requests.map(({ body }) => body["input"])).toEqual(looking({ type: "input_image", image_url }));
});
