import { extensionOf } from "../media/mime-types.ts";
import { readAnswer, readJsonAnswer } from "./answers.ts";
import type { GeneratedFile, VideoProvider, VideoRequest } from "./provider.ts";

type VideoOptions = {
  readonly apiKey: string;
  readonly baseURL: string;
  readonly fetch: typeof globalThis.fetch;
};

const API = "Videos API failed with status";

type VideoJob = {
  readonly id?: string;
  readonly status?: string;
  readonly error?: { readonly message?: string } | null;
};

/** The videos API of OpenAI, which its library here does not cover. */
export function openaiVideo({ apiKey, baseURL, fetch }: VideoOptions): VideoProvider {
  const headers = { authorization: `Bearer ${apiKey}` };
  const at = (path: string) => `${baseURL}/videos${path}`;

  async function download(jobId: string, query: string, mimeType: string, signal: AbortSignal): Promise<GeneratedFile> {
    const response = await fetch(at(`/${encodeURIComponent(jobId)}/content${query}`), { headers, signal });
    const answer = await readAnswer(response, API);
    const type = response.headers.get("content-type")?.split(";")[0];
    return { bytes: answer, mimeType: type?.includes("/") ? type : mimeType };
  }

  return {
    async submit(request, model, signal) {
      const response = await fetch(at(""), { method: "POST", headers, body: formOf(request, model), signal });
      const job = await readJsonAnswer<VideoJob>(response, API);
      if (job.id === undefined) throw new Error("Videos API gave no id for the job");
      return job.id;
    },
    async check(jobId, _model, signal) {
      const response = await fetch(at(`/${encodeURIComponent(jobId)}`), { headers, signal });
      const job = await readJsonAnswer<VideoJob>(response, API);
      if (job.status === "failed") return { kind: "failed", reason: job.error?.message ?? "Video generation failed" };
      if (job.status !== "completed") return { kind: "working", status: job.status ?? "queued" };
      const video = await download(jobId, "", "video/mp4", signal);
      // A picture of it is welcome, and its absence no reason to lose the video.
      const thumbnail = await download(jobId, "?variant=thumbnail", "image/webp", signal).catch(() => undefined);
      return { kind: "done", files: thumbnail === undefined ? [video] : [video, thumbnail] };
    },
  };
}

function formOf({ prompt, size, durationSeconds, image }: VideoRequest, model: string): FormData {
  const form = new FormData();
  form.set("prompt", prompt);
  form.set("model", model);
  form.set("size", size);
  form.set("seconds", String(durationSeconds));
  if (image !== undefined) {
    const type = image.mimeType ?? "image/png";
    form.set("input_reference", new Blob([new Uint8Array(image.bytes)], { type }), `image${extensionOf(type)}`);
  }
  return form;
}
