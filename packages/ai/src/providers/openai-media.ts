import { generateWith } from "./image-model.ts";
import type { OpenAILibrary } from "./openai-responses.ts";
import type { EmbeddingProvider, ImageProvider, ImageRequest, SpeechProvider } from "./provider.ts";

export const openaiEmbeddings = (library: OpenAILibrary): EmbeddingProvider => ({
  model: async (id) => (await library()).embeddingModel(id),
  failure: { call: "Embeddings API call failed", api: "Embeddings API failed with status" },
  hasDimensions: true,
});

export const openaiImages = (library: OpenAILibrary): ImageProvider => ({
  failure: { call: "Image generation API call failed", api: "Image Generation API failed with status" },
  generate: async (request, id, signal) =>
    await generateWith((await library()).imageModel(id), request, {
      size: sizeOf(request),
      providerOptions: { openai: isGptImage(id) ? gptImageOptions(request) : styleOptions(request) },
      signal,
    }),
});

const isGptImage = (model: string): boolean => /^(gpt-image|chatgpt-image)/i.test(model);
const styleOptions = ({ style }: ImageRequest) => (style === undefined ? {} : { style });
const gptImageOptions = ({ outputFormat }: ImageRequest) => ({
  outputFormat: outputFormat === "jpg" ? "jpeg" : outputFormat,
});

function sizeOf({ size, width, height }: ImageRequest): `${number}x${number}` {
  return (size ?? `${width}x${height}`) as `${number}x${number}`;
}

export const openaiSpeech = (library: OpenAILibrary): SpeechProvider => ({
  model: async (id) => (await library()).speech(id),
  failure: { call: "Speech API call failed", api: "Speech API failed with status" },
  mimeType: (format) => speechTypes.get(format) ?? "audio/mpeg",
});

const speechTypes = new Map([
  ["mp3", "audio/mpeg"],
  ["opus", "audio/opus"],
  ["aac", "audio/aac"],
  ["flac", "audio/flac"],
  ["wav", "audio/wav"],
  ["pcm", "audio/pcm"],
]);
