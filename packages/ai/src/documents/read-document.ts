import type { JsonObject } from "@downbeat/engine";
import type { AiServices } from "../ai-task.ts";
import { input } from "../input.ts";
import { readHeaders } from "../outbound/headers.ts";

/** The text of the document at a location, with the `mediaType` and `headers` of a task's input. */
export async function readDocument(
  from: JsonObject,
  location: string,
  services: AiServices,
  signal: AbortSignal,
): Promise<string> {
  const { bytes, mimeType } = await services.documents.load(location, {
    headers: readHeaders(input.object(from, "headers")),
    signal,
  });
  const hints = { mediaType: input.word(from, "mediaType"), contentType: mimeType, location };
  return await services.tools.extractor.extract(bytes, hints, signal);
}
