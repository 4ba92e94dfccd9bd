import type { Config } from "@downbeat/server";
import { TerminalError } from "../errors.ts";
import { ThreadPool } from "../threads/thread-pool.ts";
import { type Hints, mediaTypeOf } from "./media-type.ts";

export type ExtractRequest = { readonly bytes: Uint8Array; readonly mediaType: string };

export type TextExtractor = {
  /** The text of a document of any type that has one. */
  readonly extract: (bytes: Uint8Array, hints: Hints, signal: AbortSignal) => Promise<string>;
  readonly close: () => Promise<void>;
};

/** Documents come from strangers: they are taken apart in threads with bounds on time and memory. */
export function openExtractor(config: Config): TextExtractor {
  const threads = new ThreadPool<ExtractRequest, string>(new URL("./extract-thread.ts", import.meta.url), {
    size: 2,
    memoryMb: 512,
  });
  const timeoutMs = config["service.documents.extract-timeout"];
  return {
    async extract(bytes, hints, signal) {
      const mediaType = mediaTypeOf(bytes, hints);
      try {
        return await threads.call({ bytes: Uint8Array.from(bytes), mediaType }, { signal, timeoutMs });
      } catch (error) {
        if (signal.aborted) throw error;
        const message = error instanceof Error ? error.message : String(error);
        // The same bytes fail the same way.
        throw new TerminalError(`Failed to read the text of the document (${mediaType}): ${message}`, { cause: error });
      }
    },
    close: () => threads.close(),
  };
}
