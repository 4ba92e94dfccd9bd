import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type AiServer, oneTask, runTask, startAiServer } from "./support/ai-server.ts";
import { geminiContent, openaiResponse } from "./support/replies.ts";

let server: AiServer;
beforeAll(async () => {
  server = await startAiServer({ settings: { "service.ai.max-retries": "0" } });
});
afterAll(() => server.close());

type Item = { readonly location: string; readonly mimeType: string };
const mediaOf = (task: { readonly outputData: Record<string, unknown> }): readonly Item[] =>
  (task.outputData["media"] ?? []) as Item[];
const contents = ({ location }: Item): Buffer => readFileSync(fileURLToPath(location));

const png = Buffer.from("89504e470d0a1a0a00", "hex");
const jpeg = Buffer.from("ffd8ffe000", "hex");

describe("GENERATE_IMAGE", () => {
  test("several of gpt-image, in the wanted format", async () => {
    server.provider.answer(() => ({
      json: {
        created: 1,
        data: [png, jpeg].map((bytes) => ({ b64_json: bytes.toString("base64") })),
        usage: { input_tokens: 4, output_tokens: 6, total_tokens: 10 },
      },
    }));
    const input = {
      llmProvider: "openai",
      model: "gpt-image-1",
      prompt: "A tide",
      imageCount: 2,
      size: "1536x1024",
      style: "vivid",
      outputFormat: "jpg",
    };
    const { task } = await runTask(server, "GENERATE_IMAGE", input);
    expect(server.provider.requests.at(-1)?.body).toEqual({
      model: "gpt-image-1",
      prompt: "A tide",
      n: 2,
      size: "1536x1024",
      output_format: "jpeg",
    });
    expect(task.outputData).toMatchObject({ tokenUsed: 10, promptTokens: 4, completionTokens: 6 });
    expect(mediaOf(task).map((item) => [item.mimeType, contents(item)])).toEqual([
      ["image/png", png],
      ["image/jpeg", jpeg],
    ]);
  });

  test("of Gemini, and of Imagen", async () => {
    const inline = { inlineData: { mimeType: "image/png", data: png.toString("base64") } };
    server.provider.answer(() => geminiContent("", [inline]));
    const gemini = {
      llmProvider: "gemini",
      model: "gemini-2.5-flash-image",
      prompt: "A tide",
      width: 1600,
      height: 900,
    };
    const one = await runTask(server, "GENERATE_IMAGE", gemini);
    expect(mediaOf(one.task).map(contents)).toEqual([png]);
    expect(server.provider.requests.at(-1)?.body["generationConfig"]).toMatchObject({
      responseModalities: ["IMAGE"],
      imageConfig: { aspectRatio: "16:9" },
    });
    server.provider.answer(() => ({
      json: { predictions: [{ bytesBase64Encoded: jpeg.toString("base64"), mimeType: "image/jpeg" }] },
    }));
    const other = await runTask(server, "GENERATE_IMAGE", { ...gemini, model: "imagen-4.0-generate-001", n: 1 });
    expect(server.provider.requests.at(-1)).toMatchObject({
      path: "/v1beta/models/imagen-4.0-generate-001:predict",
      body: { instances: [{ prompt: "A tide" }], parameters: { sampleCount: 1, aspectRatio: "16:9" } },
    });
    expect(mediaOf(other.task)).toMatchObject([{ mimeType: "image/jpeg" }]);
  });

  test("of a size, which counts more than its sides, and of a model that is named", async () => {
    server.provider.answer(() => ({ bytes: png, headers: { "content-type": "image/png" } }));
    const input = { llmProvider: "stabilityai", model: "stable-image-core", prompt: "A tide", size: "1600x900" };
    const { task } = await runTask(server, "GENERATE_IMAGE", { ...input, width: 10, height: 10 });
    expect(mediaOf(task).map(contents)).toEqual([png]);
    expect(server.provider.requests.at(-1)?.bytes.toString()).toMatch(/name="aspect_ratio"\s+16:9\s/);
    for (const type of ["GENERATE_IMAGE", "GENERATE_AUDIO", "GENERATE_VIDEO", "LLM_GENERATE_EMBEDDINGS"]) {
      const { task: none } = await runTask(server, type, { llmProvider: "openai", prompt: "p", text: "t" });
      expect([none.status, none.reasonForIncompletion]).toEqual([
        "FAILED_WITH_TERMINAL_ERROR",
        "Non-retryable error: model not specified: null",
      ]);
    }
  });

  test("that Stability AI refuses", async () => {
    server.provider.answer(() => ({ status: 403, json: { errors: ["no"] } }));
    const input = { llmProvider: "stabilityai", model: "stable-image-core", prompt: "A tide" };
    const { task } = await runTask(server, "GENERATE_IMAGE", input, { retryCount: 0 });
    expect(server.provider.requests.at(-1)?.path).toBe("/v2beta/stable-image/generate/core");
    expect(task.reasonForIncompletion).toBe(
      'Task execution failed: Stability AI image generation failed: Stability AI API failed with status 403: {"errors":["no"]}',
    );
  });
});

test("GENERATE_AUDIO of Gemini is a WAV file", async () => {
  const pcm = Buffer.alloc(8, 1).toString("base64");
  server.provider.answer(() =>
    geminiContent("", [{ inlineData: { mimeType: "audio/L16;codec=pcm;rate=24000", data: pcm } }]),
  );
  const input = { llmProvider: "gemini", model: "gemini-2.5-flash-preview-tts", text: "Hello", voice: "Kore" };
  const { task } = await runTask(server, "GENERATE_AUDIO", input);
  expect(server.provider.requests.at(-1)?.body).toMatchObject({
    contents: [{ role: "user", parts: [{ text: "Hello" }] }],
    generationConfig: {
      responseModalities: ["AUDIO"],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
    },
  });
  const [item] = mediaOf(task);
  expect(item?.mimeType).toBe("audio/wav");
  expect(item && contents(item).subarray(0, 4).toString()).toBe("RIFF");
});

test("pictures in a chat reply are kept as files", async () => {
  const inline = { inlineData: { mimeType: "image/png", data: png.toString("base64") } };
  server.provider.answer(() => geminiContent("", [{ text: "Here" }, inline]));
  const input = {
    llmProvider: "gemini",
    model: "gemini-2.5-flash-image",
    messages: [{ role: "user", message: "Draw" }],
  };
  const { task } = await runTask(server, "LLM_CHAT_COMPLETE", input);
  expect(task.outputData["result"]).toBe("Here");
  const [item] = mediaOf(task);
  expect(item && contents(item)).toEqual(png);
  // What the server made itself may be shown to a model again.
  server.provider.answer(() => openaiResponse("A tide"));
  const look = {
    llmProvider: "openai",
    model: "gpt-4o",
    messages: [{ role: "user", message: "Look", media: [item?.location] }],
  };
  await runTask(server, "LLM_CHAT_COMPLETE", look);
  expect(JSON.stringify(server.provider.requests.at(-1)?.body)).toContain(
    `data:image/png;base64,${png.toString("base64")}`,
  );
});

describe("what was generated goes with its execution", () => {
  const input = { llmProvider: "stabilityai", model: "stable-image-core", prompt: "A tide" };
  const draw = async (from: AiServer) => {
    from.provider.answer(() => ({ bytes: png, headers: { "content-type": "image/png" } }));
    const { execution, task } = await runTask(from, "GENERATE_IMAGE", input);
    const location = mediaOf(task)[0]?.location ?? "";
    return { id: execution.workflowId, location };
  };

  test("from the server's folder", async () => {
    const [goes, stays] = [await draw(server), await draw(server)];
    expect((await server.client.delete(`/workflow/${goes.id}/remove`)).status).toBe(200);
    expect(existsSync(dirname(fileURLToPath(goes.location)))).toBe(false);
    expect(readFileSync(fileURLToPath(stays.location))).toEqual(png);
  });

  test("from the file store, where there is one", async () => {
    const withFiles = await startAiServer({ settings: { "service.file-storage.enabled": "true" } });
    onTestFinished(() => withFiles.close());
    const { client } = withFiles;
    const { id, location } = await draw(withFiles);
    expect(location).toMatch(/^service:\/\/file\/[0-9a-f-]{36}$/);
    const path = `/files/${encodeURIComponent(location)}`;
    expect((await client.get(path)).json).toMatchObject({
      workflowId: id,
      contentType: "image/png",
      fileName: expect.stringMatching(/\.png$/),
      fileSize: png.length,
    });
    const download = await client.get(`/files/${id}/${encodeURIComponent(location)}/download-url`);
    const { downloadUrl } = download.json as { downloadUrl: string };
    expect(Buffer.from(await (await fetch(downloadUrl)).arrayBuffer())).toEqual(png);
    expect((await client.delete(`/workflow/${id}/remove`)).status).toBe(200);
    expect((await client.get(path)).status).toBe(404);
    expect((await fetch(downloadUrl)).status).toBe(404);
  });
});

describe("GENERATE_VIDEO", () => {
  const input = { llmProvider: "openai", model: "sora-2", prompt: "A tide", duration: 4 };

  test("a job that fails fails the task with the provider's reason", async () => {
    server.provider.answer(({ method }) =>
      method === "POST"
        ? { json: { id: "video_9", status: "queued" } }
        : { json: { id: "video_9", status: "failed", error: { code: "moderation", message: "Not that." } } },
    );
    await server.client.register(oneTask("GENERATE_VIDEO", input, { retryCount: 0 }));
    const id = await server.client.start("one_generate_video");
    const waiting = await server.client.until(id, ({ tasks }) => tasks[0]?.outputData["jobId"] !== undefined);
    expect(waiting.tasks[0]).toMatchObject({
      status: "IN_PROGRESS",
      callbackAfterSeconds: 5,
      outputData: { jobId: "video_9", finishReason: "PROCESSING" },
    });
    const { tasks } = await server.client.ended(id);
    expect(tasks[0]).toMatchObject({
      status: "FAILED",
      reasonForIncompletion: "Not that.",
      outputData: { jobId: "video_9", status: "failed", finishReason: "FAILED" },
    });
  });

  test("one that cannot be handed in says so", async () => {
    server.provider.answer(() => ({ status: 400, json: { error: "seconds" } }));
    const { task } = await runTask(server, "GENERATE_VIDEO", input, { retryCount: 0 });
    expect(task.reasonForIncompletion).toBe(
      'Task execution failed: Failed to submit video generation: Videos API failed with status 400: {"error":"seconds"}',
    );
  });

  test("a look that fails does not hand the job in again", async () => {
    let [looks, submits] = [0, 0];
    server.provider.answer(({ method, path }) => {
      if (method === "POST") {
        submits += 1;
        return { json: { id: "video_7", status: "queued" } };
      }
      if (path.includes("/content")) return { bytes: Buffer.from("film"), headers: { "content-type": "video/mp4" } };
      looks += 1;
      return looks === 1 ? { status: 500 } : { json: { id: "video_7", status: "completed" } };
    });
    await server.client.register(
      oneTask("GENERATE_VIDEO", { ...input, inputImage: `data:image/png;base64,${png.toString("base64")}` }),
    );
    const id = await server.client.start("one_generate_video");
    await server.client.until(id, ({ tasks }) => tasks[0]?.outputData["failedPolls"] === 1);
    const { tasks } = await server.client.ended(id);
    expect([submits, looks]).toEqual([1, 2]);
    expect(tasks.map(({ status }) => status)).toEqual(["COMPLETED"]);
    const form = server.provider.requests.find(
      ({ method, bytes }) => method === "POST" && bytes.includes("input_reference"),
    );
    expect(form?.bytes.includes(png)).toBe(true);
  }, 30_000);
});
