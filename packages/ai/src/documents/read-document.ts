import type { OutsideCall } from "@downbeat/server";
import type { AiServices } from "../ai-task.ts";
import { input } from "../input.ts";
import { readHeaders } from "../outbound/headers.ts";

/** The text of the document at a location, with the `mediaType` and `headers` of a task's input. */
export async function readDocument(
  { input: from, head, signal }: OutsideCall,
  location: string,
  services: AiServices,
): Promise<string> {
  const { bytes, mimeType } = await services.documents.load(location, {
    headers: readHeaders(input.object(from, "headers")),
    signal,
    executionId: head.id,
  });
  const hints = { mediaType: input.word(from, "mediaType"), contentType: mimeType, location };
  return await services.tools.extractor.extract(bytes, hints, signal);
}
