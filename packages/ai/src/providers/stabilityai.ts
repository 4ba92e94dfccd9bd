import { readAnswer } from "./answers.ts";
import { ratioOf } from "./aspect-ratio.ts";
import type { GeneratedFile, ImageRequest, ProviderKind } from "./provider.ts";

const ratios = ["1:1", "16:9", "9:16", "3:2", "2:3", "4:5", "5:4", "21:9", "9:21"] as const;

/** Images only: one multipart call each. */
export const stabilityai: ProviderKind = {
  id: "stabilityai",
  aliases: [],
  block: "stabilityai",
  isConfigured: ({ apiKey }) => apiKey !== "",
  open({ apiKey, baseUrl }, fetch) {
    const base = (baseUrl === "" ? "https://api.stability.ai" : baseUrl).replace(/\/+$/, "");
    const headers = { authorization: `Bearer ${apiKey}`, accept: "image/*" };
    const generateOne = async (request: ImageRequest, model: string, signal: AbortSignal): Promise<GeneratedFile> => {
      const url = `${base}/v2beta/stable-image/generate/${endpointOf(model)}`;
      const response = await fetch(url, { method: "POST", headers, body: formOf(request, model), signal });
      const bytes = await readAnswer(response, "Stability AI API failed with status");
      const mimeType = response.headers.get("content-type")?.split(";")[0];
      return mimeType?.startsWith("image/") ? { bytes, mimeType } : { bytes };
    };
    return {
      images: {
        failure: { call: "Stability AI image generation failed", api: "Stability AI API failed with status" },
        generate: async (request, model, signal) => ({
          images: await Promise.all(Array.from({ length: request.n }, () => generateOne(request, model, signal))),
          promptTokens: 0,
          completionTokens: 0,
        }),
      },
      refusals: {
        chat: "Chat completion is not supported by the Stability AI provider",
        embeddings: "Embeddings are not supported by the Stability AI provider",
      },
    };
  },
};

function endpointOf(model: string): string {
  if (/^sd3/i.test(model)) return "sd3";
  return /core/i.test(model) ? "core" : "ultra";
}

function formOf(request: ImageRequest, model: string): FormData {
  const { prompt, style, outputFormat } = request;
  const form = new FormData();
  form.set("prompt", prompt);
  form.set("aspect_ratio", ratioOf(request, ratios));
  form.set("output_format", outputFormat === "jpg" ? "jpeg" : outputFormat);
  if (endpointOf(model) === "sd3") form.set("model", model);
  if (style !== undefined) form.set("style_preset", style);
  return form;
}
