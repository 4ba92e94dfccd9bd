import type { ImageModelV4 } from "@ai-sdk/provider";
import { readJsonAnswer } from "./answers.ts";
import { ratioOf } from "./aspect-ratio.ts";
import { generateWith } from "./image-model.ts";
import type { GeneratedImages, ImageProvider, ImageRequest, ProviderSettings } from "./provider.ts";

type Options = {
  readonly library: () => Promise<{ imageModel(id: string): ImageModelV4 }>;
  readonly settings: ProviderSettings;
  readonly fetch: typeof globalThis.fetch;
  readonly keyUrl: string;
};

const ratios = ["1:1", "3:4", "4:3", "9:16", "16:9"] as const;

/** Gemini's own images by the library; Imagen, which it no longer knows, by one call of ours. */
export const geminiImages = ({ library, settings, fetch, keyUrl }: Options): ImageProvider => ({
  failure: { call: "Gemini generateImages failed", api: "Gemini API error" },
  async generate(request, id, signal) {
    if (/^imagen/i.test(id) && settings.apiKey !== "") {
      const url = `${keyUrl}/models/${encodeURIComponent(id)}:predict`;
      const headers = { "x-goog-api-key": settings.apiKey, "content-type": "application/json" };
      const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(imagenBody(request)), signal });
      return imagenImages(await readJsonAnswer<ImagenAnswer>(response, "Gemini API error"));
    }
    return await generateWith((await library()).imageModel(id), request, {
      aspectRatio: ratioOf(request, ratios),
      providerOptions: {},
      signal,
    });
  },
});

type ImagenAnswer = {
  readonly predictions?: readonly { readonly bytesBase64Encoded?: string; readonly mimeType?: string }[];
};

const imagenBody = (request: ImageRequest) => ({
  instances: [{ prompt: request.prompt }],
  parameters: { sampleCount: request.n, aspectRatio: ratioOf(request, ratios) },
});

const imagenImages = ({ predictions = [] }: ImagenAnswer): GeneratedImages => ({
  images: predictions.flatMap(({ bytesBase64Encoded, mimeType }) =>
    bytesBase64Encoded === undefined
      ? []
      : [
          {
            bytes: new Uint8Array(Buffer.from(bytesBase64Encoded, "base64")),
            ...(mimeType === undefined ? {} : { mimeType }),
          },
        ],
  ),
  promptTokens: 0,
  completionTokens: 0,
});
