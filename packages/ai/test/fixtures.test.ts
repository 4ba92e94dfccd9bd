import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { MessageCreateParamsNonStreaming } from "@anthropic-ai/sdk/resources/messages";
import type { GenerateContentParameters } from "@google/genai";
import type { SpeechCreateParams } from "openai/resources/audio/speech";
import type { EmbeddingCreateParams } from "openai/resources/embeddings";
import type { ImageGenerateParams } from "openai/resources/images";
import type { ResponseCreateParamsNonStreaming } from "openai/resources/responses/responses";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AiServer, startAiServer } from "./support/ai-server.ts";
import type { Answer, Received } from "./support/local-provider.ts";
import { anthropicMessage, geminiContent, openaiResponse } from "./support/replies.ts";

const folder = fileURLToPath(new URL("../../../../shared/fixtures/ai/", import.meta.url));
const isThere = existsSync(folder);
if (!isThere) process.stderr.write("skipped: the AI fixtures are not on this machine\n");

const read = (name: string) => JSON.parse(readFileSync(`${folder}${name}.json`, "utf8")) as Record<string, unknown>;

const picture = Buffer.from("89504e470d0a1a0a", "hex");
const sound = Buffer.from("ID3 sound");
const film = Buffer.from("film");

/** Everything the fixtures' providers are asked, by path. */
function answer({ method, path, body }: Received): Answer {
  if (path === "/v1/responses") return openaiResponse(`about ${textIn(body)}`);
  if (path === "/v1/messages") return anthropicMessage("thought through");
  if (path === "/v1/embeddings")
    return {
      json: {
        object: "list",
        data: [{ index: 0, embedding: [0.5, -0.25] }],
        usage: { prompt_tokens: 5, total_tokens: 5 },
      },
    };
  if (path === "/v1/images/generations")
    return { json: { created: 1, data: [{ b64_json: picture.toString("base64") }] } };
  if (path === "/v1/audio/speech") return { bytes: sound, headers: { "content-type": "audio/mpeg" } };
  if (path === "/v2beta/stable-image/generate/sd3") return { bytes: picture, headers: { "content-type": "image/png" } };
  if (path.endsWith(":generateContent")) return geminiContent("computed");
  if (path.endsWith(":predictLongRunning")) return { json: { name: "models/veo-3/operations/op1" } };
  if (path.endsWith("/operations/op1"))
    return {
      json: {
        name: "models/veo-3/operations/op1",
        done: true,
        response: {
          generateVideoResponse: { generatedSamples: [{ video: { uri: `${at()}/files/v1:download?alt=media` } }] },
        },
      },
    };
  if (path.startsWith("/files/v1:download")) return { bytes: film };
  if (path === "/v1/videos" && method === "POST") return { json: { id: "video_1", object: "video", status: "queued" } };
  if (path === "/v1/videos/video_1") return { json: { id: "video_1", object: "video", status: "completed" } };
  if (path === "/v1/videos/video_1/content") return { bytes: film, headers: { "content-type": "video/mp4" } };
  return { status: 404, json: { error: path } };
}

const textIn = (body: Received["body"]): string => JSON.stringify(body["input"]).length.toString();

let server: AiServer;
const at = () => server.provider.url;

async function run(name: string, input: Record<string, unknown> = {}) {
  const def = read(name);
  await server.client.register(def);
  const before = server.provider.requests.length;
  const execution = await server.client.ended(await server.client.start(String(def["name"]), input));
  expect(execution.reasonForIncompletion).toBeUndefined();
  expect(execution.status).toBe("COMPLETED");
  return { execution, requests: server.provider.requests.slice(before) };
}

type Item = { readonly location: string; readonly mimeType: string };
const mediaOf = (task: { readonly outputData: Record<string, unknown> } | undefined): readonly Item[] =>
  (task?.outputData["media"] ?? []) as Item[];

const contents = (location: unknown): Buffer => readFileSync(fileURLToPath(String(location)));

describe.skipIf(!isThere)("the workflows of shared/fixtures/ai that call models", () => {
  beforeAll(async () => {
    server = await startAiServer();
    server.provider.answer(answer);
  });
  afterAll(() => server.close());

  test("all of them register", async () => {
    const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
    expect(names.length).toBeGreaterThan(30);
    for (const name of names) await server.client.register(read(name.replace(".json", "")));
  });

  test("01 chat completion", async () => {
    const { execution, requests } = await run("01-chat-completion");
    const expected = {
      model: "gpt-4o-mini",
      input: [
        { role: "system", content: "You are a helpful assistant." },
        { role: "user", content: [{ type: "input_text", text: "What is the capital of France?" }] },
      ],
      temperature: 0.7,
      max_output_tokens: 500,
    } satisfies ResponseCreateParamsNonStreaming;
    expect(requests[0]?.body).toEqual(expected);
    expect(requests[0]?.headers.authorization).toBe("Bearer key-openai");
    expect(execution.tasks[0]?.outputData).toEqual({
      result: expect.stringContaining("about "),
      media: [],
      finishReason: "STOP",
      tokenUsed: 18,
      promptTokens: 11,
      completionTokens: 7,
      responseId: "resp_1",
    });
  });

  test("02 embeddings", async () => {
    const { execution, requests } = await run("02-generate-embeddings");
    const expected = {
      model: "text-embedding-3-small",
      input: ["Conductor is an orchestration platform"],
      encoding_format: "float",
    } satisfies EmbeddingCreateParams;
    expect(requests[0]?.body).toEqual(expected);
    expect(execution.tasks[0]?.outputData).toEqual({ result: [0.5, -0.25] });
  });

  test("03 image generation", async () => {
    const { execution, requests } = await run("03-image-generation");
    const expected = {
      model: "dall-e-3",
      prompt: "A futuristic cityscape at sunset",
      n: 1,
      size: "1024x1024",
      style: "vivid",
      response_format: "b64_json",
    } satisfies ImageGenerateParams;
    expect(requests[0]?.body).toEqual(expected);
    const [item] = mediaOf(execution.tasks[0]);
    expect(item?.mimeType).toBe("image/png");
    expect(item?.location).toMatch(/^file:.*\.png$/);
    expect(contents(item?.location)).toEqual(picture);
  });

  test("04 audio generation", async () => {
    const { execution, requests } = await run("04-audio-generation");
    const expected = {
      model: "tts-1",
      input: "Hello, this is a test of text to speech.",
      voice: "alloy",
      response_format: "mp3",
    } satisfies SpeechCreateParams;
    expect(requests[0]?.body).toEqual(expected);
    const [item] = mediaOf(execution.tasks[0]);
    expect(item?.mimeType).toBe("audio/mpeg");
    expect(contents(item?.location)).toEqual(sound);
  });

  test("17 web search", async () => {
    const { execution, requests } = await run("17-web-search", { question: "What is new?" });
    expect(requests[0]?.body["tools"]).toEqual([{ type: "web_search" }]);
    expect(execution.output["answer"]).toEqual(expect.stringContaining("about"));
  });

  test("18 code execution", async () => {
    const { execution, requests } = await run("18-code-execution", { task: "Add 2 and 2" });
    const expected = {
      systemInstruction: {
        parts: [{ text: expect.stringContaining("You are a data analyst.") }],
      },
      contents: [{ role: "user", parts: [{ text: "Add 2 and 2" }] }],
      generationConfig: { maxOutputTokens: 2000, temperature: 0.2 },
      tools: [{ codeExecution: {} }],
    };
    const { contents: asked } = expected satisfies { contents: GenerateContentParameters["contents"] };
    expect(requests[0]?.body["contents"]).toEqual(asked);
    expect(requests[0]?.body).toMatchObject(expected);
    expect(requests[0]?.path).toBe("/v1beta/models/gemini-2.5-flash:generateContent");
    expect(requests[0]?.headers["x-goog-api-key"]).toBe("key-gemini");
    expect(execution.output["result"]).toBe("computed");
  });

  test("19 coding agent", async () => {
    const { execution, requests } = await run("19-coding-agent", { task: "Sort a list" });
    expect(requests.map(({ body }) => body["tools"])).toEqual([
      undefined,
      [{ type: "code_interpreter", container: { type: "auto" } }],
      undefined,
    ]);
    expect(execution.output["review"]).toEqual(expect.stringContaining("about"));
  });

  test("20 extended thinking", async () => {
    const { execution, requests } = await run("20-extended-thinking", { problem: "Why?" });
    const expected = {
      model: "claude-sonnet-4-20250514",
      max_tokens: 16_000,
      thinking: { type: "enabled", budget_tokens: 10_000 },
      messages: [{ role: "user", content: [{ type: "text", text: "Why?" }] }],
    } satisfies MessageCreateParamsNonStreaming;
    expect(requests[0]?.body).toEqual(expected);
    expect(requests[0]?.headers["x-api-key"]).toBe("key-anthropic");
    expect(requests[0]?.headers["anthropic-version"]).toBe("2023-06-01");
    expect(execution.output["answer"]).toBe("thought through");
  });

  test("22 a chain of turns by response id", async () => {
    const { execution, requests } = await run("22-multi-turn-chain", { topic: "a shop" });
    expect(requests.map(({ body }) => body["previous_response_id"])).toEqual([undefined, "resp_1"]);
    expect(requests[1]?.body["input"]).toHaveLength(1);
    expect(execution.output["risks"]).toEqual(expect.stringContaining("about"));
  });

  test("14 an image of Stability AI", async () => {
    const { execution, requests } = await run("14-stabilityai-image");
    const form = requests[0]?.bytes.toString() ?? "";
    for (const [name, value] of [
      ["model", "sd3.5-large"],
      ["aspect_ratio", "1:1"],
      ["output_format", "png"],
      ["style_preset", "cinematic"],
    ]) {
      expect(form).toContain(`name="${name}"\r\n\r\n${value}\r\n`);
    }
    expect(requests[0]?.headers.accept).toBe("image/*");
    const [item] = mediaOf(execution.tasks[0]);
    expect(contents(item?.location)).toEqual(picture);
  });

  test("36 a workflow chosen by a model", async () => {
    for (const name of ["36a-ai-route-support-ticket", "36b-ai-route-refund-request", "36c-ai-route-sales-lead"]) {
      await server.client.register(read(name));
    }
    server.provider.answer(() => openaiResponse('{"workflow":"ai_route_refund_request","reason":"charged twice"}'));
    try {
      const { execution, requests } = await run("36-ai-workflow-routing", { request: "I was charged twice" });
      expect(requests[0]?.body["text"]).toEqual({ format: { type: "json_object" } });
      expect(execution.output["selectedWorkflow"]).toBe("ai_route_refund_request");
    } finally {
      server.provider.answer(answer);
    }
  });

  test("11, 12, 13 videos are handed in and looked after until they are done", async () => {
    const [sora, veo, pipeline] = await Promise.all([
      run("11-video-openai-sora"),
      run("12-video-gemini-veo"),
      run("13-image-to-video-pipeline"),
    ]);
    const submitted = server.provider.requests.find(({ path }) => path.endsWith(":predictLongRunning"));
    expect(submitted?.body).toEqual({
      instances: [{ prompt: expect.stringContaining("time-lapse") }],
      parameters: {
        sampleCount: 1,
        aspectRatio: "16:9",
        resolution: "720p",
        durationSeconds: 8,
        personGeneration: "dont_allow",
        negativePrompt: "blurry, low quality, text overlay",
        generateAudio: true,
      },
    });
    const form = server.provider.requests.find(({ path, method }) => path === "/v1/videos" && method === "POST");
    expect(form?.bytes.toString()).toContain('name="seconds"\r\n\r\n8\r\n');
    expect(form?.bytes.toString()).toContain('name="size"\r\n\r\n1280x720\r\n');
    for (const { execution } of [sora, veo, pipeline]) {
      const task = execution.tasks.at(-1);
      expect(task?.outputData).toMatchObject({ finishReason: "COMPLETED", status: "completed", pollCount: 1 });
      const [item] = mediaOf(task);
      expect(item?.mimeType).toBe("video/mp4");
      expect(contents(item?.location)).toEqual(film);
      expect(JSON.stringify(task)).not.toContain("key-");
    }
  });
});
