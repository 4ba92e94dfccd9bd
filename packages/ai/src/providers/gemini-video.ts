import type {
  Experimental_VideoModelV4VideoData as VideoData,
  Experimental_VideoModelV4 as VideoModelV4,
} from "@ai-sdk/provider";
import { readAnswer } from "./answers.ts";
import { bytesOf } from "./image-model.ts";
import type { GeneratedFile, RemoteFile, VideoProvider, VideoRequest } from "./provider.ts";

type Options = {
  readonly model: (id: string) => Promise<VideoModelV4>;
  readonly fetch: typeof globalThis.fetch;
};

const unsupported = (): Error => new Error("Video generation not supported by this provider");

/** Veo: a long-running operation. The job's id is the operation's name. */
export const geminiVideo = ({ model, fetch }: Options): VideoProvider => ({
  async submit(request, id, signal) {
    const veo = await model(id);
    if (veo.doStart === undefined) throw unsupported();
    const { operation } = await veo.doStart(callOptions(request, signal));
    return operationName(operation);
  },
  async check(jobId, id, signal) {
    const veo = await model(id);
    if (veo.doStatus === undefined) throw unsupported();
    const state = await veo.doStatus({ operation: { operationName: jobId }, abortSignal: signal });
    if (state.status === "pending") return { kind: "working", status: "in_progress" };
    if (state.status === "error") return { kind: "failed", reason: state.error };
    return { kind: "done", files: await Promise.all(state.videos.map((video) => load(video, fetch, signal))) };
  },
});

function operationName(operation: unknown): string {
  const name =
    typeof operation === "object" && operation !== null && "operationName" in operation
      ? operation.operationName
      : undefined;
  if (typeof name !== "string") throw new Error("Gemini gave no name for the operation");
  return name;
}

function callOptions(request: VideoRequest, signal: AbortSignal): Parameters<NonNullable<VideoModelV4["doStart"]>>[0] {
  const { image, personGeneration, negativePrompt, generateAudio } = request;
  const own = {
    ...(personGeneration === undefined ? {} : { personGeneration }),
    ...(negativePrompt === undefined ? {} : { negativePrompt }),
    ...(generateAudio === undefined ? {} : { generateAudio }),
  };
  return {
    prompt: request.prompt,
    n: request.n,
    aspectRatio: request.aspectRatio as `${number}:${number}` | undefined,
    // Named (720p) or in pixels: the library hands on what it does not know.
    resolution: request.resolution as `${number}x${number}` | undefined,
    duration: request.durationSeconds,
    fps: request.fps,
    seed: request.seed,
    image:
      image === undefined ? undefined : { type: "file", data: image.bytes, mediaType: image.mimeType ?? "image/png" },
    frameImages: undefined,
    inputReferences: undefined,
    generateAudio,
    providerOptions: { google: own, googleVertex: own },
    abortSignal: signal,
  };
}

async function load(
  video: VideoData,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<GeneratedFile | RemoteFile> {
  switch (video.type) {
    case "base64":
    case "binary":
      return { bytes: bytesOf(video.data), mimeType: video.mediaType };
    case "url": {
      const remote = {
        location: video.url.replace(/([?&])key=[^&]*/, "$1").replace(/[?&]$/, ""),
        mimeType: video.mediaType,
      };
      if (!/^https?:/.test(video.url)) return remote;
      const response = await fetch(video.url, { signal, redirect: "follow" });
      return { bytes: await readAnswer(response, "Gemini API error"), mimeType: video.mediaType };
    }
    case "uploaded":
      throw new Error("Expected a video from Gemini, got none");
  }
}
