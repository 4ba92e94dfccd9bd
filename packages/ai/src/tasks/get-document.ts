import type { AiTask } from "../ai-task.ts";
import { readDocument } from "../documents/read-document.ts";
import { TerminalError } from "../errors.ts";
import { input } from "../input.ts";
import { completed } from "../results.ts";

/** GET_DOCUMENT: the text of the document at a URL. */
export const getDocument: AiTask = {
  type: "GET_DOCUMENT",
  async run(call, services) {
    const { input: from } = call;
    const url = input.word(from, "url");
    if (url === undefined) throw new TerminalError("Missing required input parameter 'url'");
    return completed({ result: await readDocument(call, url, services) });
  },
};
