import { isJsonObject, type JsonObject, type TaskResult } from "@downbeat/engine";
import type { OutsideCall } from "@downbeat/server";
import type { AiServices, AiTask } from "../ai-task.ts";
import { fillVariables } from "../chat/variables.ts";
import { messageOf, TerminalError } from "../errors.ts";
import { input } from "../input.ts";
import { mimeTypeOf } from "../media/mime-types.ts";
import { callProvider } from "../providers/call.ts";
import { modelOf } from "../providers/model-name.ts";
import type { GeneratedFile, VideoRequest } from "../providers/provider.ts";
import { completed, failed, inProgress } from "../results.ts";

const POLL_SECONDS = 5;
/** Looks that may fail in a row before the task does: the job goes on meanwhile, and a new one would cost again. */
const MOST_FAILED_LOOKS = 5;

/** GENERATE_VIDEO: hands a job in, then looks after it every five seconds, by timer, until it is done. */
export const generateVideo: AiTask = {
  type: "GENERATE_VIDEO",
  async run(call, services) {
    const output = await services.runtime.store.executions.payload(call.head.id, call.task.no, "output");
    const before = isJsonObject(output.value) ? output.value : {};
    const jobId = input.word(before, "jobId");
    return jobId === undefined ? await submit(call, services) : await look(call, services, { ...before, jobId });
  },
};

async function submit(call: OutsideCall, services: AiServices): Promise<TaskResult> {
  const { provider, video, model } = findVideo(call.input, services);
  const request = await requestOf(call, services);
  const jobId = await callProvider({
    provider,
    words: { call: "Failed to submit video generation", api: "Videos API failed with status" },
    signal: call.signal,
    work: (signal) => video.submit(request, model, signal),
  });
  return inProgress({ jobId, status: "queued", finishReason: "PROCESSING", pollCount: 0 }, POLL_SECONDS);
}

async function look(
  call: OutsideCall,
  services: AiServices,
  before: JsonObject & { readonly jobId: string },
): Promise<TaskResult> {
  const { provider, video, model } = findVideo(call.input, services);
  const { jobId } = before;
  const told = { jobId, pollCount: (input.integer(before, "pollCount") ?? 0) + 1 };
  let state: Awaited<ReturnType<typeof video.check>>;
  try {
    state = await callProvider({
      provider,
      words: { call: "Failed to check video status", api: "Videos API failed with status" },
      signal: call.signal,
      work: (signal) => video.check(jobId, model, signal),
    });
  } catch (error) {
    call.signal.throwIfAborted();
    const failedPolls = (input.integer(before, "failedPolls") ?? 0) + 1;
    if (failedPolls >= MOST_FAILED_LOOKS) throw error;
    services.log.warn("A video could not be looked after; trying again", { jobId, error: messageOf(error) });
    return inProgress({ ...before, ...told, failedPolls }, POLL_SECONDS);
  }
  switch (state.kind) {
    case "working":
      return inProgress({ ...told, status: state.status, finishReason: "PROCESSING" }, POLL_SECONDS);
    case "failed":
      return failed(state.reason, { ...told, status: "failed", finishReason: "FAILED" });
    case "done": {
      const media = await Promise.all(
        state.files.map((file) =>
          "bytes" in file ? services.media.put(file.bytes, file.mimeType ?? "video/mp4", call.head.id) : file,
        ),
      );
      return completed({
        ...told,
        status: "completed",
        finishReason: "COMPLETED",
        media,
        tokenUsed: 0,
        promptTokens: 0,
        completionTokens: 0,
      });
    }
  }
}

function findVideo(from: JsonObject, { providers }: AiServices) {
  const provider = providers.find(input.word(from, "llmProvider"), input.word(from, "baseUrl"));
  if (provider.video === undefined) throw new Error("Video generation not supported by this provider");
  return { provider, video: provider.video, model: modelOf(from) };
}

async function requestOf(call: OutsideCall, services: AiServices): Promise<VideoRequest> {
  const from = call.input;
  const prompt = input.word(from, "prompt");
  if (prompt === undefined) throw new TerminalError("Expected a prompt, got none");
  const image = input.word(from, "inputImage");
  return {
    prompt: fillVariables(prompt, input.object(from, "promptVariables") ?? {}),
    image: image === undefined ? undefined : await loadImage(image, call, services),
    durationSeconds: input.integer(from, "duration") ?? 5,
    size: input.word(from, "size") ?? `${input.integer(from, "width") ?? 1280}x${input.integer(from, "height") ?? 720}`,
    fps: input.integer(from, "fps") ?? 24,
    n: input.integer(from, "n") ?? 1,
    aspectRatio: input.word(from, "aspectRatio"),
    resolution: input.word(from, "resolution"),
    negativePrompt: input.word(from, "negativePrompt"),
    personGeneration: input.word(from, "personGeneration"),
    generateAudio: input.flag(from, "generateAudio"),
    seed: input.integer(from, "seed"),
  };
}

/** Base64 has slashes too, but does not end like a file. */
const isLocation = (image: string, documents: AiServices["documents"]): boolean =>
  /^(https?|file):/i.test(image) ||
  documents.isFileHandle(image) ||
  (image.startsWith("/") && mimeTypeOf(image) !== undefined);

/** A data URI, a location, or base64. */
async function loadImage(
  image: string,
  { head, signal }: OutsideCall,
  { documents }: AiServices,
): Promise<GeneratedFile> {
  const inline = /^data:([^;,]+);base64,(.*)$/s.exec(image);
  if (inline !== null) return { bytes: Buffer.from(inline[2] ?? "", "base64"), mimeType: inline[1] ?? "image/png" };
  if (isLocation(image, documents)) {
    const { bytes, mimeType } = await documents.load(image, { signal, executionId: head.id });
    return { bytes, mimeType: mimeType ?? mimeTypeOf(image) ?? "image/png" };
  }
  return { bytes: Buffer.from(image, "base64"), mimeType: "image/png" };
}
