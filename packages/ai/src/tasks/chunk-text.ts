import type { AiTask } from "../ai-task.ts";
import { chunkText as cut } from "../documents/chunk.ts";
import { TerminalError } from "../errors.ts";
import { input } from "../input.ts";
import { completed } from "../results.ts";

const SIZE = 1024;

/** CHUNK_TEXT: a text in pieces of a size. */
export const chunkText: AiTask = {
  type: "CHUNK_TEXT",
  async run({ input: from, signal }, { tools }) {
    const given = input.text(from, "text");
    if (given === undefined) throw new TerminalError("Expected text to be the text to cut, got nothing");
    const size = input.integer(from, "chunkSize") || SIZE;
    const overlap = input.integer(from, "chunkOverlap") ?? 0;
    if (size < 1) throw new TerminalError(`Expected chunkSize to be above 0, got ${size}`);
    const mediaType = input.word(from, "mediaType");
    const isHtml = mediaType !== undefined && /html/i.test(mediaType);
    const hints = { mediaType, contentType: undefined, location: undefined };
    const text = isHtml ? await tools.extractor.extract(Buffer.from(given), hints, signal) : given;
    return completed({ result: cut(text, { size, overlap }) });
  },
};
