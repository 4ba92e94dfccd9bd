import type { Config } from "@downbeat/server";
import { TerminalError } from "../errors.ts";
import { HelperPool } from "../helpers/helper-pool.ts";
import { inProcess } from "../helpers/process.ts";
import { type Hints, mediaTypeOf } from "./media-type.ts";

export type ExtractRequest = { readonly bytes: Uint8Array; readonly mediaType: string };

export type TextExtractor = {
  /** The text of a document of any type that has one. */
  readonly extract: (bytes: Uint8Array, hints: Hints, signal: AbortSignal) => Promise<string>;
  readonly close: () => Promise<void>;
};

const MEMORY_MB = 512;
const AT_ONCE = 2;

/** Documents come from strangers: they are taken apart in processes of their own, with bounds on time and memory. */
export function openExtractor(config: Config): TextExtractor {
  const script = new URL("./extract-process.ts", import.meta.url);
  const helpers = new HelperPool<ExtractRequest, string>(inProcess(script, MEMORY_MB), AT_ONCE);
  const timeoutMs = config["service.documents.extract-timeout"];
  return {
    async extract(bytes, hints, signal) {
      const mediaType = mediaTypeOf(bytes, hints);
      try {
        return await helpers.call({ bytes: Uint8Array.from(bytes), mediaType }, { signal, timeoutMs });
      } catch (error) {
        if (signal.aborted) throw error;
        const message = error instanceof Error ? error.message : String(error);
        // The same bytes fail the same way.
        throw new TerminalError(`Failed to read the text of the document (${mediaType}): ${message}`, { cause: error });
      }
    },
    close: () => helpers.close(),
  };
}
