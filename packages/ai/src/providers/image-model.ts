import type { ImageModelV4 } from "@ai-sdk/provider";
import type { GeneratedImages, ImageRequest, ProviderOptions } from "./provider.ts";

type Parts = {
  readonly size?: `${number}x${number}`;
  readonly aspectRatio?: `${number}:${number}`;
  readonly providerOptions: ProviderOptions;
  readonly signal: AbortSignal;
};

/** As many images as asked for, in as many calls as the model needs for them. */
export async function generateWith(
  model: ImageModelV4,
  { prompt, n }: ImageRequest,
  { size, aspectRatio, providerOptions, signal }: Parts,
): Promise<GeneratedImages> {
  const most = typeof model.maxImagesPerCall === "number" ? model.maxImagesPerCall : n;
  const counts = Array.from({ length: Math.ceil(n / most) }, (_, index) => Math.min(most, n - index * most));
  const results = await Promise.all(
    counts.map((count) =>
      model.doGenerate({
        prompt,
        n: count,
        size,
        aspectRatio,
        seed: undefined,
        files: undefined,
        mask: undefined,
        providerOptions,
        abortSignal: signal,
      }),
    ),
  );
  return {
    images: results.flatMap(({ images }) => images.map((image) => ({ bytes: bytesOf(image) }))),
    promptTokens: results.reduce((sum, { usage }) => sum + (usage?.inputTokens ?? 0), 0),
    completionTokens: results.reduce((sum, { usage }) => sum + (usage?.outputTokens ?? 0), 0),
  };
}

/** Libraries give bytes, or base64 text of them. */
export const bytesOf = (data: string | Uint8Array): Uint8Array =>
  typeof data === "string" ? new Uint8Array(Buffer.from(data, "base64")) : data;
