import type { AiTask } from "../ai-task.ts";
import { chunkText } from "../documents/chunk.ts";
import { readDocument } from "../documents/read-document.ts";
import { TerminalError } from "../errors.ts";
import { input } from "../input.ts";
import { completed } from "../results.ts";

/** PARSE_DOCUMENT: the text of the document at a URL, in pieces when a size is given. */
export const parseDocument: AiTask = {
  type: "PARSE_DOCUMENT",
  async run(call, services) {
    const { input: from } = call;
    const url = input.word(from, "url");
    if (url === undefined) throw new TerminalError("Missing required input parameter 'url'");
    const size = input.integer(from, "chunkSize") ?? 0;
    const overlap = input.integer(from, "chunkOverlap") ?? 0;
    const text = await readDocument(call, url, services);
    return completed({ result: size > 0 ? chunkText(text, { size, overlap }) : [text] });
  },
};
