import type { AiTask } from "../ai-task.ts";
import { fillVariables } from "../chat/variables.ts";
import { TerminalError } from "../errors.ts";
import { input } from "../input.ts";
import { callProvider } from "../providers/call.ts";
import { modelOf } from "../providers/model-name.ts";
import type { ImageRequest } from "../providers/provider.ts";
import { completed } from "../results.ts";

const formats: ReadonlySet<string> = new Set(["jpg", "jpeg", "png", "webp"]);
const MOST_IMAGES = 10;

/** GENERATE_IMAGE: pictures from a text. */
export const generateImage: AiTask = {
  type: "GENERATE_IMAGE",
  async run({ input: from, signal, head }, { providers, media, prompts }) {
    const provider = providers.find(input.word(from, "llmProvider"), input.word(from, "baseUrl"));
    const { images } = provider;
    if (images === undefined) {
      throw new Error(provider.refusals?.images ?? "Image generation not supported by the model yet");
    }
    const model = modelOf(from);
    const named = input.word(from, "promptName");
    const text =
      (named && ((await prompts.findText(named, input.integer(from, "promptVersion"))) ?? named)) ??
      input.word(from, "prompt");
    if (text === undefined) throw new TerminalError("Expected a prompt, got none");
    const request: ImageRequest = {
      prompt: fillVariables(text, input.object(from, "promptVariables") ?? {}),
      width: input.integer(from, "width") ?? 1024,
      height: input.integer(from, "height") ?? 1024,
      size: input.word(from, "size"),
      n: countOf(input.integer(from, "n") ?? input.integer(from, "imageCount") ?? 1),
      style: input.word(from, "style"),
      outputFormat: formatOf(input.word(from, "outputFormat")),
    };
    const generated = await callProvider({
      provider,
      words: images.failure,
      signal,
      work: (abortSignal) => images.generate(request, model, abortSignal),
    });
    if (generated.images.length === 0) throw new Error("No response generated");
    const kept = await Promise.all(
      generated.images.map(({ bytes, mimeType }) => media.put(bytes, mimeType ?? typeOf(bytes, request), head.id)),
    );
    const { promptTokens, completionTokens } = generated;
    return completed({ media: kept, tokenUsed: promptTokens + completionTokens, promptTokens, completionTokens });
  },
};

function countOf(n: number): number {
  if (n > MOST_IMAGES) throw new TerminalError(`Expected n to be at most ${MOST_IMAGES}, got ${n}`);
  return Math.max(1, n);
}

function formatOf(format: string | undefined): string {
  const wanted = format?.toLowerCase() ?? "png";
  if (!formats.has(wanted)) throw new TerminalError(`Expected outputFormat to be jpg, png or webp, got "${format}"`);
  return wanted;
}

const magics: readonly (readonly [mimeType: string, beginning: string])[] = [
  ["image/png", "89504e47"],
  ["image/jpeg", "ffd8ff"],
  ["image/gif", "47494638"],
  ["image/webp", "52494646"],
];

/** What the bytes say they are; providers do not always make what they were asked for. */
function typeOf(bytes: Uint8Array, { outputFormat }: ImageRequest): string {
  const beginning = Buffer.from(bytes.subarray(0, 8)).toString("hex");
  const known = magics.find(([, magic]) => beginning.startsWith(magic))?.[0];
  return known ?? `image/${outputFormat === "jpg" ? "jpeg" : outputFormat}`;
}
